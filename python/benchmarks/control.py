"""What an ACK costs in a control in Python, beside the same rule in Rust.

Run it alone on a machine: ``python python/benchmarks/control.py``. Each control runs the same path; the
time is that of the process, and the least of a few repetitions counts.
"""

from __future__ import annotations

import time
from typing import Any

import dumbbell as db

REPETITIONS = 5


class Plain(db.Control):
    """Reno, spelled out."""

    def on_ack(self, ack: db.control.Ack) -> None:
        """Grows."""
        if ack.app_limited:
            return
        self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd

    def on_loss(self, loss: db.control.Loss) -> None:
        """Halves."""
        self.cwnd = self.ssthresh = max(self.cwnd / 2, 2)


class Helped(db.Control):
    """Reno by the methods of the base class."""


class Sampled(Plain):
    """The same, and told of every ACK twice."""

    def on_sample(self, sample: db.control.Sample) -> None:
        """Does nothing."""


def cost(control: Any) -> tuple[float, int]:
    """The seconds of a run, and the segments that it sent."""
    scenario = db.dumbbell(rate="100 Mb/s", delay="10 ms", buffer=200, flows=[control], duration="30 s")
    least = float("inf")
    for _ in range(REPETITIONS):
        begun = time.process_time()
        runs = db.run(scenario, samples=False, jobs=1, progress=False)
        least = min(least, time.process_time() - begun)
    return least, runs.flows["sent"][0]


def main() -> None:
    """Prints a line for each control."""
    rust, sent = cost("reno")
    print(f"{'Rust':8} {rust / sent * 1e9:7.0f} ns a segment")
    for control in (Plain, Helped, Sampled):
        seconds, count = cost(control)
        more = (seconds / count - rust / sent) * 1e9
        print(f"{control.__name__:8} {seconds / count * 1e9:7.0f} ns a segment, {more:.0f} ns more")


if __name__ == "__main__":
    main()
