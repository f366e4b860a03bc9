"""Strategies of least error: banded, buffered and dense ones."""
