"""The law of one epoch in which each record chooses its steps."""
