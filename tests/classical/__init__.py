"""Tests of the theorems of the papers, one file for each file of the package."""
