"""`/api/epsilon`: ε of a run at δ, with both ends and the method."""

from __future__ import annotations

from hockeystick.cli.shared.answer import line
from hockeystick.page.errors import about
from hockeystick.page.resource import Json, Resource, ends, read_delta, read_run
from hockeystick.page.schema import ASKED_NUMBER, ENDS, FLAG, INTEGER, RUN, TEXT, record


def epsilon(asked: Json) -> Json:
    """What `hockeystick epsilon` prints, as fields.

    >>> epsilon({"run": {"expression": "Laplace(2)"}, "delta": 0})["shown"]
    '0.5'
    """
    run, delta = read_run(asked["run"]), read_delta(asked)
    with about(run.path):
        bound = run.mechanism.epsilon(delta, relation=run.relation)
    return {
        **ends(bound),
        "certified": bound.certified,
        "printed": line("epsilon", bound, {"delta": delta}),
        "expression": repr(run.mechanism),
        "steps": sum(run.mechanism.parts.values()),
    }


RESOURCE = Resource(
    "epsilon",
    "The smallest epsilon at a delta, with both ends and the method.",
    epsilon,
    record(**ENDS, certified=FLAG, printed=TEXT, expression=TEXT, steps=INTEGER),
    record(run=RUN, delta=ASKED_NUMBER),
)
