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
from hockeystick.saving import write_whole
from hockeystick.series import Array

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
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            content = None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ParameterError(f"{path} is not a {FORMAT}")
        if content.get("version") != VERSION:
            raise ParameterError(f"{path} is not of version {VERSION}")
        classes = content["classes"]
        return cls(
            content["target"],
            Schema.of(content["schema"]),
            np.array(content["coefficients"], dtype=float),
            np.array(content["intercepts"], dtype=float),
            None if classes is None else tuple(classes),
            content["privacy"],
        )
