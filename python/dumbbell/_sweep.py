"""Sweeps: a scenario over many values of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

from . import _native
from ._checks import jobs_of, scenario_of
from ._errors import Error
from ._native import Scenario, Table
from ._progress import Progress, shown
from ._results import Result, tell_trouble
from .cluster import Client, pool


class Sweep(Result):
    """The runs of a sweep, as tables with a column for each swept path.

    Attributes:
        name: The name of the scenario.
        paths: The swept paths, which are the first columns.
        groups: A row for each run and group of flows.
        links: A row for each run and direction of a link.
        runs: A row for each run, with the named measures.
        taken: How many runs came from the store.
        computed: How many runs were computed.
        wide: The points whose interval stayed wider than `until` asks.
    """

    groups: Table
    links: Table
    runs: Table

    def __init__(self, plan: _native.Plan, swept: _native.Swept) -> None:
        self.name = plan.name
        self.paths = plan.paths
        self.groups = swept.groups
        self.links = swept.links
        self.runs = swept.runs
        self.taken = swept.taken
        self.computed = swept.computed
        self.wide = swept.wide
        self._flows = swept.flows
        self._summary = swept.summary()

    @property
    def flows(self) -> Table:
        """A row for each run and flow.

        Raises:
            Error: If it was not made, because it would be very long.
        """
        if self._flows is None:
            raise Error(
                "the table of flows was not made, because it would be very long: give flows=True to "
                "sweep, or use `groups`"
            )
        return self._flows

    def summary(self) -> Table:
        """The means by point and group, and half the width of each 95 % interval (`_ci95`)."""
        return self._summary

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        what = f"{len(self)} run{'s' if len(self) != 1 else ''}"
        over = f" over {', '.join(self.paths)}" if self.paths else ""
        return f"<{what} of {self.name}{over}>\n{self.summary()}"


def sweep(
    scenario: Scenario | Any,
    grid: Mapping[str, Any] | None = None,
    *,
    zip: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    where: str | None = None,
    repeat: int | None = None,
    until: Mapping[str, Any] | None = None,
    seeds: Literal["common", "independent"] | None = None,
    measures: Sequence[Mapping[str, Any]] | None = None,
    flows: bool | None = None,
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress = None,
    client: Client | None = None,
) -> Sweep:
    """Runs a scenario over many values of its own, each with several seeds, on all cores.

    What is not given here is as in the scenario's own table `[sweep]`, if it has one (docs/sweep.md).

    Args:
        scenario: A `Scenario`, or a mapping that makes one.
        grid: Paths and their values: every combination is a point. Values are a list, or a range such
            as `{"from": "5 ms", "to": "300 ms", "log": 8}`.
        zip: A mapping from paths to values that go in step, or several; each is one more axis.
        where: A condition; points for which it does not hold are left out: `"bdp >= 4"`.
        repeat: The number of runs of each point, 10 if nothing says otherwise.
        until: Instead of `repeat`: `{"measure": "goodput", "interval": "2 %"}` runs each point until
            half of the 95 % interval is at most this part of the mean.
        seeds: `"common"` seeds for all points, or `"independent"` ones.
        measures: Named measures of a run, as in a file's `[[sweep.measure]]`.
        flows: Whether there is a table of single flows; by default, unless it would be very long.
        jobs: The number of parallel runs; without it, as many as there are cores.
        store: A file of finished runs, which are not repeated: the same as the command's.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.
        client: Where the runs are computed, instead of on threads here: a `dask.distributed.Client`,
            or a `concurrent.futures.Executor` (`dumbbell.cluster`).

    Raises:
        TypeError: If the values of a path are no list.
        ScenarioError: If the scenario or the sweep is wrong; the message shows where.
        StoreError: If the store cannot be used.
    """
    scenario, jobs = scenario_of(scenario), jobs_of(jobs)
    plan = _native.Plan(scenario, _settings(grid, zip, where, repeat, until, seeds, measures))
    path = None if store is None else fspath(store)
    with shown(progress, "sweeping") as report:
        swept = plan.run(flows, jobs, path, report, pool(client, jobs))
    tell_trouble(swept.trouble)
    return Sweep(plan, swept)


def _settings(
    grid: Mapping[str, Any] | None,
    zipped: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    where: str | None,
    repeat: int | None,
    until: Mapping[str, Any] | None,
    seeds: str | None,
    measures: Sequence[Mapping[str, Any]] | None,
) -> list[tuple[str, Any]]:
    """What is given, by its path in a file."""
    axes = [zipped] if isinstance(zipped, Mapping) else zipped
    given = {
        "zip": None if axes is None else [_axis(axis) for axis in axes],
        "where": where,
        "repeat": repeat,
        "until": None if until is None else dict(until),
        "seeds": seeds,
        "measure": None if measures is None else [dict(it) for it in measures],
    }
    settings = [(f"sweep.{key}", value) for key, value in given.items() if value is not None]
    if grid is not None:
        # Each path by itself, so that the axes have the order of the mapping.
        paths = [(f"sweep.grid.{_quoted(path)}", it) for path, it in _axis(grid).items()]
        settings = [("sweep.grid", {}), *paths, *settings]
    return settings


def _quoted(path: Any) -> str:
    """A path as one key of TOML, whose strings are those of JSON."""
    if not isinstance(path, str):
        raise TypeError(f"a path is a string, not {path!r}")
    return json.dumps(path, ensure_ascii=False)


def _axis(axis: Mapping[str, Any]) -> dict[str, Any]:
    return {path: _values(path, values) for path, values in axis.items()}


def _values(path: str, values: Any) -> Any:
    """Values of a path as a file has them: a list, or a mapping that describes a range."""
    if isinstance(values, Mapping):
        return dict(values)
    if isinstance(values, str | bytes | type) or not hasattr(values, "__iter__"):
        raise TypeError(f"the values of {path} are a list or a range, not {values!r}: write [{values!r}]")
    return list(values)
