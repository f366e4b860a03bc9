"""The samplers, one file each."""
