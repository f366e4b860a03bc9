"""`/api/attacker`: what an attacker can come to believe, in plain words."""

from __future__ import annotations

from hockeystick.numerics.digits import at_most
from hockeystick.page.errors import about
from hockeystick.page.resource import Json, Resource, number, read_delta, read_run
from hockeystick.page.schema import ASKED_NUMBER, NUMBER, RUN, TEXT, listed, record
from hockeystick.report.explanation import CLAIMS, Explanation

PRIORS = (0.01, 0.1, 0.5)
HEADS = ("An attacker's best test", "What an attacker can come to believe")
"""The paragraphs of `explain` that are about attackers."""


def attacker(asked: Json) -> Json:
    """How sure someone can become that a record is in the data, who thought it so likely before.

    >>> answer = attacker({"run": {"expression": "PureDP(1)"}, "delta": 0})
    >>> [round(row["posterior"], 4) for row in answer["rows"]]  # e·p/(e·p + 1 − p)
    [0.0267, 0.232, 0.7311]
    """
    run, delta = read_run(asked["run"]), read_delta(asked)
    with about(run.path):
        explained = Explanation.of(run.mechanism, delta, run.relation, "auto")
        paragraphs = explained.paragraphs()
    factor, chance = explained.odds
    return {
        "rows": [_row(explained, prior) for prior in PRIORS],
        "sentences": [sentence for head in HEADS for sentence in paragraphs[head]],
        "odds": number(factor),
        "chance_of_more": chance,
        "relation": str(explained.relation),
    }


def _row(explained: Explanation, prior: float) -> Json:
    claim, _ = CLAIMS[explained.relation]
    posterior, chance = explained.posterior(prior), explained.odds[1]
    unless = f", except with probability {chance:g}" if chance else ""
    return {
        "prior": prior,
        "posterior": posterior,
        "sentence": f"Who thought it {_percent(prior)} likely that {claim} is at most "
        f"{_percent(posterior)} sure afterwards{unless}.",
    }


def _percent(share: float) -> str:
    return f"{at_most(100 * share, 4)} %"


RESOURCE = Resource(
    "attacker",
    "What an attacker can come to believe who thought it 1 %, 10 % or 50 % likely.",
    attacker,
    record(
        rows=listed(record(prior={"type": "number"}, posterior={"type": "number"}, sentence=TEXT)),
        sentences=listed(TEXT),
        odds=NUMBER,
        chance_of_more={"type": "number"},
        relation=TEXT,
    ),
    record(run=RUN, delta=ASKED_NUMBER),
)
