"""The options that the commands share."""

from __future__ import annotations

from hockeystick.cli.shared import options
from hockeystick.relation import Relation
from hockeystick.routes import auto


def test_the_methods_are_the_routes() -> None:
    """Listed once more, so that --help need not load them."""
    assert [name.replace("-", " ") for name in options.METHODS] == list(auto.METHODS)


def test_every_relation_has_its_name() -> None:
    assert [options.relation_named(name) for name in options.RELATIONS] == list(Relation)
