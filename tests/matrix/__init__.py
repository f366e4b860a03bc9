"""Strategies, their errors, sensitivities and participation."""
