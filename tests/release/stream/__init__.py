"""Noise of matrix mechanisms, step by step."""
