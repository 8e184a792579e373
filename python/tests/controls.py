"""Built-in controls, written again in Python."""

from __future__ import annotations

import math
from typing import Annotated

import dumbbell as db
from dumbbell.control import Ack, Expiry, Feedback, Loss, Timeout


class PyReno(db.Control):
    """Reno (RFC 5681), spelled out."""

    def on_ack(self, ack: Ack) -> None:
        if ack.app_limited:
            return
        self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd

    def on_loss(self, loss: Loss) -> None:
        self.cwnd = self.ssthresh = max(self.cwnd / 2, 2)

    def on_timeout(self, timeout: Timeout) -> None:
        if timeout.consecutive == 1:
            self.ssthresh = max(self.cwnd / 2, 2)
        self.cwnd = 1


class PyVeno(db.Control):
    """Veno (Fu and Liew 2003)."""

    beta: Annotated[float, db.Range(0, 4000), "the backlog from which a loss is congestion"] = 3.0
    random: Annotated[float, db.Range(0, 1)] = 0.8

    def __init__(self) -> None:
        self.grow_next = True

    def on_ack(self, ack: Ack) -> None:
        if ack.app_limited:
            return
        if self.cwnd < self.ssthresh:
            self.cwnd += 1
        elif self.backlog < self.beta:
            self.cwnd += 1 / self.cwnd
            self.grow_next = True
        else:
            if self.grow_next:
                self.cwnd += 1 / self.cwnd
            self.grow_next = not self.grow_next

    def on_loss(self, loss: Loss) -> None:
        self.cut(self.random if self.backlog < self.beta else 0.5)
        self.forget_base_rtt()

    def on_timeout(self, timeout: Timeout) -> None:
        self.restart(timeout)
        self.forget_base_rtt()


class PyTfrc(db.RateControl):
    """TFRC's sender (RFC 5348, sections 4.2 to 4.5), for a sender that always has data."""

    def __init__(self) -> None:
        self.x_calc = math.inf
        self.received: list[tuple[float, int]] = []
        self.doubled = 0
        self.p = 0.0
        self.root: float | None = None
        self.sample = 0.0

    def on_feedback(self, feedback: Feedback) -> None:
        r, s, now = feedback.srtt, self.segment, nanoseconds(feedback.now)
        root = math.sqrt(feedback.rtt)
        self.root = root if self.root is None else 0.9 * self.root + (1 - 0.9) * root
        self.sample = feedback.rtt
        self.wait = max(4 * r, 2 * s / self.rate)
        self.p = p = feedback.loss_event_rate
        self.x_calc = equation(s, r, p) if p > 0 else math.inf
        first = min(4 * s, max(2 * s, 4380)) / r
        if feedback.first:
            self.received = [(math.inf, now)]
            self.doubled = now
            self.rate = first
            return
        recent = [(x, at) for x, at in self.received if now - at <= 2 * nanoseconds(r)]
        self.received = [(feedback.receive_rate, now), *recent][:8]
        limit = 2 * max(x for x, _ in self.received)
        if p > 0:
            self.rate = max(min(self.x_calc, limit), s / 64)
        elif now - self.doubled >= nanoseconds(r):
            self.rate = max(min(2 * self.rate, limit), first)
            self.doubled = now

    def on_expiry(self, expiry: Expiry) -> None:
        least = self.segment / 64
        if self.p <= 0 or expiry.srtt is None:
            self.rate = max(self.rate / 2, least)
        else:
            received = max(x for x, _ in self.received)
            limit = max(min(received, self.x_calc / 2), least)
            self.received = [(limit / 2, nanoseconds(expiry.now))]
            self.rate = max(min(self.x_calc, limit), least)
        self.wait = max(4 * (expiry.srtt or 0), 2 * self.segment / self.rate)

    def sending_rate(self) -> float:
        return self.rate if self.root is None else self.rate * self.root / math.sqrt(self.sample)


def nanoseconds(seconds: float) -> int:
    """A time as the simulator has it, so that comparisons of equal times agree."""
    return int(seconds * 1e9 + 0.5)


def equation(s: float, r: float, p: float) -> float:
    """The throughput equation of RFC 5348, section 3.1, with b = 1 and t_RTO = 4 R."""
    timeouts = 4 * r * (3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p * p)
    return s / (r * math.sqrt(2 * p / 3) + timeouts)
