"""Writes pages, and removes those of an earlier build that are no longer made."""

from __future__ import annotations

from pathlib import Path

FOLDERS = ("algorithms", "command", "project")
"""The folders of made pages, within `docs/`. git ignores them."""


class Writer:
    """Writes pages below a folder.

    A page that has not changed keeps its time of change, so Sphinx does not read it again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: set[Path] = set()

    def write(self, name: str, text: str) -> None:
        """Writes a page; `name` is its path within `docs/`."""
        path = self._folder / name
        if Path(name).parts[0] not in FOLDERS:
            raise ValueError(f"{name} is not in a folder of made pages: {', '.join(FOLDERS)}")
        self._written.add(path)
        text = text.rstrip("\n") + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def remove_others(self) -> None:
        """Removes the made pages that were not written by this writer."""
        for folder in FOLDERS:
            for path in sorted((self._folder / folder).rglob("*"), reverse=True):
                if path.is_dir():
                    if not any(path.iterdir()):
                        path.rmdir()
                elif path not in self._written:
                    path.unlink()
