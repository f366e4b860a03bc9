"""Samplers against oracles of their own and brute force."""
