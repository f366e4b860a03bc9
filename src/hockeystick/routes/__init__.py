"""The routes from a composed loss or a Rényi curve to a bound, one file each."""
