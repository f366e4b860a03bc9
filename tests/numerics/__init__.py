"""Numerics that know nothing of privacy, against multiple precision."""
