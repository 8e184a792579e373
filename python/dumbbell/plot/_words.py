"""Columns in words: labels of axes with units, in multiples that are easily read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

UNITS: dict[str, str] = {
    **dict.fromkeys(["goodput", "goodput_per_flow", "throughput", "rate"], "bit/s"),
    **dict.fromkeys(["share", "retransmit_rate", "utilisation", "variation"], "fraction"),
    **dict.fromkeys(
        [
            "sent",
            "retransmits",
            "marks",
            "dropped",
            "lost",
            "delivered",
            "early",
            "policed",
            "marked",
            "filtered",
            "retransmitted",
            "duplicated",
            "corrupted",
            "queue",
        ],
        "packets",
    ),
    **dict.fromkeys(
        [
            "rtt",
            "queueing",
            "wait",
            "completion",
            "completion_p50",
            "completion_p95",
            "completion_max",
            "time_s",
            "until_s",
            *(f"{one}_{part}" for one in ("rtt", "queueing") for part in ("p50", "p95", "p99", "max")),
        ],
        "s",
    ),
    **dict.fromkeys(
        [
            "window",
            "cwnd",
            "ssthresh",
            "cwnd_before",
            "cwnd_after",
            "ssthresh_before",
            "ssthresh_after",
        ],
        "segments",
    ),
    **dict.fromkeys(["jain", "jain_all"], "index"),
    "timeouts": "timeouts",
    "recoveries": "episodes",
    "ecn_cuts": "cuts",
    "completed": "flows",
}
"""The units of the library's columns, for tables that do not carry them (docs/measures.md)."""

QUANTITIES: dict[str, tuple[str, str | None]] = {
    "cwnd": ("congestion window", "segments"),
    "inflation": ("window inflation", "segments"),
    "ssthresh": ("slow-start threshold", "segments"),
    "rtt": ("round-trip time", "s"),
    "srtt": ("smoothed round-trip time", "s"),
    "rate": ("rate at the receiver", "bit/s"),
    "queue": ("queue", "packets"),
    "sequence": ("highest segment sent", "segments"),
    "delivered": ("highest segment in order", "segments"),
    "losses": ("loss episodes so far", "episodes"),
    "sending": ("packets sent since the last sample", "packets"),
    "explain.backlog": ("backlog N", "segments"),
    "explain.diff": ("diff", "segments"),
    "explain.base_rtt": ("BaseRTT", "s"),
    "explain.rtt": ("round-trip time in use", "s"),
    "explain.relative_delay": ("relative delay D", "s"),
    "explain.ack_wait": ("waiting time of ACKs", "s"),
    "explain.path_window": ("path window", "segments"),
    "explain.throughput": ("throughput of the last round", "bit/s"),
    "explain.bwe": ("estimated bandwidth", "bit/s"),
    "explain.bwe_past": ("estimated bandwidth one RTT ago", "bit/s"),
}
"""The quantities of samples in words, with units (docs/scenario.md, docs/explain.md)."""

_MEASURES = {
    "goodput_per_flow": "goodput per flow",
    "share": "share of the bottleneck",
    "sent": "packets sent",
    "retransmits": "retransmissions",
    "retransmit_rate": "retransmission rate",
    "timeouts": "timeouts",
    "recoveries": "loss episodes",
    "ecn_cuts": "cuts for ECN marks",
    "marks": "packets with an ECN mark",
    "dropped": "packets dropped",
    "lost": "packets lost at random",
    "rtt": "round-trip time",
    "queueing": "queueing delay",
    "completion": "completion time",
    "window": "congestion window",
    "variation": "variation of sending",
    "completed": "completed transfers",
    "jain": "Jain's index",
    "jain_all": "Jain's index of all flows",
    "queue": "mean queue",
    "wait": "waiting time",
    "friendliness": "friendliness to NewReno",
    "time_s": "time",
    "bdp": "bandwidth-delay product",
}
_PARTS = {"p50": "median", "p95": "95th percentile", "p99": "99th percentile", "max": "longest"}
# The last words of a swept path, where they say what it is.
_PATHS = {
    "loss.bernoulli": "packet loss rate",
    "loss.geometric": "packet loss rate",
    "loss": "loss",
    "delay": "delay",
    "rate": "rate",
    "queue.droptail": "buffer",
    "control": "control",
    "recovery": "recovery",
    "count": "number of flows",
}
_PATH_UNITS = {"queue.droptail": "packets"}

_COUNTED = {"timeouts", "episodes", "cuts", "flows", "index", "packets"}


def words(name: str) -> str:
    """A column's name in plain English."""
    if name in _MEASURES:
        return _MEASURES[name]
    base, _, part = name.rpartition("_")
    if part in _PARTS and base in _MEASURES:
        text = f"{_PARTS[part]} {_MEASURES[base]}"
        return text if part in ("p50", "max") else f"{_PARTS[part]} of {_MEASURES[base]}"
    for length in (2, 1):
        pieces = name.split(".")
        tail = ".".join(pieces[-length:])
        if len(pieces) > length and tail in _PATHS:
            subject = [piece for piece in pieces[:-length] if piece not in ("flow", "dumbbell")]
            if _PATHS[tail] in ("packet loss rate", "number of flows", "buffer") or not subject:
                return _PATHS[tail]
            if _PATHS[tail] in ("control", "recovery") and subject:
                return f"{_PATHS[tail]} of {' '.join(subject)}"
            return f"{' '.join(subject)} {_PATHS[tail]}"
    text = re.sub(r"_s$", "", name)
    return re.sub(r"[._]+", " ", text).strip() or name


def path_unit(name: str) -> str | None:
    """The unit that a swept path has by its last words."""
    return next((unit for tail, unit in _PATH_UNITS.items() if name.endswith(tail)), None)


def plain(text: object) -> str:
    """A name as matplotlib shows it: not as a formula, nor hidden from legends."""
    shown = str(text).replace("$", r"\$")
    if not shown.strip():
        return "(no name)"
    return f"\N{HAIR SPACE}{shown}" if shown.startswith("_") else shown


@dataclass(frozen=True)
class Scale:
    """A unit as it is shown: values are multiplied by `factor`."""

    unit: str | None
    factor: float

    def label(self, text: str) -> str:
        """The label of an axis."""
        return f"{text} ({self.unit})" if self.unit else text


_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "bit/s": ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s")),
    "byte/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
    "bytes/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
}


def scale(unit: str | None, values: Iterable[float], text: str = "") -> Scale:
    """The multiple of a unit in which the largest of the values is at least 1."""
    if unit in (None, "", "index", text) or (unit in _COUNTED and unit in text):
        return Scale(None, 1.0)
    if unit == "fraction":
        return Scale("%", 100.0)
    steps = _STEPS.get(unit or "")
    if steps is None:
        return Scale(unit, 1.0)
    top = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    for size, name in steps:
        # Values just below a step, such as 0.998 Mb/s, are shown in it.
        if top >= 0.95 * size:
            return Scale(name, 1.0 / size)
    size, name = steps[-1] if top > 0 else next(step for step in steps if step[0] == 1.0)
    return Scale(name, 1.0 / size)


def number(value: float) -> str:
    """A number with as many digits as a person needs."""
    text = f"{value:.3g}"
    if "e" in text and 1e3 <= abs(value) < 1e6:
        text = f"{value:.0f}"
    return re.sub(r"e([+-])0*", lambda found: "e" + found[1].replace("+", ""), text)


def is_spaced_by_ratios(values: Iterable[float]) -> bool:
    """Whether an axis with these values should be logarithmic.

    They are above 0, span a factor of at least 8, and their ratios vary less than their
    differences.
    """
    places = sorted(set(values))
    if len(places) < 3 or places[0] <= 0 or places[-1] / places[0] < 8:
        return False
    pairs = list(pairwise(places))

    def spread(steps: list[float]) -> float:
        mean = sum(steps) / len(steps)
        return math.sqrt(sum((step - mean) ** 2 for step in steps) / len(steps)) / mean

    return spread([math.log(b / a) for a, b in pairs]) < spread([b - a for a, b in pairs])
