"""`explain`: the command's lines, and the same as a table."""

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db


@pytest.fixture(scope="module")
def two() -> db.Scenario:
    flows = [db.flow("veno", name="a"), db.flow("cubic", name="b")]
    return db.dumbbell(loss=0.01, flows=flows, duration="10 s")


def test_a_random_loss_is_told_from_congestion_by_the_backlog(two: db.Scenario) -> None:
    steps = list(db.explain(two, flow="a").steps.rows())
    random = [row for row in steps if row["rule"] == "random loss"]
    congestion = [row for row in steps if row["rule"] == "congestion"]
    # Fu and Liew 2003, section II: a backlog N below beta = 3 means a random loss, which costs a fifth.
    assert random and all(row["before.backlog"] < 3 for row in random)
    assert congestion and all(row["before.backlog"] >= 3 for row in congestion)
    for row in random:
        assert row["cwnd_after"] == pytest.approx(0.8 * row["cwnd_before"], rel=1e-6)
        assert "Fu and Liew 2003" in row["sentence"] and row["flow"] == "a"
    assert steps == sorted(steps, key=lambda row: row["time_s"])


def test_it_prints_the_lines_of_the_command(two: db.Scenario, binary: Path, tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(two.to_toml())
    for asked, options in [
        ({}, []),
        (
            {"flow": 2, "start": 2, "end": 5, "all": True, "seed": 7},
            ["--flow", "2", "--from", "2 s", "--to", "5 s", "--all", "--seed", "7"],
        ),
    ]:
        found = db.explain(two, **asked)  # type: ignore[arg-type]
        told = subprocess.run([binary, "explain", file, *options], check=True, capture_output=True, text=True)
        assert str(found) == told.stdout
        told = subprocess.run(
            [binary, "explain", file, *options, "--json"], check=True, capture_output=True, text=True
        )
        lines = [json.loads(line) for line in told.stdout.splitlines()]
        assert len(found.steps) == len(lines) == len(found)
        for row, line in zip(found.steps.rows(), lines, strict=True):
            for name in ["time_s", "until_s", "count", "kind", "cwnd_before", "ssthresh_after"]:
                assert row[name] == line[name]
            values = {key: row[f"before.{key}"] for key in line["values"]}
            assert values == line["values"]


def test_a_run_that_is_explained_is_the_run_itself(two: db.Scenario) -> None:
    steps = db.explain(two, all=True).steps
    samples = db.run(two).samples
    cwnd = [row for row in samples.rows() if row["subject"] == "a" and row["quantity"] == "cwnd"]
    last = [row for row in steps.rows() if row["flow"] == "a"][-1]
    assert cwnd[-1]["value"] == pytest.approx(last["cwnd_after"], abs=1)


def test_it_is_shown_and_pickled(two: db.Scenario) -> None:
    found = db.explain(two)
    assert found.totals in repr(found) and str(found).endswith(f"{found.totals}\n")
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found) and again.steps == found.steps
    assert found._repr_html_().startswith("<pre")
    long = db.explain(two, all=True, flow=[1, "b"])
    assert len(long) > len(found)
    assert "more: print() shows all" in long._repr_html_()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"flow": "c"}, "there is no flow `c`; the flows are 1 a, 2 b"),
        ({"flow": 3}, "there is no flow `3`"),
        ({"start": 11}, "start 11 s is after the end of the run"),
        ({"start": 3, "end": 2}, "start 3 s is later than end 2 s"),
        ({"end": float("nan")}, "end is NaN"),
        ({"end": -1}, "end is -1"),
    ],
)
def test_wrong_questions(two: db.Scenario, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        db.explain(two, **asked)


def test_a_rate_has_no_window() -> None:
    path = db.dumbbell(flows=[{"name": "m", "rate_control": "tfrc"}, "reno"], duration="2 s")
    with pytest.raises(ValueError, match="has a rate and no congestion window"):
        db.explain(path, flow="m")
