"""Uses of the library as its users write them, whose types pyright and mypy check; it is not run."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np

import dumbbell as db

path = db.dumbbell(rate="2 Mb/s", delay=0.01, buffer=60, loss=0.02, flows=[db.flow("venodb"), "reno"])
assert_type(path, db.Scenario)
assert_type(db.Scenario.load(Path("my.toml")), db.Scenario)
assert_type(db.Scenario({"duration": "1 s"}), db.Scenario)
assert_type(path.set("flow.control", "veno"), db.Scenario)
assert_type(path.set({"flow.control": "veno", "seed": 3}), db.Scenario)
assert_type(path.flows, list[str])

runs = db.run(path, seeds=range(10), samples="all", jobs=2, store=Path("runs.sqlite"))
assert_type(runs, db.Runs)
assert_type(runs.groups, db.Table)
assert_type(runs.summary(), db.Table)
assert_type(db.run(path, seeds=3, progress=lambda done, planned: print(done / planned)), db.Runs)

table = runs.flows
assert_type(len(table), int)
assert_type(table.columns, list[str])
assert_type(table.units["goodput"], str | None)
assert_type(table["goodput"], db.Column)
assert_type(table.to_csv(), str)
table.to_csv("flows.csv")
for row in table.rows():
    assert_type(row, dict[str, Any])
np.asarray(table["goodput"])

swept = db.sweep(path, {"bottleneck.loss.bernoulli": [0.01, 0.02]}, repeat=3)
assert_type(swept, db.Sweep)

found = db.reproduce("venodb", "matrix", quick=True, store="runs.sqlite")
assert_type(found, db.Reproduction)
assert_type(found.claims, db.Table)
assert_type(found.figures["venodb-fig2"], db.Table)
assert_type(found.drawings["venodb-fig2"], db.Drawing)
assert_type(found.matrix, db.Table | None)
assert_type(found.write("out"), Path)
assert_type(found.report(), str)
db.matrix(["veno", "cubic"], ["my.toml", Path("other.toml")], repeat=3)
db.matrix("veno:beta=4", "my.toml")

why = db.explain(path, flow=["venodb", 2], start=1.5, all=True)
assert_type(why, db.Explanation)
assert_type(why.steps, db.Table)
assert_type(str(why), str)

assert_type(db.equation("veno", rtt="100 ms", gamma=0.8, loss=[0.01, 0.02]), db.Table)
db.equation("tfrc", rtt=0.1, rate=np.array([1e6, 2e6]))
assert_type(db.list(), db.Table)
assert_type(db.parameters(), db.Table)
assert_type(db.measures(), db.Table)
assert_type(db.trace(path, flows="venodb"), db.Table)
assert_type(db.trace(path, to="run.pcap"), None)  # type: ignore[func-returns-value]
assert_type(db.query("runs.sqlite", "SELECT 1"), db.Table)


class Mine(db.Control):
    """Reno, gentler."""

    beta: float = 0.8

    def on_ack(self, ack: db.control.Ack) -> None:
        """Grows by a segment a round-trip time."""
        self.cwnd += 1 / self.cwnd

    def on_loss(self, loss: db.control.Loss) -> None:
        """Keeps a part of the window."""
        self.cwnd *= self.beta


db.run(path.set("flow.venodb.control", Mine))
db.register(Mine)
db.matrix([Mine, "veno"])
