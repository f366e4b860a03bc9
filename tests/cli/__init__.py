"""The commands, each in a process of its own, as people run them."""
