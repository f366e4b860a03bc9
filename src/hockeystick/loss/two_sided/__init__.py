"""The loss of a guarantee that is known for ε >= 0, in both directions."""
