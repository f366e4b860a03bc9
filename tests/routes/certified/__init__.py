"""Proofs, checked from outside."""
