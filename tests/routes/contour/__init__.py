"""Tests of the lines of the contour."""
