"""Whether scikit-learn is training this model as one of several on the same records."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from weakref import WeakKeyDictionary

MANY = {
    "calibration", "ensemble", "feature_selection", "impute", "model_selection", "multiclass",
    "multioutput", "semi_supervised",
}  # fmt: skip
"""The modules of scikit-learn that train several models on the same records."""

COSTS = (
    "every model that a search, a cross-validation, an ensemble or an imputation trains costs its "
    "whole epsilon, and the scores on private records are not covered by any: see "
    "hockeystick.learn.tuning_cost"
)
SEEDS = (
    "; and random_state is an integer, which ensembles set where it was None: the model is an "
    "experiment and protects nobody"
)
ONE_OF_SEVERAL = (
    "One of several models that {} trained on the same records. Each of them costs its own "
    "epsilon, and a choice by scores on private records costs more: none of that is covered here; "
    "see hockeystick.learn.tuning_cost."
)

_warned: WeakKeyDictionary[object, int] = WeakKeyDictionary()
"""Who trained several models and was warned of it, and the call in which that was."""


class TuningWarning(UserWarning):
    """Several models are trained on the same data, and each of them costs privacy."""


def one_of_several(seed: int | None) -> tuple[str, ...]:
    """A note for the statement if this model is one of several, and one warning for all of them."""
    call = _outermost(sys._getframe(1))
    if call is None:
        return ()
    owner = call.f_locals.get("self", call.f_locals.get("estimator"))
    if owner is None or _warned.get(owner) != id(call):
        if owner is not None:
            _warned[owner] = id(call)
        text = COSTS if seed is None else COSTS + SEEDS
        warnings.warn(text, TuningWarning, stacklevel=3)
    name = type(owner).__name__ if "self" in call.f_locals else call.f_code.co_name
    return (ONE_OF_SEVERAL.format(name),)


def _outermost(frame: FrameType | None) -> FrameType | None:
    """The first call, of those under way, of a module that trains several models."""
    found = None
    while frame is not None:
        package, _, module = frame.f_globals.get("__name__", "").partition(".")
        if package == "sklearn" and module.partition(".")[0] in MANY:
            found = frame
        frame = frame.f_back
    return found
