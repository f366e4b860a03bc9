"""Mixtures of Gaussians on paths lifted off the real line."""
