"""Data larger than memory."""
