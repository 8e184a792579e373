"""Controls of the registry, written again in Python, do what those in Rust do."""

from __future__ import annotations

import pytest
from controls import PyReno, PyTfrc, PyVeno

import dumbbell as db

PROBE = {"interval": "100 ms", "values": ["cwnd", "ssthresh", "rtt"]}

PATHS = {
    "clean": {"rate": "2 Mb/s", "delay": "20 ms", "buffer": 20},
    "random losses": {"rate": "2 Mb/s", "delay": "40 ms", "buffer": 60, "loss": 0.01},
    "many losses": {"rate": "2 Mb/s", "delay": "10 ms", "buffer": 30, "loss": 0.05},
    "long": {"rate": "10 Mb/s", "delay": "100 ms", "buffer": 100, "loss": 0.001},
}


def both(
    mine: type[db.Control], builtin: str, path: str, recovery: str, seeds: range
) -> tuple[db.Runs, db.Runs]:
    def runs(control: object) -> db.Runs:
        flow = db.flow(control, name="main", recovery=recovery)
        scenario = db.dumbbell(**PATHS[path], flows=[flow], duration="60 s", probe=PROBE)
        return db.run(scenario, seeds=seeds, samples="all", progress=False)

    return runs(mine), runs(builtin)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("mine", "builtin", "recovery"),
    [
        (PyReno, "reno", "reno"),
        (PyReno, "reno", "sack"),
        (PyVeno, "veno", "reno"),
        (PyVeno, "veno", "newreno"),
    ],
)
def test_a_twin_has_the_same_windows_and_outcome(
    mine: type[db.Control], builtin: str, recovery: str, path: str
) -> None:
    ours, theirs = both(mine, builtin, path, recovery, range(1, 4))
    assert ours.samples["quantity"].to_list() == theirs.samples["quantity"].to_list()
    values = zip(ours.samples["value"].to_list(), theirs.samples["value"].to_list(), strict=True)
    farthest = max(abs(a - b) for a, b in values)
    # Each ACK rounds the window to 2^-32 segments in another way; 1,000 ACKs are 2.3e-7.
    assert farthest < 1e-5
    assert ours.flows["sent"].to_list() == theirs.flows["sent"].to_list()
    for column, unit in ours.flows.units.items():
        if unit is not None:
            for one, other in zip(ours.flows[column], theirs.flows[column], strict=True):
                assert one == (other if other is None else pytest.approx(other, rel=1e-6)), column


@pytest.mark.parametrize("loss", [None, 0.02, {"bernoulli": 0.4, "on": "all"}])
def test_tfrc_in_python_is_tfrc(loss: object) -> None:
    def runs(control: object) -> db.Runs:
        path = {"rate": "1 Mb/s", "delay": "20 ms", "buffer": 30}
        flow = {"rate_control": control, "name": "media"}
        probe = {"interval": "100 ms", "values": ["explain", "rate"]}
        scenario = db.dumbbell(**path, loss=loss, flows=[flow], duration="60 s", probe=probe)
        return db.run(scenario, seeds=range(1, 4), samples="all", progress=False)

    def rates(of: db.Runs) -> list[float]:
        rows = of.samples.rows()
        return [row["value"] for row in rows if row["quantity"] == "explain.allowed_rate"]

    ours, theirs = runs(PyTfrc), runs("tfrc")
    assert len(rates(theirs)) > 1000
    assert rates(ours) == pytest.approx(rates(theirs), rel=1e-9)
    for column in ["sent", "goodput", "rtt"]:
        assert ours.flows[column].to_list() == theirs.flows[column].to_list()


def test_runs_repeat_themselves() -> None:
    first, _ = both(PyVeno, "veno", "random losses", "reno", range(1, 3))
    again, _ = both(PyVeno, "veno", "random losses", "reno", range(1, 3))
    assert first.samples == again.samples
    assert first.flows == again.flows
