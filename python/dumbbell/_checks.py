"""What several functions ask of their arguments."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ._native import Scenario

_MOST_SEED = 2**64 - 1


def scenario_of(given: Any) -> Scenario:
    """A scenario, or the mapping of one."""
    return given if isinstance(given, Scenario) else Scenario(given)


def seed_of(given: Any) -> int:
    """A seed: a whole number from 0 to 2^64 - 1, of Python or of numpy.

    Raises:
        TypeError: If it is no whole number.
        ValueError: If it is out of range.
    """
    try:
        seed = operator.index(given)
    except TypeError:
        raise TypeError(f"a seed is a whole number, not {given!r}") from None
    if not 0 <= seed <= _MOST_SEED:
        raise ValueError(f"a seed is a whole number from 0 to 2^64 - 1, not {seed}")
    return int(seed)


def seeds_of(given: Any) -> list[int]:
    """One seed, or several different ones: the same run twice would make an interval too narrow."""
    if _is_one(given):
        return [seed_of(given)]
    seeds = [seed_of(seed) for seed in given]
    if len(set(seeds)) < len(seeds):
        twice = next(seed for place, seed in enumerate(seeds) if seed in seeds[:place])
        raise ValueError(f"seed {twice} is given twice: its runs are the same")
    return seeds


def jobs_of(given: Any) -> int | None:
    """A number of parallel runs, or None for as many as there are cores; 0 is that, too.

    Raises:
        TypeError: If it is no whole number.
        ValueError: If it is negative.
    """
    if given is None:
        return None
    try:
        jobs = operator.index(given)
    except TypeError:
        raise TypeError(f"jobs is a whole number, or None for all cores, not {given!r}") from None
    if jobs < 0:
        raise ValueError(f"jobs is {jobs}, but it is at least 1, or None for all cores")
    return min(int(jobs), _MOST_JOBS) or None


def flows_of(given: str | int | Iterable[str | int] | None) -> list[str]:
    """The names or numbers of flows: of one, of several, or of none, which stands for all."""
    if given is None:
        return []
    several: Any = [given] if _is_one(given) else given
    return [str(it) for it in several]


_MOST_JOBS = 65_536


def _is_one(given: Any) -> bool:
    """Whether this is one value. An array of numpy without dimensions is one."""
    return isinstance(given, str) or getattr(given, "shape", None) == () or not hasattr(given, "__iter__")
