"""Losses rounded to a grid, and the law of their sum by FFT."""
