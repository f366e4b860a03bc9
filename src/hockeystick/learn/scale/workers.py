"""Workers: parts are asked here, by an executor, or by a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from hockeystick.errors import HockeystickError, ParameterError

RETRIES = 3
"""How often a Dask cluster asks again where a task fails; a lost worker's tasks are asked again
anyhow."""


class WorkersLost(HockeystickError):
    """An executor that cannot replace a worker has lost one."""


def executor_of(given: Any) -> Any:
    """None, an executor, or the executor of a Dask client."""
    if hasattr(given, "get_executor"):
        return given.get_executor(retries=RETRIES)
    if given is None or hasattr(given, "submit"):
        return given
    raise ParameterError(
        "executor must be None, a concurrent.futures.Executor or a dask.distributed.Client, got "
        f"{type(given).__name__}"
    )


def asked(
    executor: Any, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """The answers to all arguments, in their order.

    A task that is asked again must answer the same: nothing in it is drawn but by a key.
    """
    if executor is None:
        yield from (function(*each) for each in arguments)
        return
    futures = []
    try:
        futures = [executor.submit(function, *each) for each in arguments]
        for future in futures:
            yield future.result()
    except BrokenExecutor as error:
        raise WorkersLost(
            "the executor has lost a worker and cannot go on: all steps of the plan are spent. "
            "Resume from a checkpoint, or take a Dask cluster, which replaces workers"
        ) from error
    finally:
        for future in futures:
            future.cancel()
