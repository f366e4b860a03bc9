"""Sums of losses: taken apart by compositions, and refused where a law is needed."""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.several import SeveralLosses, several, taken_apart
from hockeystick.loss.sum import ComposedLoss

ONE, OTHER = mixed(GaussianLoss(1.0), 0.1), GaussianLoss(0.5)


def test_a_composition_sees_the_parts() -> None:
    total = several([(ONE, 2), (OTHER, 1), (ONE, 1)])
    assert isinstance(total, SeveralLosses)
    whole = ComposedLoss([(total, 5), (OTHER, 1)])
    assert whole.parts == ((ONE, 15), (OTHER, 6))
    assert whole.reverse().parts == ((ONE.reverse(), 15), (OTHER, 6))
    assert ComposedLoss([(ONE, 3)]).parts == ((ONE, 3),)


def test_cumulants_and_means_add_up() -> None:
    total = several([(ONE, 2), (OTHER, 1)])
    s = np.array([0.5, 2.0])
    np.testing.assert_allclose(total.cgf(s), 2 * ONE.cgf(s) + OTHER.cgf(s), rtol=1e-15)
    assert total.mean() == pytest.approx(2 * ONE.mean() + 0.125, rel=1e-14)
    assert total.top == np.inf
    assert not total.symmetric
    assert several([(OTHER, 2)]).symmetric
    total.check_mass()


def test_the_ends() -> None:
    assert several([(ONE, 1), (NOTHING, 5)]) is ONE
    assert several([]) is NOTHING
    assert several([(ONE, 1), (EVERYTHING, 1)]) is EVERYTHING
    assert taken_apart([(OTHER, 2)]) == ((OTHER, 2),)


def test_one_more_sample_is_refused() -> None:
    run = hs.Correlated(hs.matrix.toeplitz(6, (1.0, 0.5)), 2.0, hs.CyclicPoisson(0.3, 2))
    with pytest.raises(hs.ParameterError, match="one more sample"):
        run.on(hs.Poisson(0.5)).epsilon(1e-5)
    total = several([(ONE, 2), (OTHER, 1)])
    for ask in (total.profile, total.tails):
        with pytest.raises(hs.ParameterError, match="one more sample"):
            ask(np.zeros(1))
