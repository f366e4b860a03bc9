"""`/api/calibrate`: the one number left open that just meets a budget."""

from __future__ import annotations

from hockeystick.calibration import AlwaysMet, NeverMet
from hockeystick.page.errors import WRONG, Refused, about
from hockeystick.page.resource import Json, Resource, ends, read_delta, read_epsilon
from hockeystick.page.schema import ASKED_NUMBER, ENDS, EXPRESSION, RELATION, TEXT, record
from hockeystick.relation import Relation
from hockeystick.templates import solved


def calibrate(asked: Json) -> Json:
    """The value of ? and what it makes of the expression; the answer is on the private side.

    >>> answer = calibrate({"expression": "Laplace(2) * ?", "epsilon": 3, "delta": 0})
    >>> answer["value"], answer["expression"]
    (6, 'Laplace(2.0) * 6')
    """
    epsilon, delta, name = read_epsilon(asked), read_delta(asked), asked.get("relation")
    relation = None if name is None else Relation.read(name, "a name")
    with about("expression"):
        try:
            value, mechanism = solved(
                asked["expression"], epsilon=epsilon, delta=delta, relation=relation
            )
        except (AlwaysMet, NeverMet) as error:
            raise Refused(WRONG, str(error), "epsilon") from error
        bound = mechanism.epsilon(delta, relation=relation)
    return {"value": value, "expression": repr(mechanism), **ends(bound)}


RESOURCE = Resource(
    "calibrate",
    "The value of ? in an expression that just meets (epsilon, delta).",
    calibrate,
    record(value={"type": "number"}, expression=TEXT, **ENDS),
    record(
        ("relation",),
        expression=EXPRESSION | {"description": "A computation with ? in place of one number."},
        relation=RELATION,
        epsilon=ASKED_NUMBER,
        delta=ASKED_NUMBER,
    ),
)
