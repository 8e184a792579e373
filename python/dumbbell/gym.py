"""A `gymnasium` environment: an agent sets the window, or the rate, of one flow of a scenario.

>>> import dumbbell as db
>>> from dumbbell.gym import Env
>>> env = Env(db.dumbbell(rate="4 Mb/s", flows=["reno"], duration="5 s"))
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0.5])
>>> info["signals"].cwnd
2.8284271247461903

The agent takes the place of the flow's control; its loss recovery stays, and so does everything else in
the scenario (docs/gym.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from . import _native
from ._extras import needed
from ._native import Scenario

if TYPE_CHECKING:
    import gymnasium
    import numpy as np
else:
    gymnasium = needed("gymnasium", "gym", "dumbbell.gym")
    np = needed("numpy", "gym", "dumbbell.gym")

__all__ = ["ACTIONS", "OBSERVATIONS", "Env", "Reward", "Scenarios", "Signals", "Utility"]

Action = Literal["scale", "choice", "rate"]
ACTIONS: tuple[Action, ...] = ("scale", "choice", "rate")
"""What an action can be (`Env`)."""

OBSERVATIONS: dict[str, tuple[float, float, str]] = {
    "queueing": (0, 10, "the mean RTT over the least so far, minus 1"),
    "gradient": (-1, 1, "the change of the mean RTT since the last step, per second of the step"),
    "least_rtt": (-1, 1, "log10 of the least RTT so far in units of 100 ms"),
    "rate": (0, 1, "the delivered rate, as a part of the largest so far"),
    "loss": (0, 1, "the segments that were lost, as a part of those lost or delivered"),
    "sending": (0, 5, "the segments sent for each one delivered"),
    "window": (0, 20, "log2 of the window in segments"),
    "backlog": (0, 20, "log2 of 1 + Vegas' backlog: window (1 - least RTT / mean RTT)"),
    "excess": (-10, 10, "log2 of the window over the largest rate times the least RTT"),
    "in_flight": (0, 4, "the segments in flight, as a part of the window"),
    "timeout": (0, 1, "whether the retransmission timer fired"),
    "silence": (0, 1, "whether no ACK arrived"),
}
"""The entries of an observation, in order: the least value, the largest one, and what it is. An entry
that is not known yet is 0; what is beyond a limit is cut to it."""


class Signals(NamedTuple):
    """What happened at the flow's sender in a step.

    Times are in seconds, amounts in segments, rates in bits of payload per second. What is not
    known yet is 0.
    """

    now: float
    """The simulated time at the end of the step."""
    span: float
    """How long the step was; 0 if it only began the episode."""
    rtt: float
    """The mean round-trip time; without a sample in this step, the last one before."""
    last_rtt: float
    """The last round-trip time."""
    least_rtt: float
    """The least round-trip time so far."""
    cwnd: float
    """The window at the end of the step. A timeout has set it to 1."""
    in_flight: float
    """The segments in flight, as far as the sender knows."""
    acks: int
    """The ACKs that arrived."""
    losses: int
    """The loss episodes that began."""
    timeouts: int
    """How often the retransmission timer fired."""
    delivered: float
    """The segments that ACKs reported as delivered."""
    lost: float
    """The segments that the sender declared lost."""
    sent: float
    """The segments that were sent, retransmissions included."""
    segment: float
    """The payload of a segment in bits."""

    @property
    def rate(self) -> float:
        """The delivered rate."""
        return self.delivered * self.segment / self.span if self.span > 0 else 0.0

    @property
    def loss(self) -> float:
        """The segments that were lost, as a part of those lost or delivered; 0 without any."""
        return self.lost / (self.lost + self.delivered) if self.lost > 0 else 0.0


Reward: TypeAlias = Callable[[Signals], float]
"""What a step is worth."""

Scenarios: TypeAlias = "Scenario | Sequence[Scenario] | Callable[[np.random.Generator], Scenario]"
"""The scenarios of episodes: one, some of which one is drawn, or a function that draws one."""


@dataclass(frozen=True)
class Utility:
    """The usual reward: ``ln(rate) - delay ln(RTT / least RTT) - loss (lost part)``.

    The rate is the delivered one in Mb/s, at least 0.001. A step without any RTT so far has no penalty
    for delay. With `delay` = 1, twice the RTT outweighs twice the rate. `loss` should be small where
    losses are random: they do not tell anything of the window there.

    Attributes:
        delay: The weight of the delay.
        loss: The weight of losses.
    """

    delay: float = 0.5
    loss: float = 1.0

    def __call__(self, signals: Signals) -> float:
        """The reward for a step."""
        reward = math.log(max(signals.rate / 1e6, 1e-3)) - self.loss * signals.loss
        if signals.rtt > 0:
            reward -= self.delay * math.log(signals.rtt / signals.least_rtt)
        return reward


class Env(gymnasium.Env[Any, Any]):
    """An episode is a run of a scenario, in which the agent controls one flow.

    It is truncated at the end of the scenario, and never terminated. The same seed of `reset`, the same
    scenarios and the same actions give the same episode.

    Args:
        scenarios: The scenario, a list from which each episode draws one, or a function that draws one
            with the generator that it is given.
        flow: The name of the flow; without it, the first TCP flow.
        step: How long a step is: `"rtt"` (the last round-trip time, 100 ms before the first), `"ack"`,
            or a number of seconds of simulated time.
        action: What an action is. `"scale"`, one number a from -1 to 1: the window is multiplied by
            2^a. `"choice"`, a number from 0 to 4, as in mvfst-rl: half the window, 10 segments less, the
            same, 10 more, twice the window. `"rate"`, one number a from -1 to 1: segments are spread out
            at a rate that is multiplied by 2^a and begins with a window per 100 ms, and the window is
            the segments that twice the least RTT has at this rate, so that it rarely limits.
        reward: A function that returns what a step is worth, from its `Signals`.

    Attributes:
        scenario: The scenario of the episode.
        running: The run of the episode; its `groups`, `flows` and `links` are tables of it so far.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        scenarios: Scenarios,
        *,
        flow: str | None = None,
        step: Literal["rtt", "ack"] | float = "rtt",
        action: Action = "scale",
        reward: Reward | None = None,
    ) -> None:
        if action not in ACTIONS:
            raise ValueError(f"action is one of {', '.join(ACTIONS)}, not {action!r}")
        if step not in ("rtt", "ack") and not (isinstance(step, int | float) and step > 0):
            raise ValueError(f'step is "rtt", "ack" or a number of seconds, not {step!r}')
        if isinstance(scenarios, Sequence) and not scenarios:
            raise ValueError("there is no scenario to draw from")
        self._scenarios = scenarios
        self._flow = flow
        self._step: str | float = step
        self._action = action
        self._reward: Reward = reward if reward is not None else Utility()
        limits = np.array([limits[:2] for limits in OBSERVATIONS.values()], dtype=np.float32)
        self._low, self._high = limits[:, 0], limits[:, 1]
        self.observation_space = gymnasium.spaces.Box(self._low, self._high, dtype=np.float32)
        self.action_space = (
            gymnasium.spaces.Discrete(5)
            if action == "choice"
            else gymnasium.spaces.Box(-1.0, 1.0, (1,), dtype=np.float32)
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode: draws a scenario and the seed of its run.

        Args:
            seed: The seed of the generator for this and the next episodes.
            options: `"scenario"`, a scenario for this episode, and `"seed"`, the seed of its run; for
                comparisons with other controls in the same runs.
        """
        super().reset(seed=seed)
        options = options or {}
        scenario = self._draw()
        drawn = int(self.np_random.integers(2**53))
        self.scenario = options.get("scenario", scenario)
        self.running = _native.Running(self.scenario, options.get("seed", drawn), self._flow)
        self._largest_rate = 0.0
        self._pacing = 0.0
        self._signals = _signals(self.running.step(seconds=0.0))
        self._rtt = 0.0
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Sets the window or the rate, and goes on until the step ends.

        Raises:
            ValueError: If the action is not a number, or not among the choices.
            RuntimeError: If `reset` has not begun an episode.
        """
        if not hasattr(self, "running"):
            raise RuntimeError("no episode has begun: call reset first")
        cwnd, pacing = self._decided(action)
        if self._step == "ack":
            signals = self.running.step(cwnd, pacing, acks=1)
        else:
            signals = self.running.step(cwnd, pacing, seconds=self._seconds())
        self._rtt = self._signals.rtt
        self._signals = _signals(signals)
        self._largest_rate = max(self._largest_rate, self._signals.rate)
        reward = float(self._reward(self._signals))
        return self._observation(), reward, False, self.running.over, self._info()

    def _draw(self) -> Scenario:
        scenarios = self._scenarios
        if isinstance(scenarios, Scenario):
            return scenarios
        if callable(scenarios):
            return scenarios(self.np_random)
        return scenarios[int(self.np_random.integers(len(scenarios)))]

    def _seconds(self) -> float:
        if isinstance(self._step, int | float):
            return self._step
        last = self._signals.last_rtt
        return last if last > 0 else _UNKNOWN_RTT

    def _decided(self, action: Any) -> tuple[float, float | None]:
        """The window, and the rate if it is set, for an action."""
        cwnd = self._signals.cwnd
        if self._action == "choice":
            if int(action) not in range(len(_CHOICES)):
                raise ValueError(f"an action is a number from 0 to {len(_CHOICES) - 1}, not {action!r}")
            return _CHOICES[int(action)](cwnd), None
        number = float(np.asarray(action).reshape(-1)[0])
        if math.isnan(number):
            raise ValueError("the action is not a number: perhaps the agent's training has diverged")
        factor = 2.0 ** min(max(number, -1.0), 1.0)
        if self._action == "scale":
            return max(cwnd * factor, 1.0), None
        segment = self._signals.segment
        pacing = (self._pacing or cwnd * segment / _UNKNOWN_RTT) * factor
        least = self._signals.least_rtt
        self._pacing = max(pacing, segment)
        span = least if least > 0 else _UNKNOWN_RTT
        return max(2 * self._pacing * span / segment, _LEAST_WINDOW), self._pacing

    def _observation(self) -> np.ndarray:
        it = self._signals
        known = it.rtt > 0
        ratio = it.rtt / it.least_rtt if known else 1.0
        change = it.rtt - self._rtt if known and self._rtt > 0 else 0.0
        largest = self._largest_rate
        path = largest * it.least_rtt / it.segment if known else 0.0
        values = (
            ratio - 1.0,
            change / it.span if it.span > 0 else 0.0,
            math.log10(it.least_rtt / 0.1) if known else 0.0,
            it.rate / largest if largest > 0 else 0.0,
            it.loss,
            it.sent / it.delivered if it.delivered > 0 else min(it.sent, 1.0) * 5.0,
            math.log2(it.cwnd),
            math.log2(1.0 + it.cwnd * (1.0 - 1.0 / ratio)),
            math.log2(it.cwnd / path) if path > 0 else 0.0,
            it.in_flight / it.cwnd,
            float(it.timeouts > 0),
            float(it.acks == 0),
        )
        return np.clip(np.array(values, dtype=np.float32), self._low, self._high)

    def _info(self) -> dict[str, Any]:
        return {"signals": self._signals}


def _signals(
    numbers: tuple[
        tuple[float, float, float, float, float, float, float],
        tuple[int, int, int, float, float, float, float],
    ],
) -> Signals:
    times, counts = numbers
    return Signals(*times, *counts)


_UNKNOWN_RTT = 0.1
"""The round-trip time that is assumed before the first one is measured, in seconds."""
_LEAST_WINDOW = 4.0
"""The least window of a paced flow: below, three duplicate ACKs could not arrive."""
_CHOICES: tuple[Callable[[float], float], ...] = (
    lambda cwnd: max(cwnd / 2, 1.0),
    lambda cwnd: max(cwnd - 10, 1.0),
    lambda cwnd: cwnd,
    lambda cwnd: cwnd + 10,
    lambda cwnd: cwnd * 2,
)
