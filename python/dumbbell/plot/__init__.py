"""Figures of results, drawn by matplotlib (``pip install "dumbbell[plot]"``).

Every function takes a result of the library (`Runs`, `Sweep`, `Reproduction`), one of its tables,
or anything else with the same columns (a frame of pandas or polars, a mapping of columns), and
returns matplotlib Axes, or an array of them. Nothing is shown and no global setting is changed.

```python
ax = runs.plot.windows()  # the same as db.plot.windows(runs)
ax.figure.savefig("windows.pdf")
```

All figures have one style: the width of a paper's column (`SIZES`), colours that can be told apart
with any colour vision and in grey by dashes and markers, and the same colour for a control in every
figure (`look`). `style` is a context manager that gives the same style to figures of your own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._accessor import accessor as accessor
    from ._delay import delay as delay
    from ._fairness import fairness as fairness
    from ._fairness import shares as shares
    from ._map import map as map
    from ._paper import figure as figure
    from ._picture import html as html
    from ._picture import picture as picture
    from ._scatter import scatter as scatter
    from ._size import SIZES as SIZES
    from ._style import Look as Look
    from ._style import look as look
    from ._style import style as style
    from ._sweep import sweep as sweep
    from ._time import queue as queue
    from ._time import rtt as rtt
    from ._time import throughput as throughput
    from ._time import windows as windows
    from ._why import why as why

# The functions are imported when they are used: `import dumbbell` needs no matplotlib, and does not
# wait for it.
_FILES = {
    "accessor": "_accessor",
    "delay": "_delay",
    "fairness": "_fairness",
    "shares": "_fairness",
    "map": "_map",
    "figure": "_paper",
    "html": "_picture",
    "picture": "_picture",
    "scatter": "_scatter",
    "SIZES": "_size",
    "Look": "_style",
    "look": "_style",
    "style": "_style",
    "sweep": "_sweep",
    "queue": "_time",
    "rtt": "_time",
    "throughput": "_time",
    "windows": "_time",
    "why": "_why",
}

__all__ = [
    "SIZES",
    "Look",
    "accessor",
    "delay",
    "fairness",
    "figure",
    "html",
    "look",
    "map",
    "picture",
    "queue",
    "rtt",
    "scatter",
    "shares",
    "style",
    "sweep",
    "throughput",
    "why",
    "windows",
]


def __getattr__(name: str) -> Any:
    file = _FILES.get(name)
    if file is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{file}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("matplotlib", "numpy"):
            raise ImportError(
                f'dumbbell.plot.{name} needs {error.name}: pip install "dumbbell[plot]"'
            ) from error
        raise
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
