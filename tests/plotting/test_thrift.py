"""Which points of a profile are drawn."""

from __future__ import annotations

import time

import pytest

import hockeystick as hs
from hockeystick.plotting import curves, thrift

EVEN = curves.even(0.0, 1.0, 81)


class Asked:
    """Two falling curves, one of which drops to 0 at 0.7; counts the work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        self.spent, self.told = 0.0, list[tuple[int, int]]()
        self.seconds = seconds
        monkeypatch.setattr(time, "process_time", lambda: self.spent)

    def points(self, everywhere: bool = False) -> list[float]:
        found, rows = thrift.affordable(EVEN, self.rows, 1e-8, self.tell, everywhere=everywhere)
        assert rows == self.rows(found)
        return found

    def rows(self, x: list[float]) -> list[list[thrift.Row]]:
        self.spent += self.seconds * len(x)
        slow = [(1 - e / 2, 0.0, 1 - e / 2) for e in x]
        return [slow, [(y, low, high) if e < 0.7 else (0.0, 0.0, 0.0)
                       for e, (y, low, high) in zip(x, slow, strict=True)]]  # fmt: skip

    def tell(self, done: int, total: int) -> None:
        self.told.append((done, total))


def test_quick_points_are_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 0.01)
    found = asked.points()
    assert set(EVEN) < set(found)
    assert len(found) == 81 + thrift.MORE
    assert asked.told[-1] == (95, 95)


def test_slow_points_are_few_and_lie_where_a_curve_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 0.1)
    found = asked.points()
    assert len(found) == 35
    assert found == sorted(found)
    assert set(EVEN[::4]) < set(found)
    # The drop at 0.7 is between two neighbours that are far closer than the grid.
    last = max(e for e in found if e < 0.7)
    first = min(e for e in found if e >= 0.7)
    assert first - last < 0.05 / 2**5
    assert asked.told == [(n, 35) for n in range(1, 36)]


def test_as_many_as_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, 10.0)
    assert asked.points(everywhere=True) == EVEN
    assert asked.told[-1] == (81, 81)


def test_a_profile_is_the_one_of_the_library_at_its_points() -> None:
    kind = curves.KINDS["profile"]
    mechanisms = [hs.Laplace(1.0), hs.Gaussian(1.0)]
    found = curves.curves(mechanisms, kind, None, None, None, 1e-5, {})
    for mechanism, curve in zip(mechanisms, found, strict=True):
        assert curve.y == list(mechanism.profile(curve.x))
    # The end of Laplace noise, ε = 1, is met closely although the picture goes on to 5.8.
    last = max(x for x, y in zip(found[0].x, found[0].y, strict=True) if y > 0)
    assert 0.99 < last <= 1
