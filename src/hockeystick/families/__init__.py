"""Losses and Rényi curves of exponential families, one file each."""
