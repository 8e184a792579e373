"""Whatever Python hands over, the interpreter survives: mistakes are exceptions, and so is a panic."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dumbbell as db
from dumbbell import _native

MISTAKES = (db.ScenarioError, TypeError, ValueError)


class HostileError(Exception):
    """What hostile objects raise: it passes through as it is."""


def hostile(name: str, answer: Any) -> Any:
    """An object whose method of this name gives this answer, or raises it."""

    def method(self: Any, *args: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return type("Hostile", (), {name: method})()


ANSWERS = [HostileError(), None, -1, 2**70, float("nan"), "text", [], object(), [[[]]], b"\xff"]
METHODS = ["__iter__", "__float__", "__index__", "__repr__", "__str__", "tolist", "__len__"]
HOSTILE = [hostile(name, answer) for name in METHODS for answer in ANSWERS]


def the_hostile(number: int) -> Any:
    return HOSTILE[number]


def cyclic() -> list[Any]:
    array: list[Any] = []
    array.append(array)
    table: dict[str, Any] = {}
    table["a"] = {"b": [table]}
    return [array, table, {"flow": array}]


KEYS = [
    "name",
    "duration",
    "seed",
    "warmup",
    "dumbbell",
    "access",
    "bottleneck",
    "rate",
    "delay",
    "queue",
    "droptail",
    "loss",
    "bernoulli",
    "flow",
    "control",
    "recovery",
    "count",
    "start",
    "probe",
    "sweep",
    "grid",
    "red",
    "source",
    "graph",
]
TEXTS = st.one_of(
    st.sampled_from(["10 s", "1 Mb/s", "5 ms", "veno", "reno", "sack", "", "-1 s", "1e400 s"]),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.text(st.characters(categories=["Cs"]), min_size=1, max_size=2),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**66),
    st.floats(),
    TEXTS,
    st.binary(max_size=4),
    st.complex_numbers(),
    st.sampled_from([np.float32(0.1), np.int8(-3), np.uint64(2**64 - 1), np.bool_(True)]),
    st.sampled_from([np.array([]), np.array(5), np.eye(2), np.array(["a"]), np.array([None])]),
    # By number, because Hypothesis wants the `repr` of what it samples from.
    st.builds(the_hostile, st.integers(0, len(HOSTILE) - 1)),
    st.sampled_from([object(), int, print, db.Control, db.dumbbell(), ..., {1, 2}, range(3)]),
    st.builds(iter, st.lists(st.integers(), max_size=3)),
    st.sampled_from(cyclic()),
)
MAPPINGS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), TEXTS), inner, max_size=6),
        st.dictionaries(st.one_of(st.integers(), st.none(), TEXTS), inner, max_size=2),
    ),
    max_leaves=30,
)
QUICK = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@QUICK
@given(MAPPINGS)
@example({})
@example({"duration": "1 s", "flow": [{}] * 1000})
def test_any_mapping_is_a_scenario_or_a_mistake(mapping: Any) -> None:
    try:
        scenario = db.Scenario(mapping)
    except (*MISTAKES, HostileError):
        return
    assert db.Scenario.parse(scenario.to_toml()) == scenario


RIGHT = db.dumbbell(loss=0.01, flows=["veno"], duration="1 s")
PATHS = ["duration", "flow.control", "bottleneck.rate", "bottleneck.loss.bernoulli", "seed", "", "."]


@QUICK
@given(st.one_of(st.sampled_from(PATHS), TEXTS), MAPPINGS)
def test_any_value_can_be_set_or_is_a_mistake(path: str, value: Any) -> None:
    try:
        RIGHT.set(path, value)
    except (*MISTAKES, HostileError):
        return


@QUICK
@given(st.dictionaries(st.sampled_from(["rate", "delay", "buffer", "loss", "flows"]), MAPPINGS))
def test_any_argument_of_a_builder_is_taken_or_a_mistake(arguments: dict[str, Any]) -> None:
    try:
        db.dumbbell(**arguments)
    except (*MISTAKES, HostileError):
        return


@settings(QUICK, max_examples=100)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_text_is_a_scenario_or_a_mistake(text: str) -> None:
    try:
        db.Scenario.parse(text, text)
    except db.ScenarioError:
        return


def test_what_is_too_much_is_a_mistake() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested more than"):
        db.Scenario({"a": deep})
    # A few lists that contain the one before twice are a list of 2 ** 60 numbers.
    wide: Any = [1]
    for _ in range(60):
        wide = [wide, wide]
    with pytest.raises(ValueError, match=r"more than .* values"):
        db.Scenario({"a": wide})
    with pytest.raises(ValueError, match=r"more than .* values"):
        db.Scenario({"a": itertools.count()})
    for table in cyclic()[1:]:
        with pytest.raises(ValueError, match="nested more than"):
            db.Scenario(table)
    with pytest.raises(MISTAKES):
        db.Scenario({"duration": hostile("__index__", 2**70)})
    # To release it takes as long a way down.
    while isinstance(deep, list):
        deep = deep.pop()


def test_a_text_that_is_no_unicode_is_a_mistake() -> None:
    for mapping in [{"name": "\ud800"}, {"\ud800": 1}, {"a": ["\udfff"]}]:
        with pytest.raises(MISTAKES):
            db.Scenario(mapping)


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(db.Panic, match=r"which is a bug.*: what happened"):
        _native._panic("what happened")
    assert issubclass(db.Panic, db.Error)
    # Nothing is broken by it.
    assert len(db.run(RIGHT).flows) == 1


def test_the_interpreter_runs_on_meanwhile() -> None:
    # Half a second on a fast machine.
    path = RIGHT.set("duration", "30000 s")
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = time.monotonic()
    db.run(path, samples=False)
    took = time.monotonic() - before
    during = counted
    stop.set()
    thread.join()
    # On a machine that does nothing else it is nearly one for each millisecond.
    assert took > 0.05, "the run is too short to tell"
    assert during > took * 50


@pytest.mark.parametrize("wrong", [RuntimeError("enough"), KeyboardInterrupt()])
def test_an_exception_of_the_progress_function_ends_the_work(wrong: BaseException) -> None:
    calls = []

    def progress(done: float, planned: int) -> None:
        calls.append((done, planned))
        raise wrong

    path = RIGHT.set("duration", "100000 s")
    before = time.monotonic()
    with pytest.raises(type(wrong)):
        db.run(path, progress=progress)
    assert time.monotonic() - before < 5, "the run would take minutes"
    assert len(calls) == 1, "it is not called again"


def test_progress_is_told_up_to_the_end() -> None:
    calls: list[tuple[float, int]] = []
    db.run(RIGHT, seeds=range(5), progress=lambda done, planned: calls.append((done, planned)))
    assert calls[-1] == (5, 5)
    assert calls == sorted(calls)


LONG = """
    import sys, time
    import dumbbell as db
    path = db.dumbbell(loss=0.01, flows=["veno"], duration="2000 s")
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
        sys.exit(7)
"""


@pytest.mark.parametrize(
    "call",
    [
        "db.run(path, seeds=range(10_000), store=sys.argv[1])",
        "db.sweep(path, {'bottleneck.loss.bernoulli': [0.01, 0.02]}, repeat=9999, store=sys.argv[1])",
        "db.trace(path.set('duration', '1000000 s'), to=sys.argv[1] + '.csv')",
        "db.explain(path.set('duration', '1000000 s'))",
    ],
)
def test_ctrl_c_ends_long_work_soon(call: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    program = textwrap.dedent(LONG).format(call=call)
    child = subprocess.Popen([sys.executable, "-c", program, store], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.5)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    told, _ = child.communicate(timeout=30)
    assert child.returncode == 7
    # The clock is that of the machine, for all processes.
    # A moment on a quiet machine; the runs themselves would take minutes.
    assert float(told) - begun < 5
    if "store" not in call:
        assert list(tmp_path.iterdir()) == [], "half a trace is none"
        return
    # What was finished is there, and nothing is broken.
    count = db.query(store, "SELECT count(*) AS runs FROM flows", all_builds=True)["runs"][0]
    assert count > 0
    path = db.dumbbell(loss=0.01, flows=["veno"], duration="2000 s")
    if "run(" in call:
        again = db.run(path, seeds=range(2), store=store, samples="first")
        assert again.taken >= 1
        assert again.flows == db.run(path, seeds=range(2)).flows


ENDLESS = """
import sys, time
import dumbbell as db

class Endless(db.Control):
    def on_ack(self, ack):
        print("ready", flush=True)
        while True:
            time.sleep(0.01)

try:
    db.run(db.dumbbell(flows=[Endless], duration="1 s"))
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_ctrl_c_ends_a_control_that_never_returns() -> None:
    child = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    try:
        child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == 7
