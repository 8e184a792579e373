"""Why each window of a run changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from . import _native
from ._checks import flows_of, scenario_of, seed_of
from ._native import Scenario, Table
from ._progress import Progress, shown

_LINES = 40
"""The number of lines that a notebook shows."""


class Explanation:
    """Why the windows of a run changed.

    `print` shows it as `dumbbell explain` does: a line for each event, and the totals.

    Attributes:
        scenario: The scenario.
        steps: A row for each event: when, which flow, the windows before and after, the rule that was
            taken, why, and where it is published. Columns such as `before.backlog` have the values that
            the control knew.
        totals: How often each rule reduced a window, in a sentence.
    """

    def __init__(self, scenario: Scenario, steps: Table, text: str) -> None:
        self.scenario = scenario
        self.steps = steps
        self._text = text

    @property
    def totals(self) -> str:
        """How often each rule reduced a window, in a sentence."""
        return self._text.rstrip("\n").rpartition("\n")[2]

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self.totals} in a run of {self.scenario.name}>"

    def _repr_html_(self) -> str:
        *lines, totals = self._text.rstrip("\n").split("\n")
        if len(lines) > _LINES:
            left = len(lines) - _LINES
            lines = [*lines[:_LINES], f"... and {left} more: print() shows all"]
        text = "\n".join([*lines, totals])
        return f'<pre style="overflow-x:auto;white-space:pre">{escape(text)}</pre>'


def explain(
    scenario: Scenario | Mapping[str, Any],
    *,
    seed: int | None = None,
    flow: str | int | Iterable[str | int] | None = None,
    start: float | None = None,
    end: float | None = None,
    all: bool = False,
    progress: Progress = None,
) -> Explanation:
    """Explains why each window was reduced (docs/explain.md).

    For each event: the values that the control used, the branch of its rule, and where the rule is
    published.

    Args:
        scenario: A `Scenario`, or a mapping that makes one.
        seed: The seed; without it, the scenario's own.
        flow: A flow, or several: its number, from 1 on, or its name. Without it, all TCP flows.
        start: From this time on, in seconds of the run.
        end: Up to this time.
        all: Whether growth is explained, too. Consecutive ACKs that a flow handled by the same rule are
            one row.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.

    Raises:
        ScenarioError: If the scenario is wrong.
        ValueError: If there is no such flow, or it has no window, or no such time.

    >>> import dumbbell as db
    >>> path = db.dumbbell(loss=0.01, flows=["veno"], duration="10 s")
    >>> print(db.explain(path).totals)  # doctest: +SKIP
    9 reductions: 8 random losses, 1 congestion
    """
    scenario, seed = scenario_of(scenario), None if seed is None else seed_of(seed)
    flows = flows_of(flow)
    with shown(progress, "explaining") as report:
        steps, text = _native.explain(scenario, seed, flows, start, end, bool(all), report)
    return Explanation(scenario, steps, text)
