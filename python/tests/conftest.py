"""What several tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db

# Figures need no screen.
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture
def path() -> db.Scenario:
    """A lossy path, five seconds long."""
    return db.dumbbell(
        rate="2 Mb/s",
        delay="20 ms",
        buffer=20,
        loss=0.01,
        flows=[db.flow("veno", name="main")],
        duration="5 s",
        name="lossy",
    )


@pytest.fixture(scope="session")
def binary() -> Path:
    """The command, which the environment variable DUMBBELL_BINARY names."""
    named = os.environ.get("DUMBBELL_BINARY")
    if named is None:
        pytest.skip("DUMBBELL_BINARY does not name the command to compare with")
    return Path(named).resolve(strict=True)


@pytest.fixture
def tidy() -> dict[str, list[Any]]:
    """A sweep's table of groups: two controls at four losses, each with three seeds."""
    rows = [
        (loss, control, seed, 1e6 * (2 + number - 0.1 * place + 0.01 * seed))
        for place, loss in enumerate([0.001, 0.01, 0.1, 1.0])
        for number, control in enumerate(["veno", "cubic"])
        for seed in (1, 2, 3)
    ]
    names = ["bottleneck.loss.bernoulli", "flow.main.control", "seed", "goodput"]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Closes the figures that a test has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _registered_classes_are_taken_back() -> Iterator[None]:
    """A class that a test registers is not known to the next one."""
    before = set(db.list()["name"])
    yield
    for name in set(db.list()["name"]) - before:
        db.unregister(name)
