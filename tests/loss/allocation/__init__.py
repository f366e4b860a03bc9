"""Losses of random allocation."""
