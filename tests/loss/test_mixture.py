"""The density of a mixture of Gaussians over that of one."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.mixture import MixtureLoss


@pytest.mark.parametrize("x", [-30.0, -3.0, 0.0, 1e-9, 2.0, 40.0])
@pytest.mark.parametrize("least", [1e-300, 1e-30, 1e-9, 0.3])
def test_mixtures_that_hardly_hold_the_middle(x: float, least: float) -> None:
    """1 + Σ w·(e^… − 1) is a small rest of 1 where w of mean 0 is small."""
    mixture = GaussianMixture((least, 1 - least), (0.0, 5.0))
    with mp.workdps(340):
        truth = mp.log(mp.mpf(least) + mp.mpf(1 - least) * mp.exp(5 * mp.mpf(x) - mp.mpf(12.5)))
        scale = max(1, abs(5 * x), -float(mp.log(least)) if x < 0 else 1)
        for shape in ((1,), (3, 2)):
            found = mixture.log_ratio(np.full(shape, x))
            assert found.shape == shape
            assert found.ravel()[0] == pytest.approx(float(truth), rel=1e-12, abs=1e-15 * scale)


def copies(shift: float, rate: float, most: int) -> GaussianMixture:
    """Means 0, 1, 2, … shifts, with weights that fall by the rate: most weigh next to nothing."""
    weights = rate ** np.arange(most + 1.0)
    return GaussianMixture.of(weights / weights.sum(), shift * np.arange(most + 1.0))


def naive_log_density(mixture: GaussianMixture, x: np.ndarray) -> np.ndarray:
    parts = zip(mixture.weights, mixture.means, strict=True)
    logs = [np.log(np.longdouble(w)) - (x - mean) ** 2 / 2 for w, mean in parts]
    return np.asarray(np.logaddexp.reduce(logs) - np.log(2 * np.longdouble(np.pi)) / 2)


def mass_beyond(mixture: GaussianMixture, x: mp.mpf) -> mp.mpf:
    return mp.fsum(
        w * mp.ncdf(mean - x) for w, mean in zip(mixture.weights, mixture.means, strict=True)
    )


MIXTURES = [
    MixtureLoss(copies(2.0, 0.01, 9), copies(2.0, 0.01, 9).flipped, mirrored=True),
    MixtureLoss(copies(2.0, 0.01, 9), GaussianMixture((1.0,), (0.0,))),
    MixtureLoss(copies(0.3, 0.2, 20), copies(0.3, 0.2, 20).flipped, mirrored=True),
    MixtureLoss(copies(12.0, 1e-3, 5), GaussianMixture((1.0,), (0.0,))),
]
FAR_APART = MixtureLoss(copies(40.0, 1e-30, 2), GaussianMixture((1.0,), (0.0,)))


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (GaussianMixture((0.5, 0.5), (-1.0, 1.0)), GaussianMixture((1.0,), (0.0,))),
        (GaussianMixture((1.0,), (0.0,)), GaussianMixture((0.9, 0.1), (-1.0, 2.0))),
        (GaussianMixture((1.0,), (0.0,)), GaussianMixture((1.0,), (1.0,))),
        (GaussianMixture((0.8, 0.2), (0.0, 3.0)), GaussianMixture((0.5, 0.5), (0.0, 1.0))),
    ],
)
def test_a_ratio_that_need_not_increase_is_refused(p: GaussianMixture, q: GaussianMixture) -> None:
    """Once answered as if it did, the other direction with ε = 0 where up to 3.1 is right."""
    with pytest.raises(ParameterError, match="means of p must be at least those of q"):
        MixtureLoss(p, q)


def test_a_pair_that_is_not_its_mirror_image_is_refused() -> None:
    p = GaussianMixture((0.8, 0.2), (0.0, 1.0))
    assert MixtureLoss(p, p.flipped, mirrored=True).symmetric
    with pytest.raises(ParameterError, match="q must be p mirrored"):
        MixtureLoss(p, GaussianMixture((0.7, 0.3), (0.0, -1.0)), mirrored=True)


@pytest.mark.slow
@pytest.mark.parametrize("loss", MIXTURES)
def test_panels_of_uneven_width_sum_the_cumulants(loss: MixtureLoss) -> None:
    """Also where means that weigh 1e-18 are the ones that e^{sL} is made of."""
    x = np.arange(-8_000, 44_000, dtype=np.longdouble) / 200
    log_p, log_q = naive_log_density(loss.p, x), naive_log_density(loss.q, x)
    narrow = max(loss.p.means) < 20  # else there are too many nodes, which is refused
    for s in [0.3, 2.0, *([0.5 + 10j, 0.2 + 40j] if narrow else [])]:
        exponent = log_p + s * (log_p - log_q)
        peak = exponent.real.max()
        truth = np.exp(exponent - peak).sum() / 200
        found = np.exp(loss.cgf(np.array([s]))[0] - float(peak))
        assert abs(found - complex(truth)) < 2e-14 * (1 + abs(peak)), s
    assert loss.nodes(0.0, 0.3, 0.0).losses.size < 7000


@pytest.mark.slow
@pytest.mark.parametrize("loss", [*MIXTURES, FAR_APART])
def test_a_profile_by_masses_or_by_an_integral(loss: MixtureLoss) -> None:
    """From the bulk, where masses cancel, to far out, where they do not, or no float holds them."""
    epsilons = np.array([0.0, 1e-3, 0.05, 1.0, 4.0, 12.0, 30.0, 690.0, 720.0, 850.0])
    found = loss.profile(epsilons)
    for epsilon, value in zip(epsilons.tolist(), found.tolist(), strict=True):
        start = float(loss._place(np.array([epsilon]))[0])  # δ is least sensitive to where it is
        with mp.workdps(500):
            truth = mass_beyond(loss.p, mp.mpf(start))
            truth -= mp.exp(epsilon) * mass_beyond(loss.q, mp.mpf(start))
        # the last digits of exponents, up to ε and mean²/2, count as much
        digits = 3e-14 + 3e-16 * (epsilon + max(loss.p.means) ** 2 / 8)
        assert value == pytest.approx(float(truth), rel=digits, abs=1e-300), epsilon


def test_means_that_matter_in_one_block_alone() -> None:
    """A thousand places and one at a time: the same masses, slopes and ratios."""
    mixture = copies(2.0, 1e-4, 30)
    x = np.linspace(-40.0, 90.0, 20_001)
    for method in (mixture.beyond, mixture.log_ratio_and_slope):
        one, other = method(x)
        some = slice(0, None, 1000)
        single = [method(x[i : i + 1]) for i in range(0, x.size, 1000)]
        np.testing.assert_allclose(one[some], [pair[0][0] for pair in single], rtol=1e-14)
        np.testing.assert_allclose(other[some], [pair[1][0] for pair in single], rtol=1e-14)


@pytest.mark.parametrize("order", [100, 300])
def test_large_orders_of_means_far_apart(order: int) -> None:
    """Where panels are many, the trapezoid rule is short: E_P[e^{(α−1)L}] by mpmath."""
    terms = [("0.9", "0"), ("0.05", "0.2"), ("0.05", "4")]
    largest = 8 * order * (order - 1)  # of the exponent, but for the weight: at x = 4·order
    with mp.workdps(40):

        def tilted(x: mp.mpf) -> mp.mpf:
            ratio = sum(mp.mpf(w) * mp.exp(mp.mpf(m) * x - mp.mpf(m) ** 2 / 2) for w, m in terms)
            return mp.exp(order * mp.log(ratio) - largest) * mp.npdf(x)

        total = mp.quad(tilted, [4 * order + k for k in range(-16, 17, 2)])
        truth = float((mp.log(total) + largest) / (order - 1))
    found = hs.MixtureOfGaussians.table(0.5, 0.0, 0.9, 0.1, 0.05, 2.0, 0.05).rdp(order)
    assert found == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("mean", [20.0, 39.0, 40.0, 41.0, 60.0])
@pytest.mark.parametrize("weight", [0.01, 0.5])
def test_profiles_far_out_keep_their_digits(mean: float, weight: float) -> None:
    """Where e^{−mean²/2} is hardly a float, or none: rounded logarithms would cost 1e-13."""
    loss = MixtureLoss(
        GaussianMixture((1 - weight, weight), (0.0, mean)), GaussianMixture((1.0,), (0.0,))
    )
    for epsilon in mean * mean / 2 + np.array([-100.0, -30.0, 0.0, 3.3, 60.7]):
        with mp.workdps(60):
            e, w, m = mp.mpf(float(epsilon)), mp.mpf(weight), mp.mpf(mean)
            x = (mp.log((mp.exp(e) - 1 + w) / w) + m * m / 2) / m
            p_above = mp.mpf(1 - weight) * mp.ncdf(-x) + w * mp.ncdf(m - x)
            truth = float(p_above - mp.exp(e) * mp.ncdf(-x))
        assert loss.profile(np.array([epsilon]))[0] == pytest.approx(truth, rel=1.2e-14, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [600.0, 900.0, 1000.0])
def test_means_far_apart_keep_their_digits(epsilon: float) -> None:
    """e^{log q + ε} was off by 6e-14 there; and the density of such a loss is no float, so that a
    contour by FFT found next to nothing and took it for the answer."""
    noise, rate = 0.022258624039689395, 0.3
    run = hs.Gaussian(noise).on(hs.Poisson(rate))
    with mp.workdps(40):
        mu, q, e = 1 / mp.mpf(noise), mp.mpf(rate), mp.mpf(epsilon)

        def p_less(z: mp.mpf) -> mp.mpf:
            p = (1 - q) * mp.npdf(z) + q * mp.npdf(z - mu)
            return p - mp.exp(e) * ((1 - q) * mp.npdf(z) + q * mp.npdf(z + mu))

        start = mp.findroot(p_less, (e / mu + mu / 2, e / mu + mu / 2 + 0.1), solver="anderson")
        stops = [x for x in (mu - 6, mu - 3, mu, mu + 3, mu + 6) if x > start]
        truth = mp.quad(p_less, [start, *stops, mu + 16])
    said = run.delta(epsilon, relation=hs.REPLACE_ONE)
    assert said.lower <= truth <= said.upper
    assert said.upper - said.lower < 1e-12
    with pytest.raises(NumericalError):
        run.delta(epsilon, relation=hs.REPLACE_ONE, method="contour")
