"""What samplers are built of."""
