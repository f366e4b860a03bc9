"""K along a vertical line of the complex plane: where it goes, what it says."""
