"""The notebooks run, and show what they showed when they were stored."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbclient", reason='executing notebooks needs the extra "notebook"')
pytest.importorskip("matplotlib", reason='the notebooks need the extra "plot"')

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import notebooks  # noqa: E402
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output  # noqa: E402

PATHS = sorted(notebooks.FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_shows_what_is_stored(path: Path) -> None:
    stored = notebooks.read(path)
    now = notebooks.texts(notebooks.executed(notebooks.read(path)))
    for cell, shown, found in zip(stored.cells, notebooks.texts(stored), now, strict=True):
        assert found == shown, f"{path.name} (docs/_ext/notebooks.py stores it):\n{cell.source}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_small_complete_and_has_nothing_of_its_machine(path: Path) -> None:
    notebook = notebooks.read(path)
    assert path.stat().st_size < 600_000
    assert any("image/png" in str(cell.get("outputs")) for cell in notebook.cells), "no picture"
    assert notebook.cells[0].source.startswith("# "), "no title"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    text = path.read_text("utf-8")
    for word in ("/home/", "/tmp/", "/Users/", "Traceback"):
        assert word not in text, word


@pytest.mark.filterwarnings("ignore")
def test_an_output_that_differs_is_found() -> None:
    notebook = new_notebook(cells=[new_markdown_cell("# x"), new_code_cell("print(1)\nobject()")])
    once = notebooks.executed(notebook)
    assert notebooks.texts(once)[1] == [("stdout", "1\n"), ("text/plain", "<object>")]
    once.cells[1].outputs[0].text = "2\n"
    again = notebooks.executed(once)
    assert notebooks.texts(again) == notebooks.texts(notebooks.executed(again))
    assert notebooks.texts(again)[1][0] == ("stdout", "1\n")


def test_a_picture_does_not_name_the_version_that_drew_it() -> None:
    for path in PATHS:
        for cell in notebooks.read(path).cells:
            for output in cell.get("outputs", []):
                png = output.get("data", {}).get("image/png")
                assert png is None or b"Matplotlib" not in base64.b64decode(png), path.name


def test_text_that_comes_in_pieces_is_one_text() -> None:
    pieces = [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]
    cell = new_code_cell("", outputs=[new_output("stream", name=name, text=text) for name, text in pieces])
    found = notebooks.texts(new_notebook(cells=[cell]))
    assert found == [[("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]]
