"""A guarantee known for ε >= 0 alone, as the law of a loss."""
