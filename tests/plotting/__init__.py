"""Curves, as data and drawn."""
