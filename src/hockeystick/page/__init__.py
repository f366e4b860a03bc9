"""The page of `hockeystick serve`: a guarantee, and a budget, in the browser."""
