"""How a notebook shows a result: a short table and a picture."""

from __future__ import annotations

import re
from io import StringIO
from types import SimpleNamespace
from typing import Any

MOST_BYTES = 80_000
"""A larger picture is left out, so that a notebook of many results stays small."""

_PER_INCH = 40
"""The columns of a curve over time, per inch: 140 in a picture."""

_MOST_FLOWS = 6

_MOST_SAMPLES = 3_000_000
"""More samples take seconds, and nobody has asked for a picture."""


def html(result: Any) -> str:
    """A result for a notebook, as its ``_repr_html_``: its summary as a table, and `picture`."""
    return f"<div>{_table(result)}{picture(result)}</div>"


def _table(result: Any) -> str:
    summary = getattr(result, "summary", None)
    table = summary() if callable(summary) else getattr(result, "claims", None)
    shown = getattr(table, "_repr_html_", None)
    return str(shown()) if callable(shown) else ""


def picture(result: Any) -> str:
    """A small picture of a result as SVG, or nothing.

    It is of the windows of runs, the lines of a sweep, or the first figure of a reproduction. It is
    empty without matplotlib, and where there is nothing to draw. It has at most 80 kB: curves over
    time have at most four points in each of 140 columns, and runs of many flows show the first six.
    Runs of more than three million samples have none.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        from . import _axes, _style
    except ImportError:
        return ""
    # Text stays text, which is small; the figure is not one of pyplot's, which would show it, too.
    with _style.style(), rc_context({"svg.fonttype": "none"}):
        figure = _axes.Paper(figsize=(4.4, 2.6))
        figure.per_inch = _PER_INCH
        ax = figure.subplots()
        try:
            _draw(result, ax)
        except (TypeError, ValueError):
            # The table has to do: these results have no picture.
            return ""
        inside = ax.get_legend()
        if inside is not None:
            inside.remove()
            _axes.legend(ax, own=True)
        text = StringIO()
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})
    return _small(text.getvalue())


def _draw(result: Any, ax: Any) -> None:
    from . import _paper, _sweep, _time
    from ._choice import LeftOver
    from ._columns import Columns

    if hasattr(result, "claims"):
        _paper.figure(result, ax=ax)
    elif hasattr(result, "samples"):
        if len(result.samples) > _MOST_SAMPLES:
            raise ValueError("these take seconds to draw")
        # The words of a table are read once.
        read = SimpleNamespace(samples=Columns(result.samples), flows=result.flows)
        names = list(_time.samples(read, "cwnd").series)
        _time.windows(read, names[:_MOST_FLOWS], ax=ax)
        if len(names) > _MOST_FLOWS:
            ax.set_title(f"the first {_MOST_FLOWS} of {len(names)} flows")
    else:
        where: dict[str, Any] = {}
        while True:
            try:
                _sweep.sweep(result, where=where, ax=ax)
                break
            except LeftOver as left:
                # What a picture cannot show is fixed at its first value, and said.
                where[left.name] = left.first
        if where:
            from ._axes import shown
            from ._words import plain, words

            fixed = ", ".join(f"{words(name)}: {shown(at)}" for name, at in where.items())
            ax.set_title(plain(fixed))


def _small(svg: str) -> str:
    """Without what a page does not need, and with coordinates of a tenth of a point."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d)\d+", r"\1", svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return svg if len(svg) <= MOST_BYTES else ""
