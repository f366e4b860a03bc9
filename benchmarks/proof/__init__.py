"""Certified ends as the judge of all others."""
