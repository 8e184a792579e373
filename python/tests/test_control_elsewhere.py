"""Controls in Python in `explain`, `matrix`, `list`, and on other processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

import dumbbell as db
from dumbbell.cluster import processes


class Explained(db.Control):
    """A control that gives its reasons."""

    keep: Annotated[float, db.Range(0, 1)] = 0.75
    applied: Any

    def __init__(self) -> None:
        self.applied = "nothing yet"

    def on_loss(self, loss: Any) -> None:
        self.applied = ("my loss", "N = {backlog} < 1000", "{cwnd} x {keep}", "my thesis, p. 3")
        self.cut(self.keep)

    def on_timeout(self, timeout: Any) -> None:
        self.applied = "my timeout"
        self.restart(timeout)

    def explain(self) -> dict[str, Any]:
        return {"backlog": self.backlog, "mood": "calm", "rule": self.applied}


def lossy(*flows: Any) -> db.Scenario:
    return db.dumbbell(rate="1 Mb/s", loss=0.03, flows=flows, duration="20 s")


def test_its_reasons_are_in_the_sentences() -> None:
    found = db.explain(lossy(Explained), progress=False)
    text = str(found)
    assert "my loss" in text and "x 0.75" in text and "my thesis, p. 3" in text
    assert "N = " in text


def test_it_is_a_contender_of_the_matrix(tmp_path: Path) -> None:
    path = tmp_path / "path.toml"
    path.write_text(lossy("reno").to_toml())
    found = db.matrix([Explained, "veno"], path, repeat=2, progress=False)
    assert found.matrix is not None
    assert {"explained", "veno"} <= set(found.matrix["control"].to_list())


@pytest.fixture
def registered() -> Iterator[None]:
    db.register(Explained)
    yield
    db.unregister("explained")


def test_a_registered_class_is_listed(registered: None) -> None:
    names = db.list()["name"].to_list()
    assert "explained" in names and "veno" in names


def test_other_processes_have_the_class(tmp_path: Path) -> None:
    class Local(Explained):
        def on_loss(self, loss: Any) -> None:
            self.cut(0.6)

    here = db.run(lossy(Local), seeds=range(4), progress=False)
    with processes(2) as client:
        there = db.run(lossy(Local), seeds=range(4), client=client, store=tmp_path / "s", progress=False)
    assert there.flows == here.flows
    # The store knows the code wherever it was computed.
    again = db.run(lossy(Local), seeds=range(4), store=tmp_path / "s", progress=False)
    assert again.taken == 4


def test_an_exception_comes_back_from_another_process() -> None:
    class Broken(Explained):
        def on_loss(self, loss: Any) -> None:
            raise LookupError("what a loss")

    with processes(1) as client, pytest.raises(LookupError, match="what a loss") as caught:
        db.run(lossy(Broken), client=client, progress=False)
    assert any("simulated time" in note for note in caught.value.__notes__)


def test_results_pickle() -> None:
    found = db.run(lossy(Explained), progress=False)
    assert pickle.loads(pickle.dumps(found)).flows == found.flows
