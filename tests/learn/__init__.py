"""Private learning: what runs is what is accounted."""
