"""The sizes of figures."""

from __future__ import annotations

from typing import Literal, TypeAlias

SIZES: dict[str, float] = {"one": 3.5, "two": 7.16}
"""Widths of figures in inches: `"one"` column and `"two"` columns of a paper of the IEEE."""

Size: TypeAlias = Literal["one", "two"] | float | tuple[float, float]
"""A key of `SIZES`, a width in inches, or a width and a height in inches."""

GOLDEN = 0.62
"""The usual height of a panel, as a part of its width."""

WIDE = 0.42
"""That of a panel as wide as a page."""


def inches(size: Size, height: float) -> tuple[float, float]:
    """Width and height in inches; `height` is the usual one as a part of the width."""
    if isinstance(size, tuple):
        if len(size) == 2 and all(_positive(side) for side in size):
            return float(size[0]), float(size[1])
    elif isinstance(size, str):
        if size in SIZES:
            return SIZES[size], SIZES[size] * height
    elif _positive(size):
        return float(size), float(size) * height
    raise ValueError(
        f'size = {size!r}: write "one" ({SIZES["one"]} in), "two" ({SIZES["two"]} in), a width in '
        "inches, or a pair (width, height) in inches"
    )


def _positive(side: object) -> bool:
    return isinstance(side, int | float) and 0 < side < 1000
