"""The gallery shows what the code draws now."""

from __future__ import annotations

import json
import re
from typing import Any

import gallery
import pytest

FOLDER = gallery.PAGE.with_suffix("")
NAMES = re.findall(r"\(gallery/([\w-]+)\.png\)", gallery.PAGE.read_text())


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[dict[str, Any]]]:
    return {name: gallery.content(figure) for name, figure in gallery.drawn()}


def different(stored: Any, now: Any, place: str = "") -> list[str]:
    """Where two contents differ: numbers by more than rounding, which a sum can make larger."""
    if isinstance(stored, dict) and isinstance(now, dict) and stored.keys() == now.keys():
        return [it for key in stored for it in different(stored[key], now[key], f"{place}.{key}")]
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        return [
            it
            for number, pair in enumerate(zip(stored, now, strict=True))
            for it in different(*pair, f"{place}[{number}]")
        ]
    if isinstance(stored, float | int) and isinstance(now, float | int):
        return [] if now == pytest.approx(stored, rel=2e-5, abs=1e-9) else [f"{place}: {stored}, now {now}"]
    return [] if stored == now else [f"{place}: {stored!r}, now {now!r}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_the_code_draws_now(name: str, drawn: dict[str, Any]) -> None:
    stored = json.loads((FOLDER / f"{name}.json").read_text())
    # Limits follow from the size of text where it is part of the layout; the curves do not.
    found = different(stored, json.loads(json.dumps(drawn[name])))
    assert not found, "draw the gallery again (python python/tests/gallery.py):\n" + "\n".join(found[:20])


def test_every_file_belongs_to_a_picture() -> None:
    files = sorted(file.name for file in FOLDER.iterdir())
    assert files == sorted(f"{name}.{kind}" for name in NAMES for kind in ("json", "png"))
    assert len(set(NAMES)) == len(NAMES) >= 10


def test_pictures_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in FOLDER.glob("*.png")}
    assert max(sizes.values()) < 200_000 and sum(sizes.values()) < 1_500_000
    assert sum(file.stat().st_size for file in FOLDER.glob("*.json")) < 400_000


def test_a_change_of_a_number_a_word_or_a_colour_is_seen(drawn: dict[str, Any]) -> None:
    one = json.loads(json.dumps(drawn["sweep"]))
    assert different(one, drawn["sweep"]) == []
    for path in (("y", 0), ("lines", 0, "colour"), ("lines", 1, "y", "some", 3), ("bars", "sum")):
        other = json.loads(json.dumps(one))
        part = other[0]
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = part[path[-1]] * 1.001 if isinstance(part[path[-1]], float) else "other"
        assert len(different(one, other)) == 1
