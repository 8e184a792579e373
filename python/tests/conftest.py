"""What several tests share."""

from __future__ import annotations

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
