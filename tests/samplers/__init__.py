"""Samplers against oracles of their own, brute force, peers and the laws they obey."""
