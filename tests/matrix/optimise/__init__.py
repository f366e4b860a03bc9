"""Strategies of least error."""
