"""Progress bars for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

ProgressFunction: TypeAlias = Callable[[float, int], None]
"""Called with the runs that are done and those that are planned."""

Progress: TypeAlias = bool | ProgressFunction | None
"""A bar (True), none (False), a bar where somebody can see it (None), or a function."""

_MOMENT = 0.5
"""Seconds of work before a bar appears."""


def _somebody_sees_it() -> bool:
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def shown(progress: Progress, what: str) -> Iterator[ProgressFunction | None]:
    """Gives the function that work reports its progress to, if anybody wants to know.

    Args:
        progress: What the caller asked for.
        what: What is done, in a word or two.
    """
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not _somebody_sees_it()):
        yield None
        return
    from tqdm.auto import tqdm

    bar: tqdm | None = None
    begun = time.monotonic()

    def report(done: float, planned: int) -> None:
        nonlocal bar
        if bar is None:
            is_over = done >= planned
            if time.monotonic() - begun < _MOMENT or is_over:
                return
            bar = tqdm(desc=what, unit=" runs", bar_format=_FORMAT, initial=0, total=planned)
            bar.start_t -= time.monotonic() - begun
        bar.total = planned
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        if bar is not None:
            bar.close()


_FORMAT = "{desc}: {percentage:3.0f} %|{bar}| {n:.0f} of {total} runs, {elapsed} gone, {remaining} left"
