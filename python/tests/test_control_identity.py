"""Which code of a control belongs to which run in a store."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell._identity import identity

FACTOR = 0.5


def helper(window: float) -> float:
    return window * FACTOR


def code(control: type) -> bytes:
    found, why = identity(control, db.Control)
    assert found is not None, why
    return found


def made(factor: float) -> type[db.Control]:
    class Made(db.Control):
        def on_loss(self, loss: Any) -> None:
            self.cut(factor)

    return Made


def source(text: str, **names: Any) -> type[db.Control]:
    scope: dict[str, Any] = {"db": db, "__name__": "__main__", **names}
    exec(text, scope)
    return scope["C"]


BASE = """
class C(db.Control):
    gain: float = 0.5
    def on_loss(self, loss):
        self.cut(self.gain)
"""


def test_the_same_code_has_the_same_identity() -> None:
    assert code(made(0.5)) == code(made(0.5))
    assert code(source(BASE)) == code(source(BASE))
    # A comment changes nothing.
    assert code(source(BASE)) == code(source(BASE.replace("gain)", "gain)  # why")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.gain)", "self.gain * 2)"),
        ("= 0.5", "= 0.6"),
        ("cut", "_cut"),
        ("(self, loss)", "(self, loss=3)"),
        ("class C(db.Control):", "class C(db.Control):\n    version = 2"),
        ("class C(db.Control):", "class P(db.Control):\n    x = 1\nclass C(P):"),
    ],
)
def test_changed_code_has_another_identity(before: str, after: str) -> None:
    assert code(source(BASE)) != code(source(BASE.replace(before, after)))


def test_what_a_control_reaches_is_part_of_it() -> None:
    assert code(made(0.5)) != code(made(0.6))
    text = "class C(db.Control):\n    def on_loss(self, loss):\n        self.cut(other(2))"

    def times(n: int) -> Any:
        return lambda x: x * n

    assert code(source(text, other=times(2))) == code(source(text, other=times(2)))
    assert code(source(text, other=times(2))) != code(source(text, other=times(3)))
    parents = [source(BASE), source(BASE.replace("0.5", "0.4"))]
    child = "class C(Parent):\n    pass"
    one, other = (source(child, Parent=parent) for parent in parents)
    assert code(one) != code(other)
    # Modules and functions of Python have an identity.
    assert code(source(text, other=math.sqrt)) != code(source(text, other=math.exp))


def test_a_global_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Helped(db.Control):
        def on_loss(self, loss: Any) -> None:
            self.cwnd = self.ssthresh = max(2, helper(self.cwnd))

    store = tmp_path / "runs.sqlite"
    scenario = db.dumbbell(loss=0.02, flows=[Helped], duration="5 s")

    def run() -> tuple[int, float]:
        found = db.run(scenario, store=store, progress=False)
        return found.taken, found.flows["window"][0]

    taken, half = run()
    assert taken == 0
    assert run() == (1, half)
    monkeypatch.setitem(globals(), "FACTOR", 0.9)
    taken, most = run()
    assert taken == 0 and most > half
    monkeypatch.undo()
    assert run() == (1, half)


def test_runs_of_unknown_code_are_not_kept(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with (tmp_path / "file").open("w") as file:

        class Open(db.Control):
            def on_loss(self, loss: Any) -> None:
                assert not file.closed
                self.cut(0.5)

        scenario = db.dumbbell(loss=0.02, flows=[Open], duration="5 s")
        for _ in range(2):
            with pytest.warns(UserWarning, match=r"`open` are not kept .*`file`, which .*on_loss"):
                found = db.run(scenario, store=store, progress=False)
            assert (found.taken, found.computed) == (0, 1)
        # Without a store there is nothing to warn of.
        db.run(scenario, progress=False)


def test_a_store_keeps_runs_of_a_control(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"

    def run(control: type[db.Control]) -> int:
        scenario = db.dumbbell(loss=0.02, flows=[control], duration="5 s")
        return db.run(scenario, seeds=range(3), store=store, progress=False).taken

    assert [run(made(0.5)), run(made(0.6)), run(made(0.5)), run(made(0.6))] == [0, 0, 3, 3]


def test_circles_end() -> None:
    text = "class C(db.Control):\n    def on_loss(self, loss):\n        return C, f\ndef f(): return f, C"
    assert code(source(text)) == code(source(text))
