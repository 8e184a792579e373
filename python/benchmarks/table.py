"""How long a table of ten million samples takes to reach other libraries.

Run it with `python python/benchmarks/table.py`. It needs 600 MB of memory.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars
import pyarrow

import dumbbell as db


def large(rows: int) -> db.Table:
    """A table of so many samples: a fifth of a second of simulated time has a thousand of them."""
    per_second = 5000
    path = db.dumbbell(
        flows=["veno"],
        duration=f"{rows / per_second / 4:.0f} s",
        probe={"interval": "0.2 ms", "values": ["cwnd", "ssthresh", "queue", "rtt"]},
    )
    return db.run(path).samples


def fastest(work: Callable[[], Any], times: int = 5) -> float:
    """The least time of several, in milliseconds."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken) * 1e3


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    table = large(parser.parse_args().rows)
    print(f"{len(table)} rows, {len(table.columns)} columns")
    address = table["time_s"].__array_interface__["data"][0]
    arrow = pyarrow.table(table)
    assert arrow["time_s"].chunk(0).buffers()[1].address == address, "pyarrow has a copy"
    frame = polars.DataFrame(table)
    begun = frame["time_s"].to_numpy(allow_copy=False).__array_interface__["data"][0]
    assert begun == address, "polars has a copy"
    for name, work in [
        ("polars.DataFrame(table)", lambda: polars.DataFrame(table)),
        ("pyarrow.table(table)", lambda: pyarrow.table(table)),
        ("numpy.asarray(table['time_s'])", lambda: np.asarray(table["time_s"])),
    ]:
        print(f"{name:32} {fastest(work):8.3f} ms")


if __name__ == "__main__":
    main()
