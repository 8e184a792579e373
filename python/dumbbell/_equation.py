"""The throughput equations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from . import _native
from ._native import Table

Model: TypeAlias = Literal["reno", "veno", "tfrc", "tfrc-veno"]
"""Whose equation it is."""


def equation(
    model: Model | str,
    *,
    rtt: float | str,
    loss: float | Iterable[float] | None = None,
    rate: float | str | Iterable[float | str] | None = None,
    base_rtt: float | str | None = None,
    wmax: float | None = None,
    rto: float | str | None = None,
    b: float = 1,
    gamma: float | None = None,
    theta1: float | None = None,
    theta2: float | None = None,
    beta: float | None = None,
    segment: float | str = 1000,
    min1: bool = False,
    errata: bool = False,
) -> Table:
    """Computes throughput from losses and delays, or the loss rate that gives a throughput.

    docs/equation.md has the equations. Times are in seconds, rates in bit/s and sizes in bytes, or
    texts with their units, such as `"100 ms"`.

    Args:
        model: `"reno"` (Padhye et al. 1998), `"veno"`, `"tfrc"` (RFC 5348) or `"tfrc-veno"`.
        rtt: The mean round-trip time.
        loss: One loss rate or several: loss events for each packet sent, above 0 and at most 1.
        rate: Instead of `loss`: one throughput or several, to find the loss rate that gives each.
        base_rtt: The smallest round-trip time; together with `wmax`, it determines Veno's mean cut.
        wmax: The largest window, in packets.
        rto: The timeout; without it, four round-trip times.
        b: Packets that one ACK acknowledges.
        gamma: Veno's mean cut, the part of the window that a loss leaves, instead of `base_rtt`.
        theta1: The part of Veno's window that a random loss leaves; without it, 0.8 (TCP) or 0.95
            (TFRC).
        theta2: The part that any other loss leaves; without it, 0.5.
        beta: The backlog from which on a loss is not considered random, in packets; without it, 3.
        segment: The packet size.
        min1: TFRC: whether at most every loss counts as a timeout, as in ns-2 and not in RFC 5348.
        errata: Whether the table has the values of misprinted equations beside the corrected ones.

    Returns:
        A row for each loss rate or throughput, in their order. In `loss`, a throughput that no loss
        rate gives has none.

    Raises:
        ValueError: If a value is out of its range, not used by this equation, or contradicts
            another one; or if no loss rate gives the only throughput.
        TypeError: If there is neither `loss` nor `rate`, or both.

    >>> import dumbbell as db
    >>> [round(it) for it in db.equation("tfrc", rtt=0.1, loss=0.01)["throughput"]]
    [898658]
    """
    given: dict[str, Any] = {
        "rtt": rtt,
        "base_rtt": base_rtt,
        "wmax": wmax,
        "rto": rto,
        "b": b,
        "gamma": gamma,
        "theta1": theta1,
        "theta2": theta2,
        "beta": beta,
        "segment": segment,
    }
    if rtt is None:
        raise TypeError("rtt is None: give a number, or a text with its unit")
    given = {term: _number(term, value) for term, value in given.items()}
    losses = _several("loss", loss)
    rates = _several("rate", rate)
    return _native.equation(model, {**given, "min1": bool(min1)}, losses, rates, errata)


_WITH_UNITS = {"rtt", "base_rtt", "rto", "segment", "rate"}
"""The terms that may be texts."""


def _number(term: str, value: Any) -> Any:
    """A term as the equations take it."""
    if value is None or (isinstance(value, str) and term in _WITH_UNITS):
        return value
    try:
        return float(value)
    except (TypeError, OverflowError):
        texts = ", or a text with its unit" if term in _WITH_UNITS else ""
        raise TypeError(f"{term} is {value!r}: give a number{texts}") from None


def _several(term: str, values: Any) -> list[Any] | None:
    """One value or several as a list."""
    if values is None:
        return None
    # An array of numpy without dimensions is one value.
    is_one = isinstance(values, str | bytes) or getattr(values, "shape", None) == ()
    if is_one or not hasattr(values, "__iter__"):
        values = [values]
    return [_number(term, value) for value in values]
