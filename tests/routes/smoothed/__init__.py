"""Sums of atoms off any lattice."""
