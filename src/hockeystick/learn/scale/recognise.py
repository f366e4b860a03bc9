"""Which data are left where they are."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from hockeystick.errors import ParameterError
from hockeystick.learn.scale.arrays import from_arrays
from hockeystick.learn.scale.source import Source


def source_or_none(features: Any, targets: Any) -> Source | None:
    """A source of data that are in files or on a cluster; None of what is in memory.

    Parameters
    ----------
    features: a `Source`; a mapped array with its targets; a Dask collection with its targets, or a
        dataframe with the name of their column; the path of a folder of Parquet files, with that
        name.
    """
    if isinstance(features, Source):
        if targets is not None:
            raise ParameterError("targets must be left out where features are a Source of both")
        return features
    if isinstance(features, np.memmap):
        return from_arrays(features, targets)
    if isinstance(features, str | os.PathLike):
        from hockeystick.learn.scale.parquet import from_parquet

        if not isinstance(targets, str):
            raise ParameterError("targets must be the name of a column of the Parquet files")
        return from_parquet(os.fspath(features), targets)
    if hasattr(features, "__dask_graph__"):
        from hockeystick.learn.scale.dask_collections import from_dask

        return from_dask(features, targets)
    return None
