"""`/api/samplers`: what docs/which-sampler.md says, and honest notes where it is not the same."""

from __future__ import annotations

from typing import Any

import pytest

import hockeystick as hs
from hockeystick.page.resources.samplers import samplers

EPOCH = "Gaussian(0.8).on(Poisson(0.001)) * 1000"
"""Of docs/which-sampler.md, as its numbers below."""


def rows(expression: str, relation: str | None = None, **more: Any) -> dict[str, Any]:
    run = {"expression": expression, "relation": relation}
    found = samplers({"run": run, "delta": 1e-5} | more)["rows"]
    return {row["sampler"]: row for row in found}


@pytest.mark.slow
def test_one_epoch_as_the_documentation_has_it() -> None:
    found = rows(EPOCH)
    shown = {name: row["shown"] for name, row in found.items()}
    assert shown["Poisson"] == "0.3035539394778"
    assert shown["Shuffled"] == "5.679586855098"
    assert shown["RandomAllocation"] == "0.2836063925263"
    assert [row["yours"] for row in found.values()] == [True, False, False, False]
    for row in (found["Poisson"], found["Shuffled"]):
        run = hs.parse(row["expression"])
        bound = run.epsilon(1e-5, relation=hs.ZERO_OUT)
        assert (row["epsilon"], row["lower"], row["relation"]) == (
            bound.upper,
            bound.lower,
            "zero-out",
        )
    assert "what most training loops do" in found["Shuffled"]["note"]
    assert "1000 steps are 1 epoch of 1000." in found["RandomAllocation"]["note"]


def test_shuffled_batches_have_no_answer_when_a_record_is_added() -> None:
    found = rows(EPOCH, "add-remove", sampler="Shuffled")["Shuffled"]
    assert found["relation"] == "zero-out"
    assert "Under add-remove there is no guarantee at all" in found["note"]
    assert found["epsilon"] == hs.Gaussian(0.8).epsilon(1e-5, relation=hs.ZERO_OUT).upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "sampler", "same"),
    [
        ("Gaussian(2).on(WithoutReplacement(256, 60000)) * 10", "WithoutReplacement", None),
        ("Gaussian(2).on(Poisson(0.0123456789)) * 10", "Poisson", None),
        (
            "Gaussian(2).on(RandomAllocation(50)) * 2",
            "Poisson",
            "Gaussian(2.0).on(Poisson(0.02)) * 100",
        ),
        (
            "Gaussian(2).on(WithReplacement(5, 100)) * 7",
            "RandomAllocation",
            "Gaussian(2.0).on(RandomAllocation(20))",
        ),
        (
            "Gaussian(2).on(TruncatedPoisson(0.25, 40, 100)) * 8",
            "Shuffled",
            "Gaussian(2.0).on(Shuffled(1)) * 2",
        ),
    ],
)
def test_the_same_run_in_other_words(expression: str, sampler: str, same: str | None) -> None:
    row = rows(expression, "add-remove", sampler=sampler)[sampler]
    assert row["expression"] == (same or repr(hs.parse(expression)))
    assert row["yours"] == (same is None)


def test_epochs_that_are_not_whole_are_counted_up() -> None:
    row = rows("Gaussian(2).on(Poisson(0.3)) * 10", sampler="Shuffled")["Shuffled"]
    assert row["expression"] == "Gaussian(2.0).on(Shuffled(3)) * 4"
    assert "10 steps are 4 epochs of 3, the last one counted whole" in row["note"]


def test_what_a_sampler_cannot_do_is_a_note() -> None:
    curve = "RenyiDP.table(2, 0.1, 8, 0.5).on(Poisson(0.01)) * 100"
    row = rows(curve, "add-remove", sampler="RandomAllocation")["RandomAllocation"]
    assert row["epsilon"] is None
    assert "known by its Rényi curve alone" in row["note"]
