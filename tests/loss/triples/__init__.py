"""Tests of `hockeystick.loss.triples`."""
