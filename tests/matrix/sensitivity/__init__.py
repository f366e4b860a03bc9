"""Sensitivities, against every set of steps and against published values."""
