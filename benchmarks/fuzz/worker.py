"""One process that answers: ``python -m benchmarks.fuzz.worker MEGABYTES CPU_SECONDS``.

Each line read is JSON: {"ask": text} for the library, {"truth": [expression, query, at, relation]}
for an oracle. Each line written is JSON too. Past its CPU time a question ends the process.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import resource
import signal
import sys
import time
import traceback
import warnings
from typing import Any

from benchmarks.worker import peak_mb


def ends(answer: Any) -> list[list[float]]:
    """Both ends of a bound, or of every bound of a curve."""
    import numpy as np

    lower, upper = np.atleast_1d(answer.lower), np.atleast_1d(answer.upper)
    return [[float(a), float(b)] for a, b in zip(lower.ravel(), upper.ravel(), strict=True)]


def ask(text: str) -> dict[str, Any]:
    """What the library answers, or the error it raises, its last lines for one it should not."""
    import hockeystick
    from hockeystick import HockeystickError

    names = {name: getattr(hockeystick, name) for name in hockeystick.__all__} | {"inf": math.inf}
    start = time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = eval(text, names)
        found: dict[str, Any] = {"ends": ends(answer), "method": answer.method}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        found = {
            "error": type(error).__name__,
            "expected": isinstance(error, HockeystickError),
            "message": str(error)[:300],
            "where": f"{place.filename.rsplit('/', 1)[-1]}:{place.lineno} {place.name}",
        }
    return found | {"seconds": time.process_time() - start, "peak_mb": peak_mb()}


def answer_truth(question: list[Any]) -> dict[str, Any]:
    """The oracle's interval, as texts of many digits."""
    from mpmath import mp

    from tests.oracles.truth import truth

    interval = truth(*question)
    if interval is None:
        return {"truth": None}
    with mp.workdps(60):
        return {"truth": [mp.nstr(end, 45) for end in interval]}


def limited(seconds: float) -> None:
    """From now on so much CPU time, then the end."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def main() -> None:
    megabytes, seconds = float(sys.argv[1]), float(sys.argv[2])
    most = int(megabytes * 1e6) if math.isfinite(megabytes) else resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        task = json.loads(line)
        limited(seconds)
        found = ask(task["ask"]) if "ask" in task else answer_truth(task["truth"])
        limited(0)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
