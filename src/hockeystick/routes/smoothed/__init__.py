"""Sums of atoms that share no lattice: the contour of a profile smoothed by a little."""
