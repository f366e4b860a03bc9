"""From the law of a loss, or a Rényi curve, to both ends of an answer."""

NAMES = ("closed form", "contour", "lattice", "renyi", "game")
"""Of the routes, in the order in which they are tried; `auto` has the routes themselves. The game
takes more than the law of a loss, and comes last."""
