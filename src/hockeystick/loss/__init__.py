"""Every law of a privacy loss, and nothing else."""
