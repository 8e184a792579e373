"""What functions make of odd arguments: what a user means, or a message that says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dumbbell as db


class Mine(db.Control):
    """As Reno."""


@pytest.fixture(scope="module")
def short() -> db.Scenario:
    return db.dumbbell(loss=0.01, flows=["reno", "veno"], duration="2 s")


def test_seeds_of_numpy_are_seeds(short: db.Scenario) -> None:
    runs = db.run(short, seeds=np.int64(3))
    assert runs.seeds == [3]
    assert runs.groups == db.run(short, seeds=[3]).groups
    assert db.run(short, seeds=np.arange(2)).seeds == [0, 1]
    assert str(db.explain(short, seed=np.int64(3))) == str(db.explain(short, seed=3))  # type: ignore[arg-type]


@pytest.mark.parametrize("seeds", [-1, 2**64, [1, -1], np.int64(-1)])
def test_a_seed_out_of_range_is_told(short: db.Scenario, seeds: Any) -> None:
    with pytest.raises(ValueError, match=r"0 to 2\^64 - 1"):
        db.run(short, seeds=seeds)


@pytest.mark.parametrize("seeds", [1.5, [1.7], "12", [None], [float("nan")]])
def test_what_is_no_seed_is_told(short: db.Scenario, seeds: Any) -> None:
    with pytest.raises(TypeError, match="a seed is a whole number"):
        db.run(short, seeds=seeds)


def test_every_function_tells_a_wrong_seed(short: db.Scenario) -> None:
    for function in (db.explain, db.trace):
        with pytest.raises(ValueError, match="seed"):
            function(short, seed=-1)
    with pytest.raises(ValueError, match="seed"):
        db.reproduce("venodb-fig2", seed=-1)
    with pytest.raises(ValueError, match="seed"):
        db.matrix(["veno"], seed=2**64)


def test_jobs_are_checked_everywhere(short: db.Scenario) -> None:
    calls = [
        lambda jobs: db.run(short, jobs=jobs),
        lambda jobs: db.sweep(short, {"seed": [1]}, repeat=1, jobs=jobs),
        lambda jobs: db.reproduce("venodb-fig2", jobs=jobs),
        lambda jobs: db.matrix(["veno"], jobs=jobs),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="jobs is -1"):
            call(-1)
        with pytest.raises(TypeError, match="jobs is a whole number"):
            call(2.5)
    assert db.run(short, jobs=10**30).seeds == [short.seed]
    assert db.run(short, jobs=0).groups == db.run(short).groups


def test_samples_is_one_of_three(short: db.Scenario) -> None:
    for wrong in ([], np.array([1, 2]), 0, "some"):
        with pytest.raises(ValueError, match="samples is"):
            db.run(short, samples=wrong)  # type: ignore[arg-type]


def test_one_flow_needs_no_list() -> None:
    assert db.dumbbell(flows="veno") == db.dumbbell(flows=["veno"])
    assert db.dumbbell(flows=Mine) == db.dumbbell(flows=[Mine])
    assert db.dumbbell(flows=db.flow("veno", count=2)) == db.dumbbell(flows=[db.flow("veno", count=2)])


def test_numbers_of_numpy_are_spans_of_time() -> None:
    for number in (np.float32(0.5), np.float64(0.5), np.array(0.5)):
        assert db.dumbbell(delay=number) == db.dumbbell(delay=0.5)
    assert db.dumbbell(duration=np.int64(5)) == db.dumbbell(duration="5 s")
    with pytest.raises(ValueError, match="nanosecond"):
        db.dumbbell(delay=1e-12)


def test_access_that_is_no_mapping_is_told() -> None:
    with pytest.raises(db.ScenarioError, match="access"):
        db.dumbbell(access="1 Mb/s")  # type: ignore[arg-type]


@pytest.mark.parametrize("values", ["5 ms", 5, Mine])
def test_values_of_a_sweep_are_several(short: db.Scenario, values: Any) -> None:
    with pytest.raises(TypeError, match=r"bottleneck\.delay are a list or a range"):
        db.sweep(short, {"bottleneck.delay": values}, repeat=1)


def test_one_axis_in_step_needs_no_list(short: db.Scenario) -> None:
    axis = {"bottleneck.delay": ["5 ms", "9 ms"], "bottleneck.queue.droptail": [5, 9]}
    one = db.sweep(short, zip=axis, repeat=1)
    assert one.groups == db.sweep(short, zip=[axis], repeat=1).groups


def test_a_sweep_over_nothing_says_so(short: db.Scenario) -> None:
    assert repr(db.sweep(short, repeat=2)).startswith("<2 runs of scenario>\n")


def test_flows_are_named_by_numbers_of_numpy(short: db.Scenario) -> None:
    number: Any = np.int64(2)
    assert str(db.explain(short, flow=number)) == str(db.explain(short, flow=2))
    assert db.trace(short, flows=number) == db.trace(short, flows="veno")


def test_a_trace_is_written_once(short: db.Scenario, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    with pytest.raises(ValueError, match="named twice"):
        db.trace(short, to=[file, str(file)])
    assert not file.exists()


def test_paths_of_a_matrix_are_files(short: db.Scenario) -> None:
    for paths in (short, [short]):
        with pytest.raises(TypeError, match="to_toml"):
            db.matrix(["veno"], paths)  # type: ignore[arg-type]


def test_an_equation_needs_a_round_trip_time() -> None:
    with pytest.raises(TypeError, match="rtt is None"):
        db.equation("reno", rtt=None, loss=0.1)  # type: ignore[arg-type]


def test_a_star_import_leaves_the_built_in_list() -> None:
    names: dict[str, Any] = {}
    exec("from dumbbell import *", names)
    assert "list" not in names
    assert names["run"] is db.run
