"""Audits: what outputs say of ε."""
