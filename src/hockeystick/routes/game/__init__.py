"""Batches of fixed size as a game: an adversary chooses the query of each step from all before."""
