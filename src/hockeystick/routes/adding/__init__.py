"""Few steps, by adding up their outcomes."""
