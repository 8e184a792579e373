import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

import dumbbell as db


def test_a_run_is_tables(path):
    runs = db.run(path, seeds=range(3))
    assert len(runs) == 3
    assert runs.groups["seed"].to_list() == [0, 1, 2]
    assert runs.groups["control"].to_list() == ["veno"] * 3
    goodput = np.asarray(runs.groups["goodput"])
    assert 0 < goodput.min() <= goodput.max() < 2e6
    assert runs.groups.units["goodput"] == "bit/s"
    assert runs.groups.about["goodput"]
    assert runs.flows["flow"].to_list() == ["main"] * 3
    assert len(runs.links) % 3 == 0


def test_the_same_scenario_and_seed_give_the_same_bytes_on_any_number_of_threads(path):
    one = db.run(path, seeds=range(6), jobs=1, samples="all")
    many = db.run(path, seeds=range(6), jobs=5, samples="all")
    for name in ["groups", "flows", "links", "samples"]:
        assert getattr(one, name) == getattr(many, name)
    assert db.run(path, seeds=[6]).groups != db.run(path, seeds=[7]).groups


def test_samples_are_of_the_first_run_of_all_or_of_none(path):
    first = db.run(path, seeds=[5, 6]).samples
    assert set(first["seed"]) == {5}
    assert set(db.run(path, seeds=[5, 6], samples="all").samples["seed"]) == {5, 6}
    assert len(db.run(path, seeds=[5, 6], samples=False).samples) == 0
    with pytest.raises(ValueError, match='samples is "first", "all" or False'):
        db.run(path, samples="last")  # type: ignore[arg-type]
    windows = [row for row in first.rows() if row["quantity"] == "cwnd"]
    assert windows[0]["subject"] == "main"
    assert windows[0]["value"] >= 1
    assert [row["time_s"] for row in windows] == sorted(row["time_s"] for row in windows)
    # Words are where there is no number.
    for row in first.rows():
        assert (row["value"] is None) != (row["word"] is None)


def test_a_summary_has_means_and_intervals(path):
    runs = db.run(path, seeds=range(5))
    summary = runs.summary()
    goodput = np.asarray(runs.groups["goodput"])
    assert summary["goodput"][0] == pytest.approx(goodput.mean())
    # The 0.975 quantile of Student's t with 4 degrees of freedom.
    half = 2.7764451 * goodput.std(ddof=1) / np.sqrt(5)
    assert summary["goodput_ci95"][0] == pytest.approx(half, rel=1e-6)
    assert db.run(path).summary()["goodput_ci95"][0] is None


def test_finished_runs_are_not_repeated(path, tmp_path):
    store = tmp_path / "runs.sqlite"
    first = db.run(path, seeds=range(3), store=store)
    assert (first.taken, first.computed) == (0, 3)
    again = db.run(path, seeds=range(5), store=store)
    assert (again.taken, again.computed) == (3, 2)
    assert again.groups.to_dict()["goodput"][:3] == first.groups["goodput"].to_list()
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("SELECT count(*) FROM run").fetchone() == (5,)


def test_a_store_that_is_none_is_an_error(path, tmp_path):
    (tmp_path / "no.sqlite").write_text("this is no database, but it is long enough to be read as one")
    with pytest.raises(db.StoreError, match=r"no\.sqlite"):
        db.run(path, store=tmp_path / "no.sqlite")


def test_results_are_pickled(path):
    runs = db.run(path, seeds=range(2))
    again = pickle.loads(pickle.dumps(runs))
    for name in ["groups", "flows", "links", "samples"]:
        assert getattr(again, name) == getattr(runs, name)
    assert again.summary() == runs.summary()
    assert again.scenario == path
    assert again.seeds == [0, 1]


def test_seeds_may_be_one_or_many(path):
    assert db.run(path).seeds == [path.seed]
    assert db.run(path, seeds=4).seeds == [4]
    assert db.run(path, seeds=np.arange(2)).seeds == [0, 1]
    assert len(db.run(path, seeds=[]).groups) == 0


def test_progress_is_reported(path):
    seen: list[tuple[float, int]] = []
    db.run(
        path.set("duration", "300 s"),
        seeds=range(20),
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen[-1] == (20, 20)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_mapping_is_a_scenario(path):
    assert db.run(path.to_dict()).groups == db.run(path).groups


def test_a_seed_is_given_once(path):
    with pytest.raises(ValueError, match="seed 2 is given twice"):
        db.run(path, seeds=[1, 2, 3, 2])


FULL = """
import resource, signal, sys, warnings
import dumbbell as db

path = db.dumbbell(flows=["reno"], duration="1 s")
db.run(path, store=sys.argv[1])
# A limit on the size of files is a disk that is full for the store alone.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    runs = db.run(path, seeds=range(2000), store=sys.argv[1])
print(len(runs.groups), [str(it.message) for it in told])
"""


def test_a_store_that_is_full_is_told(tmp_path):
    command = [sys.executable, "-c", FULL, tmp_path / "runs.sqlite"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2000 ['the results are complete, but"), done.stdout + done.stderr
