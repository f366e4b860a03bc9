"""What is run by hand while developing, from the root of the repository."""
