"""Objective: what is minimised, and the sum of its clipped gradients over some records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from hockeystick.checks import Whole, checked, declared
from hockeystick.learn.clipping import check_shape, clipped, lengths, silent
from hockeystick.learn.records import Records
from hockeystick.numerics.types import Array
from hockeystick.sensitivity import Norm


class Objective(ABC):
    """A mean of losses f(θ; x, y), one for each record, with θ a matrix."""

    @abstractmethod
    def shape(self, features: int) -> tuple[int, int]:
        """The shape of θ for so many features."""

    @abstractmethod
    def losses(self, parameters: Array, records: Records) -> Array:
        """The loss of each record."""

    @abstractmethod
    def gradients(self, parameters: Array, records: Records) -> Array:
        """The gradient of each record's loss: an array (records, *θ.shape)."""

    @property
    def name(self) -> str:
        """What a checkpoint knows the objective by."""
        return type(self).__qualname__

    def check(self, records: Records) -> None:
        """Raise an error for targets that have no loss, without showing them."""
        return

    def clipped_sum(self, parameters: Array, records: Records, clip: float, norm: Norm) -> Array:
        """Σ_i g_i · min(1, clip / ‖g_i‖), the norm over all entries of θ's gradient.

        A record that is added, removed or zeroed out moves it by at most `clip`, in that norm; one
        that is replaced, by twice as much.

        Parameters
        ----------
        clip: in (0, inf). norm: "L1" or "L2".
        """
        rows = Objective.clipped_rows(self, parameters, records, clip, norm)
        with silent():
            return np.asarray(rows.sum(axis=0)).reshape(parameters.shape)

    def clipped_rows(self, parameters: Array, records: Records, clip: float, norm: Norm) -> Array:
        """The clipped gradients themselves, a row of all entries of θ for each that is protected:

        a record, or all records of a person, whose gradients are added up first.
        """
        gradients = self.gradients(parameters, records)
        check_shape("gradients", gradients, (len(records.targets), *parameters.shape))
        with silent():
            rows = records.summed(records.weighted(gradients.reshape(-1, parameters.size)))
            return clipped(rows, lengths(rows, norm), clip)


@declared
class Custom(Objective):
    """Any objective, by functions that give each record's loss and gradient.

    The matrix of gradients is formed, (records × parameters). A large batch comes in parts, and
    the functions are called for each of them.

    Parameters
    ----------
    parameters: how many there are; θ is a column of so many.
    loss: (θ, X, y) to a loss for each row of X. gradient: to a matrix (rows of X × parameters), of
        which each row must depend on its own record only.

    >>> median = Custom(1, lambda t, x, y: abs(y - t[0]), lambda t, x, y: np.sign(t - y[:, None]))
    >>> records = Records(np.zeros((3, 1)), np.array([1.0, 2.0, 9.0]))
    >>> median.clipped_sum(np.zeros((1, 1)), records, clip=1.0, norm="L1").tolist()
    [[-2.99999713...]]
    """

    parameters: int = checked(Whole(1))
    loss: Callable[[Array, Array, Array], Array]
    gradient: Callable[[Array, Array, Array], Array]

    @property
    def name(self) -> str:
        given = (self.loss, self.gradient)
        names = ", ".join(getattr(f, "__qualname__", type(f).__name__) for f in given)
        return f"Custom({self.parameters}, {names})"

    def shape(self, features: int) -> tuple[int, int]:
        return self.parameters, 1

    def losses(self, parameters: Array, records: Records) -> Array:
        return self.loss(parameters[:, 0], records.features, records.targets)

    def gradients(self, parameters: Array, records: Records) -> Array:
        rows = self.gradient(parameters[:, 0], records.features, records.targets)
        rows = np.asarray(rows, dtype=float)
        check_shape("gradient", rows, (len(records.targets), self.parameters))
        return rows[:, :, None]
