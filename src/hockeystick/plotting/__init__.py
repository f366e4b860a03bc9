"""Curves of mechanisms: as data, and drawn into axes of matplotlib."""
