"""The results of runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal, SupportsIndex

from . import _native
from ._checks import jobs_of, scenario_of, seeds_of
from ._native import Scenario, Table
from ._progress import Progress, shown
from .cluster import Client, pool

Samples = Literal["first", "all", False]


class Result:
    """What all results have in common: plots, and how a notebook shows them."""

    @property
    def plot(self) -> Any:
        """The plots of this result (needs the extra `plot`)."""
        from .plot import accessor

        return accessor(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: a table and, if matplotlib is there, a picture."""
        from .plot import html

        return html(self)


class Runs(Result):
    """The runs of one scenario, one for each seed, as tables.

    Attributes:
        scenario: The scenario.
        seeds: The seeds, in the order of the rows.
        groups: A row for each run and group of flows.
        flows: A row for each run and flow.
        links: A row for each run and direction of a link.
        samples: A row for each sample of a window, a rate or a queue.
        taken: How many runs came from the store.
        computed: How many runs were computed.
    """

    def __init__(self, scenario: Scenario, seeds: list[int], outcomes: _native.Outcomes) -> None:
        self.scenario = scenario
        self.seeds = seeds
        self.taken = outcomes.taken
        self.computed = outcomes.computed
        self._outcomes: _native.Outcomes | None = outcomes

    def _made(self) -> _native.Outcomes:
        assert self._outcomes is not None, "a pickle has its tables"
        return self._outcomes

    @cached_property
    def groups(self) -> Table:
        """A row for each run and group of flows."""
        return self._made().groups

    @cached_property
    def flows(self) -> Table:
        """A row for each run and flow."""
        return self._made().flows

    @cached_property
    def links(self) -> Table:
        """A row for each run and direction of a link."""
        return self._made().links

    @cached_property
    def samples(self) -> Table:
        """A row for each sample of a window, a rate or a queue."""
        return self._made().samples

    @cached_property
    def _summary(self) -> Table:
        return self._made().summary()

    def summary(self) -> Table:
        """The means over the runs by group, and half the width of each 95 % interval (`_ci95`)."""
        return self._summary

    def __len__(self) -> int:
        return len(self.seeds)

    def __repr__(self) -> str:
        what = f"{len(self)} run{'s' if len(self) != 1 else ''}"
        return f"<{what} of {self.scenario.name}>\n{self.summary()}"

    def __getstate__(self) -> dict[str, Any]:
        names = ["groups", "flows", "links", "samples", "_summary"]
        tables = {name: getattr(self, name) for name in names}
        return {**self.__dict__, **tables, "_outcomes": None}


def run(
    scenario: Scenario | Any,
    *,
    seeds: Iterable[SupportsIndex] | SupportsIndex | None = None,
    samples: Samples = "first",
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress = None,
    client: Client | None = None,
) -> Runs:
    """Runs a scenario, once for each seed, on all cores.

    Args:
        scenario: A `Scenario`, or a mapping that makes one.
        seeds: The seeds, or one, from 0 to 2^64 - 1; without them, the scenario's own.
        samples: Which runs are sampled, as the scenario's `[probe]` says: the `"first"`, `"all"`, or
            none (`False`).
        jobs: The number of parallel runs; without it, as many as there are cores. It does not affect
            the results.
        store: A file of finished runs, which are not repeated: the same as the command's.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.
        client: Where the runs are computed, instead of on threads here: a `dask.distributed.Client`,
            or a `concurrent.futures.Executor` (`dumbbell.cluster`).

    Raises:
        ScenarioError: If the scenario is wrong.
        ValueError: If a seed or `jobs` is out of its range.
        StoreError: If the store cannot be used.
    """
    scenario, jobs = scenario_of(scenario), jobs_of(jobs)
    numbers = seeds_of(scenario.seed if seeds is None else seeds)
    sampled = "none" if samples is None or samples is False else samples
    if not isinstance(sampled, str) or sampled not in ("first", "all", "none"):
        raise ValueError(f'samples is "first", "all" or False, not {samples!r}')
    path = None if store is None else fspath(store)
    with shown(progress, "simulating") as report:
        where = pool(client, jobs)
        outcomes = _native.run(scenario, numbers, sampled, jobs, path, report, where)
    tell_trouble(outcomes.trouble)
    return Runs(scenario, numbers, outcomes)


def tell_trouble(trouble: str | None) -> None:
    """Warns that the store lacks some of the runs."""
    if trouble is not None:
        warnings.warn(f"the results are complete, but {trouble}", stacklevel=3)
