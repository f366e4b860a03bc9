"""One file for each mechanism, or what all of one kind have in common."""
