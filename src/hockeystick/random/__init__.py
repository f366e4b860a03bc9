"""Every draw: generators, words of random bits, coins, integers, noise and batches."""

from hockeystick.random.generators import generator as generator
