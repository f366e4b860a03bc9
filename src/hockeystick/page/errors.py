"""What goes wrong with a question, as the browser is told: a message, and the field it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hockeystick.errors import HockeystickError, RelationError

WRONG, BUSY, SLOW = 422, 503, 504
"""Of HTTP: what was asked is wrong, too much is asked at once, it takes too long."""


class Refused(Exception):
    """A question that is not answered.

    field: the path of what is wrong in the request, such as "runs.1.expression"; empty where it is
        no single one.
    """

    def __init__(self, status: int, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.field = status, message, field

    def to_json(self) -> dict[str, Any]:
        """The body of the answer; `field` is the last name of the path."""
        last = self.field.rpartition(".")[2]
        return {"error": {"message": self.message, "field": last or None, "path": self.field}}


@contextmanager
def about(field: str) -> Iterator[None]:
    """What the library refuses inside is about this field; or about the relation beside it.

    >>> with about("delta"):
    ...     raise HockeystickError("delta must be in [0, 1], got 2")
    Traceback (most recent call last):
    ...
    hockeystick.page.errors.Refused: delta must be in [0, 1], got 2
    """
    try:
        yield
    except RelationError as error:
        beside = field.removesuffix("expression") + "relation"
        raise Refused(WRONG, str(error), beside) from error
    except HockeystickError as error:
        raise Refused(WRONG, str(error), field) from error
