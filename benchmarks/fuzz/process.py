"""Workers that are started again when they die."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

ADDRESSES = 3000.0
"""Megabytes of addresses a worker may have; what it uses is measured."""
AFRESH_ABOVE = 300.0
"""Megabytes above which a worker is replaced, so that the next question is measured by itself."""
WALL_FACTOR = 30.0
"""Wall-clock seconds per CPU second after which a worker is given up, on a crowded machine."""


class Worker:
    """A process that answers one task at a time; a death is an answer too."""

    def __init__(self, cpu_seconds: float) -> None:
        self.cpu_seconds = cpu_seconds
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
        self.process = None

    def start(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            self.stop()
            command = [sys.executable, "-m", "benchmarks.fuzz.worker"]
            one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
            self.process = subprocess.Popen(
                [*command, str(ADDRESSES), str(self.cpu_seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | one_thread,
            )
        return self.process

    def do(self, **task: Any) -> dict[str, Any]:
        """The answer to a task; {"died": signal} or {"timeout": True} if there is none."""
        process = self.start()
        assert process.stdin is not None
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        line = self._line(process)
        if not line:
            return self._death(process)
        answer: dict[str, Any] = json.loads(line)
        if answer.get("peak_mb", 0) > AFRESH_ABOVE:
            self.stop()
        return answer

    def _line(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            ready = selector.select(WALL_FACTOR * self.cpu_seconds)
        return process.stdout.readline() if ready else ""

    def _death(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        try:
            code = process.wait(1)
        except subprocess.TimeoutExpired:
            code = -signal.SIGPROF
        self.stop()
        return {"timeout": True} if code == -signal.SIGPROF else {"died": code}
