import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing

import pytest

import dumbbell as db
from dumbbell.cluster import pool, processes, work

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

PATH = db.dumbbell(
    rate="1 Mb/s", delay="10 ms", buffer=20, loss=0.01, flows=["veno"], duration="5 s", name="small"
)
GRID = {
    "bottleneck.loss.bernoulli": [0.0, 0.001, 0.01, 0.02],
    "bottleneck.delay": ["5 ms", "50 ms"],
}
TABLES = ("groups", "flows", "links", "runs")


def local_cluster(workers):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


class Here(Executor):
    """An executor that computes what it is given at once, and can change it before."""

    def __init__(self, change=lambda order: order):
        self.change = change
        self.batches = []

    def submit(self, function, order, *more):
        future = Future()
        self.batches.append(order)
        try:
            future.set_result(function(self.change(order), *more))
        except BaseException as raised:
            future.set_exception(raised)
        return future


def same(one, other):
    return all(getattr(one, table) == getattr(other, table) for table in TABLES)


def rows(store):
    with closing(sqlite3.connect(store)) as connection:
        distinct = "SELECT count(*), count(DISTINCT scenario || '-' || seed) FROM run"
        return connection.execute(distinct).fetchone()


def test_a_cluster_gives_the_tables_of_a_local_sweep(client, tmp_path):
    local = db.sweep(PATH, GRID, repeat=20)
    there = db.sweep(PATH, GRID, repeat=20, client=client, store=tmp_path / "runs.sqlite")
    assert same(there, local)
    assert (there.computed, there.taken) == (160, 0)
    assert rows(tmp_path / "runs.sqlite") == (160, 160)


def test_runs_come_with_their_samples(client):
    for samples in ("first", "all", False):
        local = db.run(PATH, seeds=range(4), samples=samples)
        there = db.run(PATH, seeds=range(4), samples=samples, client=client)
        assert there.samples == local.samples
        assert there.groups == local.groups
        assert (len(there.samples) > 0) == bool(samples)


def test_points_run_round_by_round_until_their_intervals_are_narrow(client):
    until = {"measure": "goodput", "interval": "1 %", "at_most": 60}
    local = db.sweep(PATH, GRID, until=until)
    assert local.computed > 5 * 8
    assert same(db.sweep(PATH, GRID, until=until, client=client), local)


def test_measures_of_samples_are_the_same(client):
    window = {"from": 1, "reduce": "mean"}
    measures = [{"name": "mean", "label": "mean", "quantity": "cwnd", "window": window}]
    local = db.sweep(PATH, GRID, repeat=2, measures=measures)
    assert same(db.sweep(PATH, GRID, repeat=2, measures=measures, client=client), local)


def test_a_second_sweep_takes_what_the_first_has_kept(client, tmp_path):
    store = tmp_path / "runs.sqlite"
    first = db.sweep(PATH, GRID, repeat=3, store=store)
    assert first.computed == 24
    second = db.sweep(PATH, GRID, repeat=5, store=store, client=client)
    assert (second.taken, second.computed) == (24, 16)
    assert same(second, db.sweep(PATH, GRID, repeat=5))
    third = db.sweep(PATH, GRID, repeat=5, store=store)
    assert (third.taken, third.computed) == (40, 0)


def test_a_killed_worker_costs_nothing_but_time(tmp_path):
    long = PATH.set({"duration": "100 s"})
    store = tmp_path / "runs.sqlite"
    with (
        local_cluster(2) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        killed = []

        def kill(done, planned):
            if done > 30 and not killed:
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        there = db.sweep(long, GRID, repeat=40, client=client, store=store, progress=kill)
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
    assert there.computed == 320
    assert rows(store) == (320, 320)
    assert same(there, db.sweep(long, GRID, repeat=40))


def end(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_batch_that_ends_every_worker_is_reported_with_its_seeds(monkeypatch):
    monkeypatch.setattr("dumbbell.cluster.work", end)
    allowed = {"distributed.scheduler.allowed-failures": 0}
    with (
        dask.config.set(allowed),
        local_cluster(1) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(db.Error, match="ended every worker") as raised,
    ):
        db.run(PATH, seeds=[7], client=client)
    assert "small" in str(raised.value) and "the seeds 7" in str(raised.value)


def test_the_processes_of_an_executor_give_the_same_tables(tmp_path):
    local = db.sweep(PATH, GRID, repeat=10)
    store = tmp_path / "runs.sqlite"
    with processes(2) as client:
        there = db.sweep(PATH, GRID, repeat=10, client=client, store=store)
        assert same(there, local)
        again = db.sweep(PATH, GRID, repeat=10, client=client, store=store)
        assert (again.taken, again.computed) == (80, 0)
        assert same(again, local)
    assert rows(store) == (80, 80)


def test_a_process_that_ends_is_reported_and_what_came_back_is_kept(tmp_path):
    store = tmp_path / "runs.sqlite"
    long = PATH.set({"duration": "100 s"})
    with processes(2) as client:
        killed = []

        def kill(done, planned):
            if done > 20 and not killed:
                killed.append(next(iter(client._processes)))
                os.kill(killed[0], signal.SIGKILL)

        with pytest.raises(db.Error, match="ended abruptly"):
            db.sweep(long, GRID, repeat=100, client=client, store=store, progress=kill)
    kept, distinct = rows(store)
    assert 20 < kept < 800 and kept == distinct
    there = db.sweep(long, GRID, repeat=5, store=store)
    assert there.taken > 0


def test_threads_give_the_same_tables():
    with ThreadPoolExecutor(2) as client:
        assert same(db.sweep(PATH, GRID, repeat=5, client=client), db.sweep(PATH, GRID, repeat=5))


def test_progress_counts_runs():
    seen = []
    found = db.sweep(PATH, GRID, repeat=5, client=Here(), progress=lambda *it: seen.append(it))
    assert seen[-1] == (40.0, 40)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(found) == 40


def test_another_build_is_refused():
    def other(order):
        return order[:8] + bytes([order[8] ^ 1]) + order[9:]

    with pytest.raises(db.Error, match=r"another build of dumbbell.*install the same wheel"):
        db.run(PATH, client=Here(other))
    with pytest.raises(db.Error, match="another version of dumbbell"):
        db.run(PATH, client=Here(lambda order: b"dumbbel0" + order[8:]))


def test_damaged_batches_are_refused(monkeypatch):
    for short in (41, 48, 64):
        with pytest.raises(db.Error, match="is damaged"):
            db.run(PATH, client=Here(lambda order, short=short: order[:short]))
    monkeypatch.setattr("dumbbell.cluster.work", lambda *it: work(*it)[:-1])
    with pytest.raises(db.Error, match="what came back for the runs of small with the seeds 1 is damaged"):
        db.run(PATH, client=Here())


def test_runs_of_other_seeds_are_refused(monkeypatch):
    orders = []
    here = Here(lambda order: orders.append(order) or orders[0])
    db.run(PATH, seeds=[1], client=here)
    with pytest.raises(db.Error, match="is damaged"):
        db.run(PATH, seeds=[2], client=here)


def test_batches_grow_to_about_a_second():
    here = Here()
    db.sweep(PATH, GRID, repeat=200, client=here)
    # Of 1,600 runs of about a millisecond.
    assert len(here.batches) < 100


def test_traces_travel_with_their_scenario(tmp_path):
    (tmp_path / "trace.txt").write_text("\n".join(str(n) for n in range(1, 3000, 12)))
    (tmp_path / "my.toml").write_text(
        PATH.to_toml().replace('rate = "1 Mb/s"', 'rate = { trace = "trace.txt" }')
    )
    traced = db.Scenario.load(tmp_path / "my.toml")
    local = db.sweep(traced, GRID, repeat=2)

    def remove(order):
        (tmp_path / "trace.txt").unlink(missing_ok=True)
        return order

    assert same(db.sweep(traced, GRID, repeat=2, client=Here(remove)), local)
    assert not (tmp_path / "trace.txt").exists()


def test_ctrl_c_keeps_what_came_back(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, signal, sys
            import dumbbell as db
            from dumbbell.cluster import processes

            def stop(done, planned):
                if done > 20:
                    os.killpg(0, signal.SIGINT)

            if __name__ == "__main__":
                path = db.dumbbell(rate="1 Mb/s", flows=["veno"], duration="200 s", loss=0.01)
                with processes(2) as client:
                    try:
                        db.run(
                            path, seeds=range(4000), client=client, store="runs.sqlite", progress=stop
                        )
                    except KeyboardInterrupt:
                        print("stopped")
            """
        )
    )
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "")
    assert time.monotonic() - begun < 30
    kept, distinct = rows(tmp_path / "runs.sqlite")
    assert 20 < kept < 4000 and kept == distinct


def test_an_exception_of_progress_ends_the_sweep_and_takes_batches_back():
    with processes(1) as client:

        def fail(done, planned):
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            db.run(PATH, seeds=range(100_000), client=client, progress=fail)
        # The pool is usable afterwards.
        assert len(db.run(PATH, seeds=range(3), client=client)) == 3


def test_what_is_no_client_is_refused():
    with pytest.raises(TypeError, match=r"dask.distributed.Client or a concurrent.futures.Executor"):
        db.run(PATH, client="localhost")
    with pytest.raises(ValueError, match="either jobs"):
        db.run(PATH, client=Here(), jobs=2)
    asynchronous = type("Client", (), dict.fromkeys(("submit", "gather", "nthreads", "cancel")))
    asynchronous.asynchronous = True
    with pytest.raises(TypeError, match="asynchronous"):
        pool(asynchronous(), None)


def test_a_scenario_that_a_worker_cannot_read_is_an_error(monkeypatch):
    monkeypatch.setattr(
        "dumbbell.cluster.work",
        lambda order, controls, *texts: work(order, controls, *("x = 1" for _ in texts)),
    )
    with pytest.raises(db.ScenarioError, match="scenario of a batch"):
        db.run(PATH, client=Here())


class Mine(db.Control):
    """Reno with a gentler cut."""

    factor: float = 0.7

    def on_ack(self, ack):
        self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd

    def on_loss(self, loss):
        self.ssthresh = self.cwnd = max(self.cwnd * self.factor, 2)

    def on_timeout(self, timeout):
        self.ssthresh, self.cwnd = max(self.cwnd / 2, 2), 1


def test_a_control_in_python_travels_with_its_code(client, tmp_path):
    grid = {"flow.veno.control": [Mine, "veno"], "bottleneck.loss.bernoulli": [0.001, 0.01]}
    local = db.sweep(PATH, grid, repeat=5)
    assert same(db.sweep(PATH, grid, repeat=5, client=client), local)
    store = tmp_path / "runs.sqlite"
    with processes(2) as pool_of_two:
        there = db.sweep(PATH, grid, repeat=5, client=pool_of_two, store=store)
        assert same(there, local)
    # What the processes computed is found by its code.
    assert db.sweep(PATH, grid, repeat=5, store=store).taken == 20


SCRIPT = """
import dumbbell as db
from dumbbell.cluster import processes

FACTOR = 0.6

class Mine(db.Control):
    def on_ack(self, ack):
        self.cwnd += 1 / self.cwnd

    def on_loss(self, loss):
        self.cwnd = max(self.cwnd * FACTOR, 2)

    def on_timeout(self, timeout):
        self.cwnd = 1

path = db.dumbbell(rate="1 Mb/s", loss=0.01, flows=[Mine], duration="5 s")
if CLIENT:
    with CLIENT as client:
        there = db.run(path, seeds=range(6), client=client)
    assert there.groups == db.run(path, seeds=range(6)).groups
    print(len(there.groups))
"""


@pytest.mark.parametrize(
    "there",
    ["processes(2)", 'distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=":0")'],
    ids=["processes", "dask"],
)
def test_a_control_of_a_script_travels(tmp_path, there):
    script = tmp_path / "mine.py"
    text = SCRIPT.replace("CLIENT as", f"{there} as").replace("if CLIENT", 'if __name__ == "__main__"')
    script.write_text(f"import distributed\n{text}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "6\n", done.stderr


def test_an_exception_of_a_control_arrives_with_its_time_and_flow(client):
    class Wrong(Mine):
        def on_loss(self, loss):
            raise ZeroDivisionError("no loss was expected")

    for there in (client, Here()):
        with pytest.raises(ZeroDivisionError, match="no loss was expected") as raised:
            db.run(PATH.set({"flow.veno.control": Wrong}), client=there)
        notes = " ".join(raised.value.__notes__)
        assert "simulated" in notes or " s" in notes
        assert "the runs of small with the seeds 1" in notes
