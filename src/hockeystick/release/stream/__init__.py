"""Noise of matrix mechanisms as a stream."""

from hockeystick.release.stream.stream import Stream as Stream
