"""A store is the same for Python and the command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import dumbbell as db


def scenario(folder: Path) -> Path:
    file = folder / "s.toml"
    file.write_text(db.dumbbell(loss=0.01, flows=["veno"], duration="5 s").to_toml())
    return file


def test_runs_of_the_command_are_taken(binary: Path, tmp_path: Path) -> None:
    file, store = scenario(tmp_path), tmp_path / "runs.sqlite"
    asked = [binary, "run", file, "--repeat", "3", "--seed", "1", "--store", store, "--json"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    runs = db.run(db.Scenario.load(file), seeds=[1, 2, 3], samples=False, store=store)
    assert (runs.taken, runs.computed) == (3, 0)
    goodputs = [json.loads(line)["flows"][0]["goodput_bps"] for line in told.splitlines()]
    assert runs.flows["goodput"].to_list() == goodputs


def test_runs_of_python_are_taken_by_the_command(binary: Path, tmp_path: Path) -> None:
    file, store = scenario(tmp_path), tmp_path / "runs.sqlite"
    grid = {"bottleneck.loss.bernoulli": [0.01]}
    runs = db.sweep(db.Scenario.load(file), grid, repeat=3, store=store)
    assert runs.computed == 3
    sql = "SELECT count(*) AS runs FROM flows"
    assert db.query(store, sql)["runs"].to_list() == [3]
    asked = [binary, "query", store, sql, "--csv"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    # Without `--all-builds` there are only runs of the same build.
    assert told.split() == ["runs", "3"]
    asked = [binary, "run", file, "--repeat", "3", "--store", store, "--json"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    goodputs = [json.loads(line)["flows"][0]["goodput_bps"] for line in told.splitlines()]
    found = db.query(store, "SELECT goodput FROM flows ORDER BY seed")["goodput"].to_list()
    assert goodputs == found
    # The command has taken them: it has added none without samples.
    assert db.query(store, "SELECT count(*) AS n FROM flows", all_builds=True)["n"][0] == 3
