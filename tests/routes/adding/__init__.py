"""Tests of `hockeystick.routes.game`."""
