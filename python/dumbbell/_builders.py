"""Scenarios without a file: a dumbbell and its flows from arguments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ._native import Scenario

Flow = dict[str, Any]
"""A flow as a scenario's file has it: the keys of one ``[[flow]]``."""


def flow(
    control: Any = "reno",
    *,
    name: str | None = None,
    recovery: Any = None,
    count: int | None = None,
    start: Any = None,
    group: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    **more: Any,
) -> Flow:
    """Describes a flow, or several equal ones, for `dumbbell` or a mapping of your own.

    Args:
        control: The name of a congestion control (`dumbbell.list`), or a `Control` class.
        name: Its name in tables.
        recovery: How lost segments are found and retransmitted: `"reno"`, `"newreno"`, `"sack"`, ...;
            without it, the one that suits the control.
        count: The number of such flows.
        start: When it starts: `"5 s"`, or seconds as a number.
        group: The group whose row it shares in tables.
        parameters: Parameters of the control, by name.
        more: Any other key of a ``[[flow]]`` (docs/scenario.md).
    """
    if parameters:
        control = {"name": control, **parameters}
    named = {
        "name": name,
        "control": control,
        "recovery": recovery,
        "count": count,
        "start": _seconds(start),
        "group": group,
        **more,
    }
    return {key: value for key, value in named.items() if value is not None}


def dumbbell(
    *,
    rate: str = "2 Mb/s",
    delay: Any = "20 ms",
    buffer: Any = 60,
    loss: Any = None,
    queue: Any = None,
    access: Mapping[str, Any] | None = None,
    flows: Iterable[Any] | str | Mapping[str, Any] | type = ("reno",),
    duration: Any = "60 s",
    warmup: Any = None,
    seed: int | None = None,
    name: str | None = None,
    **more: Any,
) -> Scenario:
    """Makes the scenario of a dumbbell: senders and receivers at both ends of one bottleneck.

    Args:
        rate: The rate of the bottleneck, with its unit.
        delay: Its one-way delay: `"20 ms"`, or seconds as a number.
        buffer: The length of its drop-tail queue in packets. `queue` replaces it.
        loss: Random losses of data: a probability (Bernoulli), or a mapping as in a file, such as
            `{"gilbert_elliott": {...}}`.
        queue: Another queue, as in a file: `{"red": {"limit": 60}}`.
        access: The access links, as in a file; without it, 1 Gb/s and 1 ms.
        flows: The flows, or one: what `flow` returns, or just the name of a control or a `Control` class.
        duration: How long the run lasts: `"60 s"`, or seconds as a number.
        warmup: How long it goes on before it is measured.
        seed: The seed of all random numbers.
        name: The scenario's name.
        more: Any other key at the top of a file, such as `probe`.

    Raises:
        ScenarioError: If a value is wrong; the message shows where.
    """
    bottleneck = {
        "rate": rate,
        "delay": _seconds(delay),
        "queue": {"droptail": buffer} if queue is None else queue,
    }
    if loss is not None:
        bottleneck["loss"] = loss if isinstance(loss, Mapping) else {"bernoulli": loss}
    described: dict[str, Any] = {
        "name": name,
        "duration": _seconds(duration),
        "warmup": _seconds(warmup),
        "seed": seed,
        "dumbbell": {
            "access": dict(_ACCESS) if access is None else access,
            "bottleneck": bottleneck,
        },
        "flow": [
            it if isinstance(it, Mapping) else flow(it)
            for it in ([flows] if isinstance(flows, str | Mapping | type) else flows)
        ],
        **more,
    }
    return Scenario({key: value for key, value in described.items() if value is not None})


_ACCESS = {"rate": "1 Gb/s", "delay": "1 ms"}


def _seconds(span: Any) -> Any:
    """A span of time as a file has it: a number is in seconds."""
    if isinstance(span, bool | str) or not hasattr(span, "__float__"):
        return span
    # A number of numpy is one, too.
    span = float(span)
    if math.isfinite(span) and 0 < abs(span) < 0.5e-9:
        raise ValueError(f"{span} s is less than a nanosecond, the least time that a scenario has")
    return f"{span:.9f}".rstrip("0").rstrip(".") + " s"
