"""Running mechanisms: where noise comes from, what it is added to, and what it protects.

`Gaussian(...).release(value)` and its kin are the way in; this package is what they are made of.
"""
