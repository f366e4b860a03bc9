"""Answers that are theorems: floats plan, balls prove (docs/certified.md has the theorems)."""
