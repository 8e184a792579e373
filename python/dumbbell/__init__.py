"""A congestion-control laboratory for lossy paths.

>>> import dumbbell as db
>>> path = db.dumbbell(rate="2 Mb/s", delay="40 ms", loss=0.01, flows=["veno"], duration="20 s")
>>> runs = db.run(path, seeds=range(5))
>>> len(runs.groups)
5
"""

from . import plot
from ._builders import dumbbell, flow
from ._equation import equation
from ._errors import Error, Panic, ScenarioError, StoreError
from ._explain import Explanation, explain
from ._list import list as list
from ._list import measures, parameters
from ._native import Column, Scenario, Table, __version__
from ._query import query
from ._reproduce import Drawing, Reproduction, matrix, reproduce
from ._results import Runs, run
from ._sweep import Sweep, sweep
from ._trace import trace
from .control import Control, Range, RateControl, register, unregister

# Not `list`: it would hide the built-in one after `from dumbbell import *`.
__all__ = [
    "Column",
    "Control",
    "Drawing",
    "Error",
    "Explanation",
    "Panic",
    "Range",
    "RateControl",
    "Reproduction",
    "Runs",
    "Scenario",
    "ScenarioError",
    "StoreError",
    "Sweep",
    "Table",
    "__version__",
    "dumbbell",
    "equation",
    "explain",
    "flow",
    "matrix",
    "measures",
    "parameters",
    "plot",
    "query",
    "register",
    "reproduce",
    "run",
    "sweep",
    "trace",
    "unregister",
]
