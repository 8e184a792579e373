"""Congestion controls and rate controls in Python (docs/python-control.md).

>>> import dumbbell as db
>>> class Gentle(db.Control):
...     beta: float = 0.8
...
...     def on_ack(self, ack):
...         self.grow(ack)
...
...     def on_loss(self, loss):
...         self.cut(self.beta)
>>> runs = db.run(db.dumbbell(loss=0.01, flows=[Gentle, "reno"], duration="20 s"))
>>> runs.flows["control"].to_list()
['gentle', 'reno']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from ._native import Ack, Expiry, Feedback, Loss, Sample, Sent, Timeout
from ._native import register as _register
from ._native import unregister as _unregister

if TYPE_CHECKING:
    from ._native import Signals

__all__ = [
    "Ack",
    "Control",
    "Expiry",
    "Feedback",
    "Loss",
    "Range",
    "RateControl",
    "Sample",
    "Sent",
    "Timeout",
    "register",
    "unregister",
]

_Class = TypeVar("_Class", bound="type[Control] | type[RateControl]")


@dataclass(frozen=True)
class Range:
    """The range of a parameter: `beta: Annotated[float, Range(0, 1)] = 0.8`.

    Attributes:
        least: The least value.
        most: The largest value.
    """

    least: float
    most: float

    def __post_init__(self) -> None:
        if not self.least <= self.most:
            raise ValueError(f"a range from {self.least} to {self.most} has no values")


class _Known:
    """A value that the simulator measures for a control. The control may replace it by its own."""

    def __init__(self, name: str, about: str) -> None:
        self.name = name
        self.__doc__ = about

    def __get__(self, control: Any, owner: type) -> Any:
        if control is None:
            return self
        return getattr(control._signals, self.name)


class _Backlog(_Known):
    def __get__(self, control: Any, owner: type) -> Any:
        if control is None:
            return self
        return control._signals.backlog(control.cwnd)


class _Base:
    """What congestion controls and rate controls have in common."""

    name: ClassVar[str] = ""
    """The name in scenarios and tables; without it, that of the class in small letters."""
    summary: ClassVar[str] = ""
    """One line about it; without it, the first line of the docstring."""
    version: ClassVar[Any] = None
    """Anything that is part of the code's identity, for a store of finished runs."""

    def explain(self) -> Mapping[str, Any]:
        """Reports the values behind the decisions, by name: for probes and `explain`.

        A value is a number, a number and its unit (`"s"`, `"segments"` or `"bit/s"`), or a word. The
        value of `rule` is the rule that was applied last: a word, or its branch, condition, action and
        source, in which `{name}` stands for a value.
        """
        return {}


class Control(_Base):
    """A congestion control: it is told of events, and sets its window.

    The parameters are the annotated fields of the class that have a default: `bool`, `int`, `float`, or
    `Literal` of strings, with a range and a description by `Annotated`. Names that begin with `_` are
    no parameters.

    Attributes:
        cwnd: The congestion window in segments. The sender uses the nearest multiple of 2^-32, at
            least 1 and at most 2^20. A window that is negative, infinite or no number ends the run.
        ssthresh: The slow-start threshold in segments; `math.inf` is no limit.
        mss: The payload of a full segment, in bytes.
        now: The time of the last event, in seconds since the start.
        rtt: The last round-trip time in seconds, or None.
        srtt: The smoothed round-trip time (RFC 6298), or None.
        base_rtt: The least round-trip time since the start or `forget_base_rtt`, or None.
        backlog: The segments of this flow that wait in queues, cwnd (srtt - base_rtt) / srtt; 0 before
            the first round-trip time.
    """

    recoveries: ClassVar[tuple[str, ...]] = ("reno", "newreno", "sack")
    """The loss recoveries that suit it, the default first."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The signals that it cannot do without: `rtt`, `receiver_time`, `queueing` (reports of routers),
    `marks` (how many segments were marked), `l4s` (data that routers treat as L4S)."""

    cwnd: float
    ssthresh: float
    mss: int
    _signals: Signals

    now: Any = _Known("now", "The time of the last event, in seconds since the start.")
    rtt: Any = _Known("rtt", "The last round-trip time in seconds, or None.")
    srtt: Any = _Known("srtt", "The smoothed round-trip time in seconds, or None.")
    base_rtt: Any = _Known("base_rtt", "The least round-trip time in seconds, or None.")
    backlog: Any = _Backlog("backlog", "The segments of this flow that wait in queues.")

    @classmethod
    def _begin(
        cls,
        signals: Signals,
        cwnd: float,
        ssthresh: float,
        mss: int,
        parameters: dict[str, Any],
    ) -> Self:
        """Makes the control of a new connection: `__init__` finds its window and its parameters."""
        made = cls.__new__(cls)
        made._signals = signals
        made.cwnd = cwnd
        made.ssthresh = ssthresh
        made.mss = mss
        _set(made, parameters)
        cls.__init__(made)
        return made

    def on_ack(self, ack: Ack) -> Any:
        """New data was acknowledged outside recovery: the window may grow. As Reno, unless overridden."""
        self.grow(ack)

    def on_loss(self, loss: Loss) -> Any:
        """A loss episode begins: the window is reduced. As Reno, unless overridden."""
        self.cut(0.5)

    def on_timeout(self, timeout: Timeout) -> Any:
        """The retransmission timer fired. As Reno, unless overridden."""
        self.restart(timeout)

    def on_sent(self, sent: Sent) -> Any:
        """Segments were sent. Called only if it is overridden."""

    def on_sample(self, sample: Sample) -> Any:
        """An ACK arrived, perhaps a duplicate. Called before `on_ack`, only if it is overridden."""

    def window(self) -> float:
        """The congestion window in segments, if it is not simply `cwnd`. Read after each event."""
        return self.cwnd

    def pacing(self) -> float | None:
        """The rate at which to send, in bytes of payload per second; None leaves it to the window."""
        return None

    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below its threshold."""
        return self.cwnd < self.ssthresh

    def grow(self, ack: Ack, gain: float = 1.0) -> None:
        """Grows the window as Reno does: by a segment in slow start, by gain/cwnd after it.

        Args:
            ack: The ACK; if the application limits the sender, nothing happens.
            gain: The segments for each round in congestion avoidance.
        """
        if ack.app_limited:
            return
        if self.cwnd < self.ssthresh:
            self.cwnd += 1.0
        else:
            self.cwnd += gain / self.cwnd

    def cut(self, factor: float, least: float = 2.0) -> None:
        """Multiplies the window by a factor, and sets the threshold to the same.

        Args:
            factor: What remains of the window.
            least: The least window in segments (RFC 5681, equation 4).
        """
        self.cwnd = self.ssthresh = max(self.cwnd * factor, least)

    def restart(self, timeout: Timeout, factor: float = 0.5, least: float = 2.0) -> None:
        """Restarts at one segment, with a part of the window as the threshold.

        Args:
            timeout: The timeout; from the second of the same segment on, the threshold stays.
            factor: The part of the window that becomes the threshold.
            least: The least threshold in segments.
        """
        if timeout.consecutive == 1:
            self.ssthresh = max(self.cwnd * factor, least)
        self.cwnd = 1.0

    def restrict(self, cwnd: float) -> None:
        """Lowers the window to at most `cwnd`, as the receiver or the end of a recovery demands."""
        self.cwnd = max(min(self.cwnd, cwnd), 1.0)

    def forget_base_rtt(self) -> None:
        """Measures the least round-trip time anew, as Veno does after a loss."""
        self._signals.forget_base_rtt()


class RateControl(_Base):
    """A rate control for media: it is told what the receiver reports, and sets its rate.

    The receiver, which measures losses, is TFRC's (RFC 5348). Parameters are declared as in a `Control`.

    Attributes:
        rate: The allowed rate, in bytes of segments per second; a segment per second at first. The
            sender keeps it between a segment in 64 s and 10^12; infinity ends the run.
        wait: The time until the nofeedback timer expires if no report arrives, in seconds; None is
            max(4 srtt, 2 segment / rate), and 2 s at first. Less than 0.1 ms counts as that.
        segment: The size of a segment in bytes.
    """

    rate: float
    wait: float | None
    segment: float

    @classmethod
    def _begin(cls, segment: float, parameters: dict[str, Any]) -> Self:
        """Makes the control of a new connection: `__init__` finds its rate and its parameters."""
        made = cls.__new__(cls)
        made.segment = segment
        made.rate = segment
        made.wait = None
        _set(made, parameters)
        cls.__init__(made)
        return made

    def on_feedback(self, feedback: Feedback) -> Any:
        """A report of the receiver arrived: once per round-trip time, and when a loss event begins."""
        raise NotImplementedError(f"{type(self).__name__} has no method on_feedback")

    def on_expiry(self, expiry: Expiry) -> Any:
        """No report arrived in time. The rate is halved, unless overridden."""
        self.rate /= 2

    def sending_rate(self) -> float:
        """The rate at which to send now, if it is not simply `rate`. Read after each event."""
        return self.rate


def register(control: _Class) -> _Class:
    """Registers a class, so that scenarios can name it. It is a decorator, too.

    A class that is registered later under the same name replaces it, for scenarios that are made later.

    Raises:
        ScenarioError: If a built-in control has the name.
        TypeError: If a field cannot be a parameter.
    """
    _register(control)
    return control


def unregister(name: str) -> None:
    """Takes back what `register` did. Scenarios that are made already keep their class.

    Args:
        name: The name of the class, as scenarios have it.

    Raises:
        KeyError: If no class of this name is registered.
    """
    if not _unregister(name):
        raise KeyError(f"no class is registered as `{name}`")


def _set(made: Any, parameters: dict[str, Any]) -> None:
    """Sets those parameters that differ from the defaults of the class, which may have more decimals."""
    for name, value in parameters.items():
        usual = getattr(type(made), name)
        if isinstance(value, float) and round(usual * 1e6) == round(value * 1e6):
            value = usual
        setattr(made, name, value)
