"""The routes from a loss to an answer."""
