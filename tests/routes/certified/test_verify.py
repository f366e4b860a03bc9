"""Certificates: forged in every field, read in threads, kept in pickles."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import flint
import pytest

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

SAMPLED = hs.Laplace(1.0).on(hs.Poisson(0.05)) * 100


def direction(said: dict[str, Any], which: int = 0) -> Any:
    return said["proofs"][0]["directions"][which]


def made(answer: hs.Bound) -> dict[str, Any]:
    return read(json.dumps(answer.certificate))


@pytest.fixture(scope="module")
def several() -> dict[str, dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answers, "EPSILON", (refused,) * 3)
        return _several()


def refused(*_: Any) -> Any:
    raise CannotCertify("no line")


def _several() -> dict[str, dict[str, Any]]:
    normal = hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 1000
    grid = hs.DiscreteGaussian(2.0).on(hs.Poisson(0.05)) * 3
    all_true = {
        "normal": made(normal.epsilon(1e-5, certify=True)),
        "divergence": made(normal.rdp(4.0, certify=True)),
        "answers": made((hs.RandomizedResponse(1.0) * 100).epsilon(1e-5, certify=True)),
        "grid": made(grid.epsilon(1e-3, certify=True)),
    }
    assert all(verify(each) for each in all_true.values())
    return all_true


def other_steps(said: dict[str, Any]) -> None:
    said["proofs"].append(copy.deepcopy(said["proofs"][0]))
    for each in said["proofs"][1]["directions"]:
        each["parts"][0]["count"] = 2000


NAN = float("nan")
ATTACKS = [
    ("normal", lambda said: direction(said).update(upper=NAN), "the upper end"),
    ("normal", lambda said: direction(said).update(upper=direction(said)["lower"]), "upper end"),
    ("normal", lambda said: direction(said).update(lower=direction(said)["upper"]), "lower end"),
    ("normal", lambda said: said["proofs"][0]["directions"].pop(), "both ways"),
    ("normal", lambda said: direction(said, 1).update(order=1e300), "a finer step"),
    ("normal", lambda said: direction(said)["line"].update(split=True), "atoms"),
    ("normal", lambda said: direction(said)["line"].update(beyond=NAN), "right of 0"),
    ("normal", lambda said: direction(said)["line"].update(cut=NAN), "a cut"),
    ("normal", lambda said: direction(said)["line"].update(points=900_000_000), "points"),
    ("normal", lambda said: direction(said)["line"]["rules"][0]["mass"].update(first=0), "ends"),
    ("normal", lambda said: direction(said)["line"]["rules"][0]["mass"].update(strip=9), "strip"),
    ("normal", lambda said: direction(said)["line"]["rules"][0].update(height=NAN), "real axis"),
    ("normal", lambda said: direction(said)["line"]["rules"][0].update(width=NAN), "no bounds"),
    ("normal", lambda said: direction(said)["parts"][0].update(count=1.9), "pairs of laws"),
    ("normal", lambda said: direction(said)["parts"][0].update(count=True), "pairs of laws"),
    ("normal", lambda said: direction(said)["parts"][0].update(rate="1e999999999"), "quotients"),
    ("normal", lambda said: direction(said)["parts"][0].update(turned="false"), "both ways"),
    ("normal", lambda said: said.update(delta=NAN), "the lower end"),
    ("normal", lambda said: said.update(asked="rdp", order=2.0), "a divergence"),
    ("normal", lambda said: said["proofs"].append({"directions": []}), "not whole"),
    ("normal", lambda said: said["proofs"].extend(said["proofs"] * 2), "one pair for each end"),
    ("normal", other_steps, "the upper end"),
    ("answers", lambda said: direction(said).update(upper=0.5), "the upper end"),
    ("answers", lambda said: direction(said)["parts"][0].update(count=10**15), "fewer terms"),
    ("grid", lambda said: direction(said)["grid"].update(width=NAN), "a spacing"),
    ("grid", lambda said: direction(said)["grid"].update(ranges=[[0, 10**6]]), "enough points"),
    ("grid", lambda said: direction(said)["grid"].update(ranges=[]), "not whole"),
    ("divergence", lambda said: direction(said).update(upper=0.01), "the upper end"),
    ("divergence", lambda said: said.update(order=NAN), "a divergence"),
    ("divergence", lambda said: direction(said)["rules"][0][0].update(norms=True), "lower end"),
]


@pytest.mark.parametrize(("which", "forge", "says"), ATTACKS)
def test_forged(several: dict[str, Any], which: str, forge: Any, says: str) -> None:
    forged = copy.deepcopy(several[which])
    forge(forged)
    with pytest.raises(CannotCertify, match=says):
        verify(forged)


def test_the_pair_of_the_lower_end_is_of_the_same_steps(several: dict[str, Any]) -> None:
    """Two true proofs of different mechanisms are no proof of one."""
    forged = copy.deepcopy(several["normal"])
    forged["proofs"].append(copy.deepcopy(several["answers"]["proofs"][0]))
    with pytest.raises(CannotCertify, match="as many steps"):
        verify(forged)


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    return read(json.dumps(SAMPLED.epsilon(1e-5, certify=True).certificate))


def first_rule(said: dict[str, Any]) -> Any:
    return said["proofs"][0]["directions"][0]["line"]["rules"][0]["paths"][0]


def first_part(said: dict[str, Any]) -> Any:
    return said["proofs"][0]["directions"][0]["parts"][0]


FORGED = [
    (lambda said: first_rule(said)["panels"][0].__setitem__(0, 7), "an even number of points"),
    (lambda said: first_rule(said).update(panels=[]), "panels of a range"),
    (lambda said: first_rule(said).update(points=1), "an even number of points"),
    (lambda said: first_rule(said).update(depth=10**9), "a path above the real axis"),
    (lambda said: first_rule(said).pop("depth"), "not whole"),
    (lambda said: first_part(said).update(rate="3/2"), "pairs of laws"),
    (lambda said: first_part(said).update(count=-100), "pairs of laws"),
    (lambda said: first_part(said).update(numbers=[]), "not whole"),
    (lambda said: said.update(bits=10**9), "bits"),
    (lambda said: said.update(proofs=[]), "one pair for each end"),
    (lambda said: said["proofs"][0]["directions"][0]["line"].update(points=10**12), "points"),
    (lambda said: said["proofs"][0]["directions"][0]["line"].update(order="1"), "not whole"),
]


@pytest.mark.parametrize(("forge", "says"), FORGED)
def test_a_rule_that_is_none_is_refused(said: dict[str, Any], forge: Any, says: str) -> None:
    """Of a rule with a node too few, or of no panels, the error would be proven wrongly."""
    forged = copy.deepcopy(said)
    forge(forged)
    with pytest.raises(CannotCertify, match=says):
        verify(forged)


def test_q_against_a_mixture_is_bounded_also_where_a_table_ends() -> None:
    """The largest loss of (Q, (1−q)Q + qP) is −log(1−q), for integer Gaussian noise too."""
    with of_bits(128):
        law = law_of(Exact("integer gaussian", (Fraction(2), Fraction(1)), Fraction(1, 10), True))
        assert law.top is not None
        assert abs(float(law.top) - 0.10536051565782628) < 1e-16
        assert law_of(Exact("integer gaussian", (Fraction(2), Fraction(1)))).top is None


@pytest.mark.slow
def test_threads_do_not_change_each_others_precision() -> None:
    runs = [hs.Gaussian(1.0 + i / 10).on(hs.Poisson(0.01)) * 500 for i in range(6)]
    alone = [run.epsilon(1e-6, certify=True) for run in runs]
    before = flint.ctx.prec
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda run: run.epsilon(1e-6, certify=True), runs))
    assert [(x.lower, x.upper) for x in together] == [(x.lower, x.upper) for x in alone]
    assert flint.ctx.prec == before


def test_a_pickle_holds_the_certificate() -> None:
    bound = hs.Gaussian(2.0).epsilon(1e-5, certify=True)
    again = pickle.loads(pickle.dumps(bound))
    assert again.certified
    assert again.certificate == bound.certificate
    assert verify(again.certificate) == (bound.lower, bound.upper)
    assert copy.deepcopy(bound).certificate == bound.certificate
