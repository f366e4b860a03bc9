"""Patterns of participation: what they promise, what they draw and what they cost."""
