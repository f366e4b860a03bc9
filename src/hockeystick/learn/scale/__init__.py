"""Data larger than memory: it stays where it is, and sums of clipped gradients come back.

A `Source` holds records in parts. In each step every part draws its own records (`keyed`), clips
their gradients, and returns a sum that is exact (`grain`); the driver adds the sums and adds the
noise, once. Nothing depends on how the records are cut into parts, or on how often one is asked.
"""
