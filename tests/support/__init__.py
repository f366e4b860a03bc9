"""What tests of several packages share: ways to run, to draw and to look."""
