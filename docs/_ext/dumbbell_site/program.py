"""The command `dumbbell`, which is asked for its help and for its lists."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any


class Program:
    """The command, as a binary."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def found(cls, root: Path) -> Program:
        """The binary that `DUMBBELL_BINARY` names, otherwise the newer one of a build of `root`.

        Raises `FileNotFoundError` if there is none.
        """
        named = os.environ.get("DUMBBELL_BINARY")
        if named:
            return cls(Path(named).resolve(strict=True))
        built = [root / "target" / kind / "dumbbell" for kind in ("release", "debug")]
        built = [path for path in built if path.exists()]
        if not built:
            raise FileNotFoundError(
                "the site needs the command: `cargo build -p dumbbell`, or DUMBBELL_BINARY=PATH"
            )
        return cls(max(built, key=lambda path: path.stat().st_mtime))

    def output(self, *words: str) -> str:
        """What the command prints."""
        done = subprocess.run(
            [self.path, *words], check=True, capture_output=True, text=True, encoding="utf-8"
        )
        return done.stdout

    def help(self, *words: str) -> str:
        """The help of a subcommand; without words, that of the command."""
        return self.output("help", *words)

    def catalogue(self) -> dict[str, list[dict[str, Any]]]:
        """The sections of `dumbbell list --json`: their entries by their titles."""
        sections = json.loads(self.output("list", "--json"))
        return {section["title"]: section["entries"] for section in sections}
