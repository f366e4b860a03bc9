"""Tests of each question of the page: the numbers, the schema, the field of an error."""
