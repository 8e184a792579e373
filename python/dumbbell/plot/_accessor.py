"""`result.plot`: the figures of a result, as its own functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._axes import Panels


def accessor(result: Any) -> RunPlots | SweepPlots | ReproductionPlots:
    """The figures of a result: `RunPlots`, `SweepPlots` or `ReproductionPlots`.

    It needs matplotlib only when something is drawn.
    """
    if hasattr(result, "claims") or hasattr(result, "figures"):
        return ReproductionPlots(result)
    if hasattr(result, "samples"):
        return RunPlots(result)
    if hasattr(result, "groups"):
        return SweepPlots(result)
    raise TypeError(
        f"a {type(result).__name__} has no figures: pass a result of dumbbell.run, "
        "dumbbell.sweep or dumbbell.reproduce"
    )


def _draw(name: str, *arguments: Any, **options: Any) -> Any:
    from dumbbell import plot

    return getattr(plot, name)(*arguments, **options)


class _Plots:
    """The figures of a result."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def __repr__(self) -> str:
        names = [name for name in dir(type(self)) if not name.startswith("_")]
        return f"figures of this {type(self._result).__name__}: " + ", ".join(
            f".plot.{name}()" for name in names
        )


class _Tables(_Plots):
    """The figures that runs and sweeps have in common."""

    def sweep(self, x: str | None = None, y: str = "goodput", **options: Any) -> Axes | Panels:
        """A measure along a column, with intervals: `dumbbell.plot.sweep`."""
        return _draw("sweep", self._result, x, y, **options)

    def scatter(self, x: str | None = None, y: str = "goodput", **options: Any) -> Axes:
        """A measure against another: `dumbbell.plot.scatter`."""
        return _draw("scatter", self._result, x, y, **options)


class RunPlots(_Tables):
    """The figures of runs. Called itself, it draws the windows."""

    def __call__(self, *arguments: Any, **options: Any) -> Axes | Panels:
        return self.windows(*arguments, **options)

    def windows(self, flows: Any = None, **options: Any) -> Axes | Panels:
        """Congestion windows over time: `dumbbell.plot.windows`."""
        return _draw("windows", self._result, flows, **options)

    def throughput(self, flows: Any = None, **options: Any) -> Axes | Panels:
        """Rates at the receivers over time: `dumbbell.plot.throughput`."""
        return _draw("throughput", self._result, flows, **options)

    def queue(self, links: Any = None, **options: Any) -> Axes | Panels:
        """Packets in the queues over time: `dumbbell.plot.queue`."""
        return _draw("queue", self._result, links, **options)

    def rtt(self, flows: Any = None, **options: Any) -> Axes | Panels:
        """Round-trip times over time: `dumbbell.plot.rtt`."""
        return _draw("rtt", self._result, flows, **options)

    def delay(self, flows: Any = None, **options: Any) -> Axes:
        """The distribution of round-trip times: `dumbbell.plot.delay`."""
        return _draw("delay", self._result, flows, **options)

    def fairness(self, flows: Any = None, **options: Any) -> Axes:
        """Jain's index over time: `dumbbell.plot.fairness`."""
        return _draw("fairness", self._result, flows, **options)

    def shares(self, **options: Any) -> Axes:
        """What each flow got: `dumbbell.plot.shares`."""
        return _draw("shares", self._result, **options)


class SweepPlots(_Tables):
    """The figures of a sweep. Called itself, it draws lines: `dumbbell.plot.sweep`."""

    def __call__(self, x: str | None = None, y: str = "goodput", **options: Any) -> Axes | Panels:
        return self.sweep(x, y, **options)

    def map(
        self, x: str | None = None, y: str | None = None, value: str = "goodput", **options: Any
    ) -> Axes | Panels:
        """A measure over two paths: `dumbbell.plot.map`."""
        return _draw("map", self._result, x, y, value, **options)


class ReproductionPlots(_Plots):
    """The figures of the papers. Called with the name of a figure, it draws it."""

    def __call__(self, name: str | None = None, **options: Any) -> Axes | Panels:
        return self.figure(name, **options)

    def scatter(self, x: str | None = None, y: str = "goodput", **options: Any) -> Axes:
        """Two measures of the matrix of controls and paths: `dumbbell.plot.scatter`."""
        return _draw("scatter", self._result, x, y, **options)

    def figure(self, name: str | None = None, **options: Any) -> Axes | Panels:
        """A figure of a paper: `dumbbell.plot.figure`."""
        return _draw("figure", self._result, name, **options)
