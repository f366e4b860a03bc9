"""Dask collections, on a cluster and without one; workers that are lost change nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numpy.random import default_rng

import hockeystick as hs
from hockeystick.learn import (
    Logistic,
    LogisticRegression,
    Plan,
    Progress,
    from_arrays,
    from_dask,
    private_sgd,
)

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("distributed")

N, D = 1500, 5
X = default_rng(0).normal(size=(N, D))
Y = (X[:, 0] > 0).astype(float)
WEIGHTS = default_rng(1).random(N)
NAMES = [f"x{j}" for j in range(D)]


def frame(partitions: int) -> Any:
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    return dd.from_pandas(pd.DataFrame({**columns, "y": Y, "w": WEIGHTS}), npartitions=partitions)


def nobody(missing: Any) -> Any:
    person = [1.5, 2.5, missing, 4.5] if isinstance(missing, float) else ["a", "b", missing, "d"]
    rows = pd.DataFrame({"x": range(4), "y": [0, 1] * 2, "p": person})
    return dd.from_pandas(rows, npartitions=2)


def plan(**more: Any) -> Plan:
    options: Any = {"steps": 8, "clip": 1.0, "batch_size": 150, **more}
    return Plan(hs.Gaussian(1.0), hs.Poisson(0.1), **options)


def model(x: Any, y: Any = None, **options: Any) -> list[float]:
    run = private_sgd(Logistic(), x, y, plan(), rng=5, **options)
    values: list[float] = run.parameters.ravel().tolist()
    return values


@pytest.mark.slow
def test_without_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    with dask.config.set(scheduler="synchronous"):
        expected = model(from_arrays(X, Y))
        assert model(da.from_array(X, (400, 2)), da.from_array(Y, 700)) == expected
        assert model(da.from_array(X, (N, D)), da.from_array(Y, N)) == expected
        weighted = from_dask(frame(4), "y", weight="w")
        assert model(weighted) == model(from_arrays(X, Y, weights=WEIGHTS))
        assert model(from_dask(frame(7), "y", columns=NAMES)) == expected
        source = from_dask(frame(3)[[*NAMES, "y"]], "y")
        assert source.names == tuple(NAMES)
        found = LogisticRegression(batch_size=100, epochs=1, random_state=0).fit(source)
        same = LogisticRegression(batch_size=100, epochs=1, random_state=0).fit(from_arrays(X, Y))
        assert found.coef_.tolist() == same.coef_.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [int, str])
def test_persons_are_those_of_the_arrays_however_they_are_cut(kind: type) -> None:
    import dask

    person: Any = default_rng(2).integers(0, 400, N).astype(kind)
    rows = pd.DataFrame({n: X[:, j] for j, n in enumerate(NAMES)})
    rows = rows.assign(y=Y, w=WEIGHTS, person=person)
    by_value = rows.sort_values(["person", *reversed(NAMES)])
    x, y = by_value[NAMES].to_numpy(), by_value["y"].to_numpy()
    arrays = from_arrays(x, y, weights=by_value["w"].to_numpy(), groups=by_value["person"])
    expected = model(arrays)
    with dask.config.set(scheduler="synchronous"):
        for partitions in (1, 3, 8):
            shuffled = rows.sample(frac=1.0, random_state=partitions)
            cut = dd.from_pandas(shuffled, npartitions=partitions, sort=False)
            source = from_dask(cut, "y", weight="w", group="person", columns=NAMES)
            assert source.count == arrays.count == len(set(person))
            assert source.notes == arrays.notes != ()
            assert model(source) == expected


def test_a_person_in_two_partitions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it would be if Dask did not sort: the gradients of one person would be clipped twice."""
    import dask

    from hockeystick.learn.scale import dask_collections

    monkeypatch.setattr(dask_collections, "_by_person", lambda frame, group: frame)
    person = pd.Index([0, 1, 2, 2, 3, 3], name="person")
    rows = pd.DataFrame({"x": range(6), "y": [0, 1] * 3, "p": person}, index=person)
    with dask.config.set(scheduler="synchronous"):
        assert from_dask(dd.from_pandas(rows, npartitions=1), "y", group="p").count == 4
        apart = dd.concat([dd.from_pandas(rows[:3], 1), dd.from_pandas(rows[3:], 1)])
        with pytest.raises(hs.ParameterError, match="share no person"):
            from_dask(apart, "y", group="p")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: from_dask(frame(2), "z"), "the column 'z' is not in the dataframe"),
        (lambda: from_dask(da.from_array(X), Y), "targets must be a Dask array"),
        (lambda: from_dask(da.from_array(Y), da.from_array(Y)), "must be a Dask matrix"),
        (lambda: from_dask(frame(2), "y", executor="here"), "dask.distributed.Client"),
        (lambda: from_dask(frame(2).where(lambda f: f["y"] > 0), "y"), "must not be missing"),
        (lambda: from_dask(nobody(None), "y", group="p"), "must name a person for each"),
        (lambda: from_dask(nobody(float("nan")), "y", group="p"), "must name a person for each"),
        (lambda: from_dask(da.from_array(X), da.from_array(Y), group="p"), "of a Dask dataframe"),
    ],
)
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        call()
    assert words in str(caught.value)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    import dask

    settings = {"distributed.scheduler.allowed-failures": 10}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(tmp_path),
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_that_are_killed_change_nothing(client: Any, tmp_path: Path) -> None:
    """One dies in the middle of its task, another between two steps; both are replaced."""
    expected, killed = model(from_arrays(X, Y)), []

    class Dying(Logistic):
        def residuals(self, parameters: Any, records: Any) -> Any:
            once = tmp_path / "died"
            if not once.exists():
                once.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().residuals(parameters, records)

    def kill(progress: Progress) -> None:
        if progress.step == 5:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    source = from_arrays(X, Y, part=300, executor=client)
    died = private_sgd(Dying(), source, None, plan(), rng=5)
    assert died.parameters.ravel().tolist() == expected
    assert (tmp_path / "died").exists()
    collection = from_dask(frame(5)[[*NAMES, "y"]], "y", executor=client)
    assert model(collection, callback=kill, every=1) == expected
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()
    arrays = da.from_array(X, (400, 2)), da.from_array(Y, 700)
    assert model(from_dask(*arrays, executor=client)) == expected
    executor = client.get_executor()
    assert model(from_arrays(X, Y, part=300, executor=executor)) == expected
