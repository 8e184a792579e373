"""Which code of a control belongs to which run in a store."""

from __future__ import annotations

import copy
import enum
import functools
import importlib
import math
import random
import sys
import types
from pathlib import Path
from typing import Annotated, Any

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


CALLS = "class C(db.Control):\n    def on_loss(self, loss):\n        self.cut(other(2))"


def attributed(factor: float) -> Any:
    def times(window: float) -> float:
        return window * times.factor  # type: ignore[attr-defined]

    times.factor = factor  # type: ignore[attr-defined]
    return times


def decorated(factor: float) -> Any:
    """What a decorator of an installed package returns."""
    scope: dict[str, Any] = {"__name__": "pytest"}
    exec("def decorator(f):\n    def inner(x): return f(x)\n    return inner", scope)
    return scope["decorator"](lambda window: window * factor)


def wrapped(factor: float) -> Any:
    return functools.wraps(math.floor)(lambda window: window * factor)


@pytest.mark.parametrize(
    "other", [attributed, decorated, wrapped, lambda it: {2: it}.get], ids=lambda it: it.__name__
)
def test_functions_of_another_state_have_another_identity(other: Any) -> None:
    assert code(source(CALLS, other=other(0.5))) == code(source(CALLS, other=other(0.5)))
    assert code(source(CALLS, other=other(0.5))) != code(source(CALLS, other=other(0.6)))


def test_functions_that_hide_what_they_do_are_unknown() -> None:
    numpy = pytest.importorskip("numpy")
    for other in (random.Random(1).random, numpy.frompyfunc(abs, 1, 1)):
        found, why = identity(source(CALLS, other=other), db.Control)
        assert found is None and why is not None and "`other`, which C.on_loss names" in why
    assert code(source(CALLS, other=numpy.exp)) != code(source(CALLS, other=numpy.log))


@pytest.mark.parametrize(
    "text",
    [
        "class C(db.Control):\n    def on_loss(self, loss): self.cut(factors_of_mine.beta)",
        "class C(db.Control):\n    of = factors_of_mine\n    def on_loss(self, loss): self.cut(self.of.beta)",
        "class C(db.Control):\n    def on_loss(self, loss):\n        import factors_of_mine\n"
        "        self.cut(factors_of_mine.beta)",
    ],
    ids=["global", "field", "import"],
)
def test_what_a_module_holds_is_part_of_a_control(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "factors_of_mine.py").write_text("beta = 0.5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("factors_of_mine")
    try:
        before = code(source(text, factors_of_mine=module))
        assert code(source(text, factors_of_mine=module)) == before
        monkeypatch.setattr(module, "beta", 0.6)
        assert code(source(text, factors_of_mine=module)) != before
    finally:
        del sys.modules["factors_of_mine"]


def test_a_file_of_ones_own_may_have_the_name_of_one_of_python() -> None:
    def control(factor: float, file: str) -> type[db.Control]:
        scope: dict[str, Any] = {"__name__": "profile", "db": db}
        exec(f"class C(db.Control):\n    def on_loss(self, loss): self.cut({factor})", scope)
        sys.modules["profile"] = types.ModuleType("profile")
        sys.modules["profile"].__file__ = file
        return scope["C"]

    kept = sys.modules.get("profile")
    try:
        own = [code(control(factor, "/home/me/profile.py")) for factor in (0.5, 0.6)]
    finally:
        del sys.modules["profile"]
        if kept is not None:
            sys.modules["profile"] = kept
    assert own[0] != own[1]


def test_flags_and_ranges_are_known() -> None:
    class Flags(enum.Flag):
        one = 1
        two = 2

    values = [Flags(0), Flags.one, Flags.one | Flags.two]
    assert len({code(source(CALLS, other=value)) for value in values}) == 3
    ranged = "class C(db.Control):\n    beta: Annotated[float, db.Range(0, 1)] = 0.5"
    assert code(source(ranged, Annotated=Annotated)) == code(source(ranged, Annotated=Annotated))


def test_a_copy_of_a_control_changes_nothing() -> None:
    control = source(BASE)
    before = code(control)
    copy.copy(control.__new__(control))
    assert code(control) == before
