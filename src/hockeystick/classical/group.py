"""Group privacy: the profile when up to k records change."""

from __future__ import annotations

import math
from typing import Any

from hockeystick.checks import non_negative, probability, whole
from hockeystick.classical.amplification import Profile
from hockeystick.classical.profiles import gaussian_profile, laplace_profile


def group_profile(profile: Profile, epsilon: float, size: int) -> float:
    """δ_k(ε) <= (e^ε − 1)·δ(ε/k)/(e^{ε/k} − 1), k·δ(0) at ε = 0, at most 1: the black-box bound.

    Balle, Barthe and Gaboardi (2018), Section 3, after Vadhan (2017), Lemma 2.2.

    profile: ε to δ(ε) for one record. epsilon: in [0, inf]. size: k, an integer >= 1.

    >>> round(group_profile(lambda epsilon: 1e-6, 2.0, 2), 12)
    3.718282e-06
    """
    e, k = non_negative("epsilon", epsilon), whole("size", size, 1)
    one = probability("profile", profile(e / k))
    if one == 0 or k == 1:
        return one
    if math.isinf(e):
        return 1.0
    ratio = k if e == 0 else math.expm1(-e) / math.expm1(-e / k)
    log_bound = math.log(one) + e - e / k + math.log(ratio)
    return math.exp(min(log_bound, 0.0))


def laplace_group_profile(epsilon: Any, shift: float, size: int) -> Any:
    """δ_k(ε) = [1 − e^{(ε − kθ)/2}]_+ of Laplace noise: k records move the query k times as far.

    Balle, Barthe and Gaboardi (2018), Section 3. size: k, an integer >= 1.

    >>> laplace_group_profile(0.5, 0.5, 2) == laplace_profile(0.5, 1.0)
    True
    """
    return laplace_profile(epsilon, whole("size", size, 1) * non_negative("shift", shift))


def gaussian_group_profile(epsilon: Any, shift: float, size: int) -> Any:
    """δ_k(ε) of Gaussian noise, that of shift k·θ: k records move the query k times as far.

    Balle, Barthe and Gaboardi (2018), Section 3. size: k, an integer >= 1.

    >>> gaussian_group_profile(0.5, 0.5, 2) == gaussian_profile(0.5, 1.0)
    True
    """
    return gaussian_profile(epsilon, whole("size", size, 1) * non_negative("shift", shift))
