"""`query`: SQL over a store."""

import subprocess
from pathlib import Path

import pytest

import dumbbell as db


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("query") / "runs.sqlite"
    for loss in [0.001, 0.02]:
        path = db.dumbbell(loss=loss, flows=["veno"], duration="5 s")
        db.run(path, seeds=range(3), store=store)
    return store


def test_a_question_is_answered_with_units(store: Path) -> None:
    table = db.query(store, "SELECT seed, goodput FROM flows ORDER BY goodput DESC")
    assert len(table) == 6 and table.units["goodput"] == "bit/s"
    paths = [db.dumbbell(loss=it, flows=["veno"], duration="5 s") for it in [0.001, 0.02]]
    found = [db.run(path, seeds=range(3)).flows["goodput"].to_list() for path in paths]
    assert table["goodput"].to_list() == sorted(found[0] + found[1], reverse=True)


def test_without_a_question_the_columns_are_listed(store: Path) -> None:
    table = db.query(store)
    assert set(table["table"]) == {"groups", "flows", "links", "settings"}
    assert {"table", "column", "type", "unit", "about"} == set(table.columns)


def test_a_wrong_question_is_explained(store: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="goodput"):
        db.query(store, "SELECT goodputt FROM flows")
    with pytest.raises(ValueError, match="it cannot change anything"):
        db.query(store, "DROP TABLE flows")
    with pytest.raises(FileNotFoundError, match="there is no store"):
        db.query(tmp_path / "nothing.sqlite")
    other = tmp_path / "other.sqlite"
    other.write_text("not a store, but long enough for one " * 30)
    with pytest.raises(db.StoreError):
        db.query(other)


def test_the_answer_is_that_of_the_command(store: Path, binary: Path) -> None:
    sql = 'SELECT "group", seed, goodput, sent FROM groups ORDER BY seed, goodput'
    asked = [binary, "query", store, sql, "--csv", "--all-builds"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    table = db.query(store, sql, all_builds=True)
    lines = [line.split(",") for line in told.splitlines()[1:]]
    assert [[row["group"], row["seed"]] for row in table.rows()] == [
        [line[0], int(line[1])] for line in lines
    ]
    assert table["goodput"].to_list() == [float(line[2]) for line in lines]
