"""A congestion-control laboratory for lossy paths.

>>> import dumbbell as db
>>> path = db.dumbbell(rate="2 Mb/s", delay="40 ms", loss=0.01, flows=["veno"], duration="20 s")
>>> runs = db.run(path, seeds=range(5))
>>> len(runs.groups)
5
"""

from . import plot
from ._builders import dumbbell, flow
from ._errors import Error, Panic, ScenarioError, StoreError
from ._native import Column, Scenario, Table, __version__
from ._reproduce import Drawing, Reproduction, matrix, reproduce
from ._results import Runs, run
from ._sweep import Sweep, sweep

__all__ = [
    "Column",
    "Drawing",
    "Error",
    "Panic",
    "Reproduction",
    "Runs",
    "Scenario",
    "ScenarioError",
    "StoreError",
    "Sweep",
    "Table",
    "__version__",
    "dumbbell",
    "flow",
    "matrix",
    "plot",
    "reproduce",
    "run",
    "sweep",
]
