"""What a cluster costs: 10,000 short runs on threads, on processes and on a Dask cluster of this machine.

Run it on an idle machine: ``python python/benchmarks/cluster.py``. It prints the time, and the time of a
core that this process, the client, spends on a run: that does not depend on what else the machine does,
and its inverse is the number of runs a second that one client can take in.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import dumbbell as db
from dumbbell.cluster import processes

SCENARIO = db.dumbbell(rate="1 Mb/s", delay="10 ms", flows=["veno"], duration="5 s", buffer=20)
GRID = {"bottleneck.loss.bernoulli": [0.0, 0.001, 0.003, 0.01, 0.03]}
REPEAT = 2000
RUNS = 5 * REPEAT
WORKERS = 2
TIMES = 3


class Counter(Executor):
    """An executor that counts what comes back from another one."""

    def __init__(self, inner: Executor) -> None:
        self._inner = inner
        self._max_workers = WORKERS
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., bytes], /, *order: Any, **_: Any) -> Future[bytes]:
        """Hands a batch on."""
        future = self._inner.submit(function, *order)
        future.add_done_callback(lambda done: self.sizes.append(len(done.result())))
        return future


def measure(what: str, **more: Any) -> None:
    """Prints the least time of several sweeps, and the least time of a core."""
    walls, cores = [], []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "runs.sqlite"
            if more.get("store"):
                more["store"] = store
            wall, core = time.perf_counter(), time.process_time()
            db.sweep(SCENARIO, GRID, repeat=REPEAT, **more)
            walls.append(time.perf_counter() - wall)
            cores.append(time.process_time() - core)
            if more.get("store"):
                size = store.stat().st_size
    line = f"{what:32}{min(walls):6.2f} s, of a core of this process {min(cores) / RUNS * 1e6:5.0f} us a run"
    if more.get("store"):
        line += f", {size / RUNS:.0f} bytes a run in the store"
    print(line, flush=True)


def main() -> None:
    """Prints the measurements."""
    measure(f"{WORKERS} threads", jobs=WORKERS)
    measure(f"{WORKERS} threads, store", jobs=WORKERS, store=True)
    with processes(WORKERS) as pool:
        db.run(SCENARIO, seeds=range(WORKERS), client=pool)
        measure(f"{WORKERS} processes", client=pool)
        measure(f"{WORKERS} processes, store", client=pool, store=True)
        counter = Counter(pool)
        db.sweep(SCENARIO, GRID, repeat=REPEAT, client=counter)
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        print("dask.distributed is not installed")
    else:
        with (
            LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            db.run(SCENARIO, seeds=range(WORKERS), client=client)
            # The scheduler of a local cluster is in this process.
            measure(f"Dask, {WORKERS} workers", client=client)
            measure(f"Dask, {WORKERS} workers, store", client=client, store=True)
    sizes = counter.sizes
    print(f"{len(sizes)} batches of {RUNS / len(sizes):.0f} runs in the mean")
    print(f"{sum(sizes) / RUNS:.0f} bytes a run come back")


if __name__ == "__main__":
    main()
