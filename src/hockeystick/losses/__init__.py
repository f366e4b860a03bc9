"""The laws that privacy losses have: Gaussian, atoms, an exponential segment, a known profile."""
