"""The fuzzer, and a slice of what it asks."""
