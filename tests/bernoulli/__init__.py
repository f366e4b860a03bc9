"""Coins: amplification by Bernoulli sampling."""
