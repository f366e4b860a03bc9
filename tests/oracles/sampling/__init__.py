"""What samplers make of a pair, from the definitions."""
