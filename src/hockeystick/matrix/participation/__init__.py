"""When a record takes part in a run: a file for each pattern, named after its class."""
