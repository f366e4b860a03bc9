"""Model: a trained linear model with its schema and its privacy, as a JSON file without code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.schema import Schema
from hockeystick.learn.table import Table
from hockeystick.numerics.types import Array
from hockeystick.saving import read_object, write_whole

FORMAT = "hockeystick model"
VERSION = 1


@dataclass(frozen=True)
class Model:
    """What `hockeystick train` saves.

    coefficients: a row of numbers for each output. classes: the labels, None for regression.
    """

    target: str
    schema: Schema
    coefficients: Array
    intercepts: Array
    classes: tuple[str, ...] | None
    privacy: dict[str, Any]

    def predict(self, table: Table) -> Array:
        """The label or the expected target of every record of a table."""
        scores = table.features(self.schema, self.target) @ self.coefficients.T + self.intercepts
        if self.classes is None:
            return np.asarray(scores[:, 0])
        best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return np.asarray(np.array(self.classes)[best.astype(int)])

    def save(self, path: Path) -> None:
        """Write the model, whole or not at all."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "target": self.target,
            "schema": self.schema.to_dict(),
            "coefficients": self.coefficients.tolist(),
            "intercepts": self.intercepts.tolist(),
            "classes": None if self.classes is None else list(self.classes),
            "privacy": self.privacy,
        }
        write_whole(path, json.dumps(content, indent=1, ensure_ascii=False))

    @classmethod
    def load(cls, path: Path) -> Model:
        """The model that `save` wrote."""
        content = read_object(path, FORMAT, VERSION)
        try:
            return cls._of(content)
        except RecursionError:
            raise ParameterError(f"the model {path} is nested too deeply") from None
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"the model {path} does not fit: {error}") from None

    @classmethod
    def _of(cls, content: dict[str, Any]) -> Model:
        schema, classes = Schema.of(content["schema"]), content["classes"]
        coefficients = np.array(content["coefficients"], dtype=float)
        intercepts = np.array(content["intercepts"], dtype=float)
        names = None if classes is None else tuple(classes)
        outputs = 1 if names is None or len(names) == 2 else len(names)
        rows = (outputs,)
        if coefficients.ndim != 2 or coefficients.shape[:1] != rows or intercepts.shape != rows:
            raise ParameterError(
                f"it must have a row of coefficients for each of {outputs} outputs"
            )
        return cls(content["target"], schema, coefficients, intercepts, names, content["privacy"])
