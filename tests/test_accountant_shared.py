"""An accountant shared by threads, and a file of one shared by processes, lose no spending."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

import hockeystick as hs
from hockeystick import locking
from hockeystick.accountant import Accountant
from hockeystick.errors import ParameterError, SavingError

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))
SPAWN = multiprocessing.get_context("spawn")
PATIENCE = 60.0


def spent(path: Path) -> dict[hs.Mechanism, int]:
    return Accountant.load(path).spent.parts


# threads ----------------------------------------------------------------------------------------


@pytest.fixture
def hasty() -> Any:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[], None], threads: int = 4) -> None:
    running = [threading.Thread(target=work) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
def test_threads_lose_no_spending() -> None:
    accountant = Accountant()
    both = hs.Laplace(2.0) + hs.Gaussian(3.0) * 2

    def work() -> None:
        for _ in range(5_000):
            accountant.spend(STEP)
            accountant.spend(both)

    at_once(work)
    assert accountant.spent.parts == {
        STEP: 20_000,
        hs.Laplace(2.0): 20_000,
        hs.Gaussian(3.0): 40_000,
    }


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
def test_it_answers_while_others_spend() -> None:
    accountant, wrong = Accountant(), []

    def work() -> None:
        try:
            for number in range(500):
                accountant.spend(hs.Laplace(float(1 + number)))
                assert len(accountant.spent.parts) > number
                assert len(copy.copy(accountant).spent.parts) > number
        except Exception as error:
            wrong.append(error)

    at_once(work, 2)
    assert not wrong
    assert set(accountant.spent.parts.values()) == {2}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))]
)
def test_a_copy_is_an_accountant_of_its_own(copied: Any, tmp_path: Path) -> None:
    accountant = Accountant(hs.ADD_REMOVE)
    accountant.spend(STEP, 7)
    accountant.save(tmp_path / "spent.json")
    other = copied(accountant)
    other.spend(STEP)
    accountant.spend(hs.Laplace(2.0))
    assert other.relation is hs.ADD_REMOVE
    assert other.spent == STEP * 8
    assert accountant.spent == STEP * 7 + hs.Laplace(2.0)
    other.save(tmp_path / "spent.json")  # both know the file as it was: the first to save may
    with pytest.raises(SavingError, match="changed since this accountant read it"):
        accountant.save(tmp_path / "spent.json")


# a file in turn ---------------------------------------------------------------------------------


def test_a_file_that_another_has_changed_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    Accountant().save(path)
    one, other = Accountant.load(path), Accountant.load(path)
    one.spend(STEP)
    other.spend(STEP)
    one.save(path)
    with pytest.raises(SavingError, match=r"spent\.json was changed since .*overwrite=True"):
        other.save(path)
    assert spent(path) == {STEP: 1}
    one.spend(STEP)
    one.save(path)  # it knows what it wrote
    assert spent(path) == {STEP: 2}
    other.save(path, overwrite=True)
    assert spent(path) == {STEP: 1}
    assert os.listdir(tmp_path) == ["spent.json"]


def test_a_file_that_was_never_read_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    path.write_text("something else")
    with pytest.raises(SavingError, match=r"spent\.json was there already"):
        Accountant().save(path)
    assert path.read_text() == "something else"


def test_one_accountant_may_be_saved_in_two_places_and_by_two_names(tmp_path: Path) -> None:
    accountant = Accountant()
    (tmp_path / "link.json").symlink_to(tmp_path / "one.json")
    for name in ("one.json", "two.json", "link.json", "two.json", "one.json"):
        accountant.spend(STEP)
        accountant.save(tmp_path / name)
    assert (spent(tmp_path / "one.json"), spent(tmp_path / "two.json")) == ({STEP: 5}, {STEP: 4})
    (tmp_path / "one.json").unlink()
    accountant.save(tmp_path / "one.json")  # nothing is lost


def spend_and_fail(path: Path) -> None:
    with Accountant.open(path) as accountant:
        accountant.spend(STEP, 3)
        raise ZeroDivisionError


def test_open_saves_what_was_spent_even_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    with Accountant.open(path, hs.ZERO_OUT) as accountant:
        accountant.spend(STEP)
        accountant.save(path)
        accountant.spend(STEP)
    assert spent(path) == {STEP: 2}
    with pytest.raises(ZeroDivisionError):
        spend_and_fail(path)
    assert spent(path) == {STEP: 5}
    assert Accountant.load(path).relation is hs.ZERO_OUT
    with (
        pytest.raises(ParameterError, match=r"relation must be that of .*ZERO_OUT, got ADD"),
        Accountant.open(path, hs.ADD_REMOVE),
    ):
        pytest.fail("a file of other neighbours")
    assert os.listdir(tmp_path) == ["spent.json"]


def test_who_waits_too_long_is_told(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    with Accountant.open(path) as accountant:
        accountant.spend(STEP)
        with (
            pytest.raises(SavingError, match=r"in use by somebody else; waited 0\.05 seconds"),
            locking.locked(path, 0.05),
        ):
            pytest.fail("it is locked")
    with locking.locked(path, 0.05):
        assert spent(path) == {STEP: 1}


# processes --------------------------------------------------------------------------------------


def spend_in_turn(path: Path, times: int, barrier: Barrier) -> None:
    barrier.wait(PATIENCE)
    for _ in range(times):
        with Accountant.open(path) as accountant:
            accountant.spend(STEP)


def spend_and_save(path: Path, barrier: Barrier, outcomes: Any) -> None:
    accountant = Accountant.load(path)
    accountant.spend(STEP)
    barrier.wait(PATIENCE)
    try:
        accountant.save(path)
    except SavingError as error:
        outcomes.put(str(error))
    else:
        outcomes.put("saved")


def in_processes(work: Callable[..., None], *arguments: object, count: int) -> None:
    running = [SPAWN.Process(target=work, args=arguments) for _ in range(count)]
    for process in running:
        process.start()
    for process in running:
        process.join(PATIENCE)
    assert [process.exitcode for process in running] == [0] * count


@pytest.mark.slow
def test_processes_that_open_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    in_processes(spend_in_turn, path, 25, SPAWN.Barrier(3), count=3)
    assert spent(path) == {STEP: 75}
    assert os.listdir(tmp_path) == ["spent.json"]


@pytest.mark.slow
def test_of_two_processes_that_load_and_save_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    Accountant().save(path)
    outcomes = SPAWN.SimpleQueue()
    in_processes(spend_and_save, path, SPAWN.Barrier(3), outcomes, count=3)
    found = sorted(outcomes.get() for _ in range(3))
    assert found[2] == "saved"
    assert all("changed since this accountant read it" in each for each in found[:2])
    assert spent(path) == {STEP: 1}
