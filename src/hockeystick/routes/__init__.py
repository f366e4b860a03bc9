"""From the law of a loss, or a Rényi curve, to both ends of an answer."""

NAMES = ("closed form", "contour", "lattice", "renyi")
"""Of the routes, in the order in which they are tried; `auto` has the routes themselves."""
