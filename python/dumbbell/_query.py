"""Questions about the runs of a store."""

from __future__ import annotations

import warnings
from os import PathLike, fspath

from . import _native
from ._native import Table


def query(store: str | PathLike[str], sql: str | None = None, *, all_builds: bool = False) -> Table:
    """Answers a question in SQL about the runs of a store, which is not changed (docs/store.md).

    The tables are `groups`, `flows` and `links`, with a row for each run and group (flow, link), and
    `settings`, with every value of every scenario. A name with dots is in double quotes, a text in
    single ones.

    Args:
        store: The file of finished runs.
        sql: The question; without it, the tables and their columns are listed.
        all_builds: Whether the runs of other builds are included; the column `build` tells them apart.

    Raises:
        ValueError: If the question is wrong; the message says where.
        FileNotFoundError: If there is no such file.
        StoreError: If it is no store, or cannot be read.
    """
    answer, unreadable = _native.query(fspath(store), sql, all_builds)
    if unreadable:
        warnings.warn(f"{unreadable} stored runs cannot be read, and are left out", stacklevel=2)
    return answer
