"""The code itself: its public names, where its files are, and what its tests say."""
