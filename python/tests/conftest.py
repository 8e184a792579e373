"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dumbbell as db


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
