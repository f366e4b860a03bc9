"""Tests of the page's server: its answers, and what it withstands."""
