"""What a scenario can name, and what is measured."""

from __future__ import annotations

from . import _native
from ._native import Table


def list() -> Table:
    """Lists everything that a scenario can name, a row for each.

    The column `sort` says what it is: a `control`, a `short name` of a control with a recovery, a
    `recovery`, a `queue`, a `loss` model, a `source` of a UDP flow, a `rate control` of a media flow, an
    `estimator` or a `classifier` of a probe. `parameters` has the parameters of all of them.
    """
    return _native.catalogue()


def parameters() -> Table:
    """Lists the parameters of everything that `list` has: default, range and meaning, a row for each."""
    return _native.parameters()


def measures() -> Table:
    """Lists the measures, which are the columns of `groups`, `flows` and `links` (docs/measures.md)."""
    return _native.measures()
