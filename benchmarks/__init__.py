"""How fast and how tight hockeystick is, beside its peers: ``python -m benchmarks``."""
