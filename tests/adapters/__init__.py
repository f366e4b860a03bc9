"""Adapters inside the libraries that they are for."""
