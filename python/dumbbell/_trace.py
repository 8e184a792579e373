"""What happened at the senders of a run, packet by packet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, overload

from . import _native
from ._checks import flows_of, scenario_of, seed_of
from ._native import Scenario, Table
from ._progress import Progress, shown


@overload
def trace(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int | None = None,
    flows: str | int | Iterable[str | int] | None = None,
    to: None = None,
    progress: Progress = None,
) -> Table: ...


@overload
def trace(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int | None = None,
    flows: str | int | Iterable[str | int] | None = None,
    to: str | PathLike[str] | Iterable[str | PathLike[str]],
    progress: Progress = None,
) -> None: ...


def trace(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int | None = None,
    flows: str | int | Iterable[str | int] | None = None,
    to: str | PathLike[str] | Iterable[str | PathLike[str]] | None = None,
    progress: Progress = None,
) -> Table | None:
    """Records a run packet by packet: as a table, or in files (docs/traces.md).

    The run is the one that `run` makes of the same seed.

    Args:
        scenario: A `Scenario`, or a mapping that makes one.
        seed: The seed; without it, the scenario's own.
        flows: A flow, or several: its name, that of its ``[[flow]]``, or its number, from 1 on. Without
            it, all flows.
        to: A file, or several of the same run, instead of a table: its name ends in `.csv`, `.pcap` (for
            Wireshark) or `.qlog` (for qvis). It is there when the run is over, as a whole or not at all.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.

    Returns:
        A row for each event, in order of time; None if the trace goes to files.

    Raises:
        ScenarioError: If the scenario is wrong.
        ValueError: If there is no such flow, the format of a file is not known, or a file is named twice.
        OSError: If a file cannot be written.
    """
    scenario, seed = scenario_of(scenario), None if seed is None else seed_of(seed)
    if to is None:
        files = []
    elif isinstance(to, str | PathLike):
        files = [fspath(to)]
    else:
        files = [fspath(it) for it in to]
    if len(files) != len(set(files)):
        raise ValueError("a trace is written to each file once, but one is named twice")
    with shown(progress, "tracing") as report:
        return _native.trace(scenario, seed, flows_of(flows), files, report)
