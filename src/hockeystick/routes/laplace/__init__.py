"""Laplace noise alone: a finite sum, or cells between the points of a lattice."""
