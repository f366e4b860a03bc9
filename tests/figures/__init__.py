"""The figures of the papers, as numbers and as pictures."""
