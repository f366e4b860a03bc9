"""What mechanisms of one kind have in common."""
