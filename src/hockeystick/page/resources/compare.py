"""`/api/compare`: every bound on ε that applies, each with its source."""

from __future__ import annotations

from hockeystick.comparison import compare as compared
from hockeystick.numerics.digits import at_least, at_most
from hockeystick.page.errors import about
from hockeystick.page.resource import Json, Resource, number, read_delta, read_run
from hockeystick.page.schema import ASKED_NUMBER, FLAG, NUMBER, RUN, TEXT, listed, or_null, record

DIGITS = 8
"""As the command prints."""


def compare(asked: Json) -> Json:
    """The rows of `hockeystick compare`; a row is valid where its ε is a guarantee.

    >>> answer = compare({"run": {"expression": "Gaussian(20) * 3"}, "delta": 1e-5})
    >>> [(row["name"], row["valid"]) for row in answer["rows"]][-2:]
    [('exact', True), ('lower bound', False)]
    """
    run, delta = read_run(asked["run"]), read_delta(asked)
    with about(run.path):
        rows = compared(run.mechanism, delta, relation=run.relation)
    lowest = rows[-1].epsilon
    return {
        "relation": str(rows.relation),
        "rows": [
            {
                "name": row.name,
                "epsilon": number(row.epsilon),
                "shown": (at_most if row.kind == "upper" else at_least)(row.epsilon, DIGITS),
                "lower": number(lowest) if row.name == "exact" else None,
                "valid": row.kind == "upper",
                "note": row.source,
            }
            for row in rows
        ],
    }


RESOURCE = Resource(
    "compare",
    "Every bound on epsilon that applies, each with its source.",
    compare,
    record(
        relation=TEXT,
        rows=listed(
            record(
                name=TEXT, epsilon=NUMBER, shown=TEXT, lower=or_null(NUMBER), valid=FLAG, note=TEXT
            )
        ),
    ),
    record(run=RUN, delta=ASKED_NUMBER),
)
