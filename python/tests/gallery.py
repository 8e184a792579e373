"""Draws the gallery: the pictures of docs/gallery.md, by the blocks of Python before them.

`python python/tests/gallery.py` draws all of them again. Beside each picture is what it shows as numbers,
with which a test compares what the code draws now: pictures differ between versions of matplotlib.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "gallery.md"

MOST_POINTS = 25
"""So many points of a curve are kept, evenly spaced, and the sums of all."""


def drawn() -> Iterator[tuple[str, Any]]:
    """The name of each picture of the page, and its figure."""
    names: dict[str, Any] = {"__name__": "gallery"}
    pieces = r"^```python\n(?P<code>.*?)^```$|^!\[[^\]]*\]\(gallery/(?P<name>[\w-]+)\.png\)$"
    for piece in re.finditer(pieces, PAGE.read_text(), re.MULTILINE | re.DOTALL):
        if piece["code"] is not None:
            exec(compile(piece["code"], str(PAGE), "exec"), names)
        else:
            axes = names["ax"]
            ax = axes.flat[0] if isinstance(axes, np.ndarray) else axes
            yield piece["name"], ax.figure


def content(figure: Any) -> list[dict[str, Any]]:
    """What a figure shows, as numbers and words."""
    return [one_of(ax) for ax in figure.axes if ax.get_visible()]


def one_of(ax: Any) -> dict[str, Any]:
    """What Axes show."""
    found: dict[str, Any] = {
        "title": ax.get_title("left"),
        "x": [ax.get_xlabel(), ax.get_xscale(), *map(rounded, ax.get_xlim())],
        "y": [ax.get_ylabel(), ax.get_yscale(), *map(rounded, ax.get_ylim())],
        "lines": [
            {
                "label": str(line.get_label()),
                "colour": mpl.colors.to_hex(line.get_color()),
                "dash": str(line.get_linestyle()),
                "marker": str(line.get_marker()),
                **{key: kept(values) for key, values in zip("xy", line.get_data(), strict=True)},
            }
            for line in ax.get_lines()
            # The caps of bars have no name.
            if not str(line.get_label()).startswith("_child")
        ],
    }
    segments = [
        segment
        for one in ax.collections
        if hasattr(one, "get_segments") and getattr(ax, "_colorbar", None) is None
        for segment in one.get_segments()
    ]
    if segments:
        found["bars"] = kept(np.concatenate([np.ravel(segment) for segment in segments]))
    meshes = [one.get_array() for one in ax.collections if one.get_array() is not None]
    if meshes:
        found["cells"] = [kept(np.ma.filled(np.ma.ravel(one), np.nan)) for one in meshes]
    return found


def kept(values: Any) -> dict[str, Any]:
    """Some of the numbers, and the sums of all."""
    numbers = np.asarray(values, dtype=float)
    places = np.unique(np.linspace(0, len(numbers) - 1, MOST_POINTS).round().astype(int))
    there = numbers[np.isfinite(numbers)]
    return {
        "count": len(numbers),
        "sum": rounded(there.sum()),
        "squares": rounded((there**2).sum()),
        "some": [rounded(numbers[place]) for place in places] if len(numbers) else [],
    }


def rounded(value: Any) -> float | None:
    """A number with six digits; None for one that is not finite."""
    return float(f"{float(value):.6g}") if np.isfinite(value) else None


def main() -> None:
    """Draws all pictures."""
    mpl.use("agg")
    folder = PAGE.with_suffix("")
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, figure in drawn():
        picture = io.BytesIO()
        figure.savefig(picture, dpi=200)
        # 256 colours are enough for figures, and make a third of the size.
        Image.open(picture).convert("RGB").quantize(256).save(folder / f"{name}.png", optimize=True)
        lines = json.dumps(content(figure), ensure_ascii=False)
        (folder / f"{name}.json").write_text(lines + "\n")
        size = (folder / f"{name}.png").stat().st_size
        print(f"{name}: {size / 1000:.0f} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
