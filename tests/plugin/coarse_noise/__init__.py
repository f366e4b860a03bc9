"""Uniform noise, and batches by two coins."""
