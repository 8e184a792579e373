"""Executes the notebooks of `docs/notebooks`, which are stored with their outputs.

`python docs/_ext/notebooks.py` executes all of them and stores what they show; with names of files,
those. A test compares the outputs that are stored with those of now.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"

LONGEST = 600
"""Seconds that a cell may take."""

BACKEND = "module://matplotlib_inline.backend_inline"
"""That of a notebook, whatever the caller's environment says."""

PICTURES = ("image/png", "image/svg+xml", "image/jpeg")
WIDGET = "application/vnd.jupyter.widget-view+json"


def read(path: Path) -> NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def executed(notebook: NotebookNode) -> NotebookNode:
    """The notebook with the outputs of now, executed in an empty folder."""
    fresh = nbformat.from_dict(notebook)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            fresh, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute(env={**os.environ, "MPLBACKEND": BACKEND})
    return stored(fresh)


def stored(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs from run to run: times, versions, progress bars."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, cell in enumerate(notebook.cells, start=1):
        cell.metadata = nbformat.from_dict({})
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.outputs = [kept(output) for output in cell.outputs if not is_progress(output)]
    return notebook


def is_progress(output: NotebookNode) -> bool:
    """Whether an output is a progress bar."""
    return WIDGET in output.get("data", {})


def kept(output: NotebookNode) -> NotebookNode:
    """An output without its metadata; a picture without the text that names its object."""
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})
    if "data" in output and any(kind in output.data for kind in PICTURES):
        output.data = nbformat.from_dict(
            {kind: output.data[kind] for kind in output.data if kind in PICTURES}
        )
        if "image/png" in output.data:
            output.data["image/png"] = bare(output.data["image/png"])
    return output


def bare(png: str) -> str:
    """A PNG without its texts, which name the version of matplotlib, and as small as it gets."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        picture.info.clear()
        picture.save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def texts(notebook: NotebookNode) -> list[list[tuple[str, str]]]:
    """For each cell the outputs that are the same on every machine.

    They are text, and HTML without pictures, which depend on fonts. Of a picture its kind counts.
    """
    found = []
    for cell in notebook.cells:
        outputs: list[tuple[str, str]] = []
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                # How many pieces the text of a cell comes in depends on when it is written.
                before = outputs.pop()[1] if outputs and outputs[-1][0] == output.name else ""
                outputs.append((output.name, before + output.text))
            elif output.output_type == "error":
                outputs.append((output.ename, output.evalue))
            else:
                outputs += [(kind, comparable(kind, data)) for kind, data in sorted(output.data.items())]
        found.append(outputs)
    return found


def comparable(kind: str, data: str) -> str:
    """What counts of an output."""
    if kind in PICTURES:
        return ""
    # An object that says nothing of itself has its address.
    data = re.sub(r" at 0x[0-9a-f]+", "", str(data))
    return re.sub(r"<svg\b.*?</svg>|data:image/[^\"']*", "", data, flags=re.DOTALL)


def main(names: list[str]) -> None:
    """Executes notebooks, and stores them."""
    for path in [Path(name) for name in names] or sorted(FOLDER.glob("*.ipynb")):
        notebook = executed(read(path))
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
