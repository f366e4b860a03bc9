"""Laplace noise alone."""
