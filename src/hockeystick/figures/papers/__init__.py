"""One file for each paper, with a row for each of its figures."""
