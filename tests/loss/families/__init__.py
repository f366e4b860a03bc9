"""Losses of natural families."""
