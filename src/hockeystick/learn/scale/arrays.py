"""Sources of arrays: in memory, or in files that are mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.learn.scale.part import Part
from hockeystick.learn.scale.rows import InFile, Memory, Rows, rows_of, saved
from hockeystick.learn.scale.scratch import Scratch
from hockeystick.learn.scale.source import Source
from hockeystick.learn.scale.workers import executor_of
from hockeystick.numerics.types import Array
from hockeystick.random.batches import Indices

PART = 2**19
"""Rows in a part: few enough that the pages of one do not fill the memory."""
KINDS = "biuf"
"""Kinds of numbers: booleans, integers, floats."""


def from_arrays(
    features: Any,
    targets: Any,
    *,
    weights: Any = None,
    groups: Any = None,
    executor: Any = None,
    part: int = PART,
    scratch: str | Path | None = None,
) -> Source:
    """Records from arrays, of which those in mapped files (`numpy.memmap`) are never loaded whole.

    Parameters
    ----------
    features: a matrix of finite numbers. targets: one for each row.
    weights: a number >= 0 for each row, which multiplies its gradient before it is clipped.
    groups: whose record each row is: a person's gradients are added up and clipped as one, and
        persons are sampled. Rows that are not yet in the order of the persons are copied.
    executor: see `Source`. Arrays in memory are written to scratch files for it.
    part: rows in a part, an integer >= 1; the result does not depend on it.
    scratch: a folder for copies, which are deleted with the source; the system's own if not given.

    >>> x = np.arange(6.0).reshape(3, 2)
    >>> from_arrays(x, [0, 1, 1], groups=["a", "b", "a"]).count
    2
    """
    columns = {"features": features, "targets": targets, "weights": weights}
    given = {name: column for name, column in columns.items() if column is not None}
    arrays = {k: v if isinstance(v, np.ndarray) else np.asarray(v) for k, v in given.items()}
    if arrays["targets"].dtype.kind == "O":
        arrays["targets"] = arrays["targets"].astype(str)
    _check(arrays)
    whole("part", part, 1)
    executor_of(executor)
    rows = {name: rows_of(array) for name, array in arrays.items()}
    starts, folder = None, None
    if groups is not None:
        order, starts = persons(groups, len(arrays["targets"]))
        if (np.diff(order) != 1).any():
            folder = Scratch(scratch)
            rows = {k: _ordered(v, order, folder / k) for k, v in arrays.items()}
    if executor is not None:
        folder = folder or Scratch(scratch)
        for name, column in rows.items():
            if isinstance(column, Memory):
                rows[name] = saved(column.open(), folder / name)
    return source_of(rows, starts, part, executor=executor, kept=folder)


def source_of(rows: dict[str, Rows], starts: Indices | None, part: int, **more: Any) -> Source:
    """The rows, cut into parts of whole persons."""
    x, y, w = rows["features"], rows["targets"], rows.get("weights")
    count = len(y) if starts is None else len(starts) - 1
    parts, first = [], 0
    while first < count:
        if starts is None:
            a, b = first, min(first + part, count)
            stop, own = b, None
        else:
            reach = int(starts.searchsorted(starts[first] + part, side="right")) - 1
            stop = max(first + 1, min(reach, count))
            a, b = int(starts[first]), int(starts[stop])
            own = starts[first : stop + 1] - a
        weights = None if w is None else w.part(a, b)
        parts.append(Part(first, x.part(a, b), y.part(a, b), weights, own))
        first = stop
    return Source(tuple(parts), int(x.open().shape[1]), **more)


def persons(groups: Any, rows: int) -> tuple[Indices, Indices]:
    """The rows in the order of the persons, and the first row of each person in that order."""
    whose = np.asarray(groups)
    if whose.shape != (rows,):
        raise ParameterError(f"groups must name a person for each of {rows} rows")
    if whose.dtype.kind == "f" and not np.isfinite(whose).all():
        raise ParameterError("groups must name a person for each row: there is NaN or infinity")
    _, codes, sizes = np.unique(whose, return_inverse=True, return_counts=True)
    order = np.argsort(codes, kind="stable")
    return order, np.concatenate([[0], np.cumsum(sizes)])


def _ordered(array: Array, order: Indices, path: Path) -> InFile:
    """A copy of the rows in another order, some at a time."""
    dtype, step = array.dtype, max(1, 2**22 * len(array) // max(1, array.size))
    with path.open("wb") as file:
        for i in range(0, len(order), step):
            file.write(np.ascontiguousarray(array[order[i : i + step]]).tobytes())
    return InFile(str(path), dtype.str, 0, array.shape)


def _check(arrays: dict[str, Array]) -> None:
    x, y = arrays["features"], arrays["targets"]
    if x.ndim != 2 or y.shape != x.shape[:1]:
        raise ParameterError(
            "features must be a matrix with a row for each target, got the shapes "
            f"{x.shape} and {y.shape}"
        )
    if x.dtype.kind not in KINDS:
        raise ParameterError("features must be numbers")
    w = arrays.get("weights")
    if w is not None and (w.shape != y.shape or w.dtype.kind not in KINDS):
        raise ParameterError(f"weights must be a number for each row, got the shape {w.shape}")
