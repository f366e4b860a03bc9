"""Losses of exponential families: natural parameters, posteriors, quadratic forms."""
