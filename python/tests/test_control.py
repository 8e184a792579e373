"""Controls in Python: in scenarios, with parameters, and when they fail."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import textwrap
import threading
import traceback
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import cloudpickle
import pytest

import dumbbell as db


class Mine(db.Control):
    """A control with parameters."""

    factor: Annotated[float, db.Range(0, 1), "what remains after a loss"] = 0.7
    step: Annotated[int, db.Range(1, 8)] = 1
    eager: bool = False
    mode: Literal["plain", "strange"] = "plain"
    not_a_parameter: ClassVar[list[int]] = []
    _neither: float = 3.0

    def on_ack(self, ack: Any) -> None:
        self.grow(ack, gain=self.step)

    def on_loss(self, loss: Any) -> None:
        self.cut(self.factor)

    def explain(self) -> dict[str, Any]:
        return {"backlog": self.backlog, "rule": ("cut", "N = {backlog}", "{loss_window}", "here")}


def dumbbell(*flows: Any, duration: str = "10 s", **more: Any) -> db.Scenario:
    return db.dumbbell(rate="2 Mb/s", buffer=30, loss=0.02, flows=flows, duration=duration, **more)


def run(*flows: Any, **more: Any) -> db.Runs:
    return db.run(dumbbell(*flows, **more), progress=False)


def test_a_class_stands_where_a_name_can() -> None:
    flows = run(Mine, "reno", db.flow(Mine, name="b", parameters={"factor": 0.5})).flows
    assert flows["control"].to_list() == ["mine", "reno", "mine"]
    scenario = dumbbell("veno").set("flow.veno.control", Mine)
    assert scenario.controls == [Mine]
    assert "mine" in scenario.to_toml()
    assert db.run(scenario, progress=False).flows["control"].to_list() == ["mine"]


def test_parameters_are_set_and_swept() -> None:
    name = {"name": Mine, "factor": 0.25, "step": 2, "eager": True, "mode": "strange"}
    text = dumbbell(db.flow(name)).canonical()
    found = '{ name = "mine", factor = 0.25, step = 2, eager = true, mode = "strange" }'
    assert found in text
    seen = []

    class Told(Mine):
        def __init__(self) -> None:
            seen.append((self.factor, self.step, self.eager, self.mode, self.cwnd, self.mss))

    run(db.flow({**name, "name": Told}), tcp={"initial_window": 4})
    assert seen == [(0.25, 2, True, "strange", 4.0, 1000)]
    swept = db.sweep(
        dumbbell(db.flow(Mine, name="main")),
        {"flow.main.control.factor": [0.2, 0.9]},
        repeat=3,
        progress=False,
    )
    low, high = swept.summary()["window"].to_list()
    assert low < high


def test_the_control_is_swept() -> None:
    swept = db.sweep(
        dumbbell(db.flow("reno", name="main")),
        {"flow.main.control": ["reno", Mine, "veno"]},
        repeat=2,
        progress=False,
    )
    assert swept.groups["flow.main.control"].to_list() == ["reno"] * 2 + ["mine"] * 2 + ["veno"] * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bad": (list[int], [])}, "a parameter is a bool"),
        ({"bad": (float, "x")}, "its default is 'x'"),
        ({"bad": (float, -1.0)}, "outside its range"),
        ({"bad": (bool, 1)}, "is a bool"),
        ({"bad": (Literal["a"], "b")}, "one of a few strings"),
        ({"bad": (Annotated[int, db.Range(1, 2)], 3)}, "outside its range"),
    ],
)
def test_fields_that_are_no_parameters_are_refused(fields: dict[str, Any], message: str) -> None:
    annotations = {name: kind for name, (kind, _) in fields.items()}
    values = {name: value for name, (_, value) in fields.items()}
    bad = type("Bad", (db.Control,), {"__annotations__": annotations, **values})
    with pytest.raises((TypeError, ValueError), match=message):
        dumbbell(bad)


def test_wrong_values_are_shown_with_their_place() -> None:
    with pytest.raises(db.ScenarioError, match=r"a number from 0 to 1"):
        dumbbell(db.flow(Mine, parameters={"factor": 2}))
    with pytest.raises(db.ScenarioError, match=r"has no parameter `facter`"):
        dumbbell(db.flow(Mine, parameters={"facter": 0.5}))
    with pytest.raises(TypeError, match=r"is no control"):
        db.register(int)  # type: ignore[type-var]
    with pytest.raises(TypeError):
        dumbbell(db.flow(int))


def test_registered_names_are_known_everywhere() -> None:
    @db.register
    class Registered(Mine):
        name = "registered-control"

    assert run("registered-control").flows["control"].to_list() == ["registered-control"]
    with pytest.raises(db.ScenarioError, match=r"there is already a control `veno`"):
        db.register(type("Veno", (db.Control,), {}))
    # A later class replaces it.
    again = type("Again", (Mine,), {"name": "registered-control", "factor": 0.1})
    db.register(again)
    made = dumbbell("registered-control")
    assert made.controls == [again]
    # It can be taken back; a scenario keeps its class.
    db.unregister("registered-control")
    with pytest.raises(db.ScenarioError, match=r"no congestion control `registered-control`"):
        dumbbell("registered-control")
    assert db.run(made, progress=False).flows["control"].to_list() == ["registered-control"]
    with pytest.raises(KeyError, match="registered-control"):
        db.unregister("registered-control")


def test_classes_of_one_name_are_not_confused() -> None:
    one, other = (type("Twin", (Mine,), {"factor": factor}) for factor in [0.2, 0.3])
    with pytest.raises(db.ScenarioError, match=r"two different controls are called `twin`"):
        dumbbell(one, other)
    assert dumbbell(one) != dumbbell(other)
    alike = [type("Twin", (Mine,), {"factor": 0.2}) for _ in range(2)]
    assert dumbbell(alike[0]) == dumbbell(alike[1])


class Failing(db.Control):
    def on_loss(self, loss: Any) -> None:
        raise LookupError("what a loss")


def test_an_exception_ends_the_run_with_its_traceback() -> None:
    with pytest.raises(LookupError, match="what a loss") as caught:
        run(db.flow("reno"), db.flow(Failing, name="bad"), duration="1000 s")
    (note,) = caught.value.__notes__
    assert note.startswith("in the control of the flow `bad`, at ")
    assert note.endswith(" s of simulated time")
    at = float(note.split(" at ")[1].split()[0])
    assert 0 < at < 100
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise LookupError("what a loss")' in text


def test_an_exception_ends_a_sweep(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(LookupError) as caught:
        db.sweep(
            dumbbell(db.flow("reno", name="main")),
            {"flow.main.control": ["reno", Failing, "veno"]},
            repeat=5,
            store=store,
            progress=False,
        )
    assert "flow `main`" in caught.value.__notes__[0]
    # What was finished is kept, and nothing of the failed run.
    swept = db.sweep(
        dumbbell(db.flow("reno", name="main")),
        {"flow.main.control": ["reno"]},
        repeat=5,
        store=store,
        progress=False,
    )
    assert (swept.taken, swept.computed) == (5, 0)


def control(**methods: Any) -> type[db.Control]:
    return type("Odd", (db.Control,), methods)


def _recurse(self: Any, event: Any) -> Any:
    # With `*_`, CPython 3.13.0 does not count the calls at all.
    return _recurse(self, event)


def _delete(self: Any, *_: Any) -> None:
    del self.cwnd


def _interrupt(self: Any, *_: Any) -> None:
    raise KeyboardInterrupt


def _exit(self: Any, *_: Any) -> None:
    sys.exit(7)


def _become(value: Any) -> Any:
    def on_ack(self: Any, ack: Any) -> None:
        self.cwnd = value

    return on_ack


class _Nasty:
    def __float__(self) -> float:
        raise OSError("no number")


def _recurse_in_c(self: Any, *_: Any) -> Any:
    class Endless:
        def __call__(self) -> Any:
            return max([1, 2], key=lambda _: self())

    return Endless()()


def _deep(self: Any, *_: Any) -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    repr(nested)


@pytest.mark.parametrize(
    ("methods", "exception"),
    [
        ({"on_ack": _recurse}, RecursionError),
        ({"on_ack": _deep}, RecursionError),
        ({"on_ack": _recurse_in_c}, RecursionError),
        ({"on_ack": _delete}, AttributeError),
        ({"on_ack": _interrupt}, KeyboardInterrupt),
        ({"on_ack": _exit}, SystemExit),
        ({"on_ack": _become("wide")}, TypeError),
        ({"on_ack": _become(None)}, TypeError),
        ({"on_ack": _become(math.nan)}, ValueError),
        ({"on_ack": _become(math.inf)}, ValueError),
        ({"on_ack": _become(-3)}, ValueError),
        ({"on_ack": _become(_Nasty())}, (TypeError, OSError)),
        ({"on_ack": lambda self: None}, TypeError),
        ({"on_ack": 7}, TypeError),
        ({"__init__": lambda self: 1 / 0}, ZeroDivisionError),
        ({"__init__": lambda self, more: None}, TypeError),
        ({"__new__": lambda cls: 3}, AttributeError),
        ({"on_sample": _exit}, SystemExit),
        ({"on_sent": _recurse}, RecursionError),
        ({"window": lambda self: "x"}, TypeError),
        ({"pacing": lambda self: 0}, ValueError),
        ({"restrict": _exit}, SystemExit),
    ],
)
def test_hostile_controls_are_exceptions(methods: dict[str, Any], exception: type[BaseException]) -> None:
    with pytest.raises(exception) as caught:
        db.run(
            dumbbell(control(**methods), tcp={"receiver_window": 5}, duration="60 s"),
            progress=False,
        )
    assert any("simulated time" in note for note in caught.value.__notes__)


def test_odd_controls_that_are_none_of_our_business_run() -> None:
    def threads(self: Any, ack: Any) -> str:
        self.grow(ack)
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        return "a string"

    plain = run(db.flow("reno", name="main"))
    odd = run(db.flow(control(on_ack=threads), name="main"))
    assert odd.flows["sent"].to_list() == plain.flows["sent"].to_list()
    # A window below one segment counts as one, and the control goes on with that.
    low = []

    def tiny(self: Any, ack: Any) -> None:
        low.append(self.cwnd)
        self.cwnd = 0.25

    run(control(on_ack=tiny))
    assert set(low[1:]) == {1.0}


def test_an_exception_in_explain_ends_the_run() -> None:
    odd = control(explain=lambda self: {"x": object()})
    probe = {"interval": "1 s", "values": ["explain"]}
    with pytest.raises(TypeError, match="`x` is"):
        db.run(dumbbell(odd, probe=probe), progress=False)


def test_what_a_control_explains_is_sampled() -> None:
    class Telling(db.Control):
        def explain(self) -> dict[str, Any]:
            return {"gap": (self.rtt or 0, "s"), "mood": "happy", "backlog": self.backlog}

    probe = {"interval": "1 s", "values": ["explain"]}
    samples = db.run(dumbbell(Telling, probe=probe), progress=False).samples
    found = set(samples["quantity"].to_list())
    assert {"explain.gap", "explain.mood", "explain.backlog"} <= found
    assert "happy" in samples["word"].to_list()


def test_events_have_the_fields_of_the_contract() -> None:
    seen: dict[str, Any] = {}

    class Watching(db.Control):
        def on_ack(self, ack: Any) -> None:
            seen["ack"] = ack
            self.grow(ack)

        def on_loss(self, loss: Any) -> None:
            seen["loss"] = loss
            self.cut(0.5)

        def on_timeout(self, timeout: Any) -> None:
            seen["timeout"] = timeout
            self.restart(timeout)

        def on_sent(self, sent: Any) -> None:
            seen["sent"] = sent

        def on_sample(self, sample: Any) -> None:
            if sample.rtt is not None:
                seen["sample"] = sample

    path = db.dumbbell(rate="1 Mb/s", loss=0.2, flows=[Watching], duration="60 s")
    db.run(path, progress=False)
    ack, loss, sample = seen["ack"], seen["loss"], seen["sample"]
    assert 0 < ack.now <= 60 and ack.acked >= 1 and not ack.app_limited
    assert loss.by == "dup_acks" and loss.lost_sent_at < loss.now and loss.transmissions >= 1
    assert seen["timeout"].consecutive >= 1 and seen["sent"].segments >= 1
    assert 0.04 < sample.rtt < 1 and sample.credited > 0 and sample.marks == 0
    assert sample.queueing is None and sample.stamps[0] < sample.stamps[1] < sample.now
    assert repr(ack).startswith("Ack(now=")
    with pytest.raises(AttributeError):
        ack.now = 3


def test_pickles_carry_the_class() -> None:
    scenario = dumbbell(Mine)
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    code = """
        import cloudpickle, sys
        import dumbbell as db

        class Local(db.Control):
            gain: float = 0.5
            def on_loss(self, loss):
                self.cut(self.gain)

        path = db.dumbbell(loss=0.02, flows=[Local], duration="5 s")
        sys.stdout.buffer.write(cloudpickle.dumps((path, db.run(path, progress=False).flows)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, check=True)
    scenario, flows = cloudpickle.loads(done.stdout)
    assert db.run(scenario, progress=False).flows == flows


MEMORY = """
import gc, resource
from pathlib import Path

import dumbbell as db

class Mine(db.Control):
    def on_ack(self, ack):
        self.grow(ack)

    def on_loss(self, loss):
        self.cwnd /= 2

scenario = db.dumbbell(rate="1 Mb/s", flows=[Mine], duration="0.1 s")

def runs(count):
    for first in range(0, count, 1000):
        db.run(scenario, seeds=range(first, first + 1000), samples=False, progress=False)
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return resident, len(gc.get_objects())

before, objects_before = runs(5000)
after, objects = runs(10_000)
print(after - before, objects - objects_before)
"""


def test_memory_stays_where_it_was() -> None:
    # A process of its own, whose memory nothing else uses.
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    more, objects = map(int, done.stdout.split())
    assert objects < 100
    # An object of Mine with its fields and signals takes 600 bytes: 10,000 of them 6 MB.
    assert more < 4_000_000


def test_a_rate_control_is_in_tables_and_fails_like_a_control() -> None:
    class Steady(db.RateControl):
        """A tenth of the bottleneck."""

        part: Annotated[float, db.Range(0, 1)] = 0.1

        def on_feedback(self, feedback: Any) -> None:
            self.rate = self.part * 250_000

        def explain(self) -> dict[str, Any]:
            return {"part": self.part}

    flow = {"rate_control": {"name": Steady, "part": 0.2}, "name": "media"}
    probe = {"interval": "1 s", "values": ["explain"]}
    found = db.run(dumbbell(flow, probe=probe, duration="60 s"), progress=False)
    assert found.flows["control"].to_list() == ["steady"]
    assert found.flows["goodput"][0] == pytest.approx(0.2 * 2e6 * 0.98, rel=0.03)
    assert "explain.own.part" in found.samples["quantity"].to_list()
    bad = type("Bad", (db.RateControl,), {})
    with pytest.raises(NotImplementedError, match="Bad has no method on_feedback") as caught:
        db.run(dumbbell({"rate_control": bad}), progress=False)
    assert "simulated time" in caught.value.__notes__[0]


def media(control):
    return db.dumbbell(rate="1 Mb/s", flows=[{"rate_control": control}], duration="1 s")


def test_a_rate_control_that_does_not_wait_ends():
    class Hasty(db.RateControl):
        wait = 0.0

        def on_feedback(self, feedback):
            self.wait = 0.0

        def on_expiry(self, expiry):
            pass

    assert db.run(media(Hasty)).groups["goodput"][0] > 0


def test_an_infinite_rate_ends_the_run():
    class Greedy(db.RateControl):
        def on_feedback(self, feedback):
            self.rate = float("inf")

    with pytest.raises(ValueError, match="a rate is a finite number"):
        db.run(media(Greedy))
