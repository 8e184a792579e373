"""Every block of code in the documentation runs, or a comment before it says why not."""

from __future__ import annotations

import configparser
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import dumbbell as db

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import blocks  # noqa: E402
from blocks import Block  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

SHELLS = ("sh", "console", "bash")
SHOWN = ("text", "html", "")
"""Outputs: they are compared by the tests that "tested by" names, or they are sketches."""


def program() -> Path | None:
    """The command: what `DUMBBELL_BINARY` names, otherwise the newest build."""
    named = os.environ.get("DUMBBELL_BINARY")
    if named:
        return Path(named)
    built = [ROOT / "target" / kind / "dumbbell" for kind in ("release", "debug")]
    return max((it for it in built if it.exists()), key=lambda it: it.stat().st_mtime, default=None)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `dumbbell`, and `cargo run --release --`, are the command."""
    path = program()
    if path is None or not path.exists():
        pytest.skip("there is no command: set DUMBBELL_BINARY, or `cargo build -p dumbbell`")
    folder = tmp_path_factory.mktemp("bin")
    (folder / "dumbbell").symlink_to(path.resolve())
    cargo = folder / "cargo"
    cargo.write_text(
        '#!/bin/bash\n[ "$1 $2 $3" = "run --release --" ] || { echo "cargo $*" >&2; exit 99; }\n'
        'shift 3; exec dumbbell "$@"\n'
    )
    cargo.chmod(0o755)
    python = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{folder}:{python}:{os.environ['PATH']}", "MPLBACKEND": "agg"}


def fate(block: Block) -> str:
    """What happens with a block: `run`, `parsed`, `elsewhere`, `shown` or `not run`."""
    if "not run" in block.notes:
        return "not run"
    if "tested by" in block.notes:
        return "elsewhere"
    if block.language in ("python", *SHELLS):
        return "run"
    if block.language in ("toml", "json", "ini"):
        return "parsed"
    if block.language in SHOWN:
        return "shown"
    raise AssertionError(f"{block.place}: nothing is known of blocks of `{block.language}`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_are_true(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    module = module_of(page, tmp_path)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    scenario: str | None = None
    printed: str | None = None
    for block in blocks.of_page(page):
        if block.language == "text" and printed is not None:
            assert agree(block.text.splitlines(), printed.splitlines()), (
                f"{block.place}: shown:\n{block.text}\nprinted:\n{printed}"
            )
        printed = None
        if block.language == "toml":
            if block.file_name:
                (tmp_path / block.file_name).write_text(block.text)
            scenario = check_toml(block, scenario)
        if fate(block) == "parsed" and block.language != "toml":
            parse(block)
        elif fate(block) == "run" and block.language == "python":
            printed = run_python(block, module)
        elif fate(block) == "run":
            run_shell(block, request.getfixturevalue("tools"))


def module_of(page: Path, folder: Path) -> ModuleType:
    """A module with the Python of a page in a file, whose lines are at the places of the page."""
    lines = [""] * len(page.read_text("utf-8").splitlines())
    for block in blocks.of_page(page):
        if block.language == "python":
            text = block.text.splitlines()
            lines[block.line : block.line + len(text)] = text
    module = ModuleType(f"page_{page.stem.replace('-', '_')}")
    module.__file__ = str(folder / f"{page.stem}.py")
    Path(module.__file__).write_text("\n".join(lines))
    return module


def run_python(block: Block, module: ModuleType) -> str:
    """Runs a block of Python after those before it on the page; returns what it prints."""
    code = compile("\n" * block.line + block.text, getattr(module, "__file__", "page"), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, vars(module))
    return out.getvalue()


def agree(shown: list[str], lines: list[str]) -> bool:
    """Whether lines are as they are shown, where a line `...` stands for any lines."""
    if not shown:
        return not lines
    if shown[0] == "...":
        return any(agree(shown[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and shown[0] == lines[0] and agree(shown[1:], lines[1:])


def run_shell(block: Block, tools: dict[str, str]) -> None:
    """Runs a block of commands after those before it on the page."""
    for name in block.notes.get("needs", "").split():
        if shutil.which(name, path=tools["PATH"]) is None:
            print(f"{block.place}: skipped, {name} is not installed")
            return
    script = "\n".join(["set -e -o pipefail", block.notes.get("before", ""), commands(block)])
    done = subprocess.run(["bash", "-c", script], env=tools, capture_output=True, text=True)
    assert done.returncode == 0, f"{block.place}\n{block.text}\n{done.stdout}\n{done.stderr}"


def commands(block: Block) -> str:
    """The commands of a block; in a `console`, the lines after `$`."""
    if block.language != "console":
        return block.text
    lines = [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
    return "\n".join(lines)


def check_toml(block: Block, scenario: str | None) -> str | None:
    """Reads a block of TOML; returns the page's scenario, to which `[sweep]` alone belongs."""
    keys = tomllib.loads(block.text)
    if "duration" in keys and "flow" in keys:
        db.Scenario.parse(block.text, block.place)
        return block.text
    if set(keys) == {"sweep"} and scenario is not None:
        kept = scenario.split("\n[sweep", 1)[0]
        db.Scenario.parse(f"{kept}\n{block.text}", block.place)
    return scenario


def parse(block: Block) -> None:
    """Reads a block of data."""
    if block.language == "json":
        # What goes into an object may be shown without its braces.
        json.loads(block.text if block.text[0] in "{[" else f"{{{block.text}}}")
    else:
        configparser.ConfigParser(strict=False).read_string("[block]\n" + block.text, block.place)


def test_nearly_all_blocks_are_run(capsys: pytest.CaptureFixture[str]) -> None:
    every = [block for page in PAGES for block in blocks.of_page(page)]
    fates = Counter(fate(block) for block in every)
    with capsys.disabled():
        counts = ", ".join(f"{fates[name]} {name}" for name in sorted(fates))
        print(f"\nblocks of code in {len(PAGES)} pages: {len(every)} ({counts}); not run:")
        for block in every:
            if fate(block) == "not run":
                print(f"  {block.place}: {block.notes['not run']}")
    for block in every:
        for path in block.notes.get("tested by", "").split():
            assert (ROOT / path).exists(), f"{block.place}: there is no {path}"
    assert fates["run"] > fates["not run"]


def test_a_note_belongs_to_the_block_that_follows_it() -> None:
    text = "<!-- not run: a -->\n\n```sh\nx\n```\n<!-- needs: jq -->\ntext\n\n```sh\ny\n```\n"
    first, second = blocks.of_text(text, Path("page.md"))
    assert (first.notes, second.notes) == ({"not run": "a"}, {})
    assert (first.text, second.line) == ("x\n", 9)


def test_an_output_that_differs_is_found() -> None:
    assert agree(["a", "...", "z"], ["a", "b", "c", "z"])
    assert agree(["..."], [])
    assert not agree(["a", "z"], ["a", "b", "z"])
    assert not agree(["a"], ["a", "b"])


def test_a_block_that_fails_is_found(tools: dict[str, str]) -> None:
    wrong = Block(Path("page.md"), 1, "sh", "dumbbell run nothing.toml\ntrue\n")
    with pytest.raises(AssertionError, match="nothing"):
        run_shell(wrong, tools)
    with pytest.raises(ZeroDivisionError):
        run_python(Block(Path("page.md"), 1, "python", "1 / 0\n"), ModuleType("page"))
    with pytest.raises(db.ScenarioError):
        check_toml(Block(Path("page.md"), 1, "toml", 'duration = "1"\n[[flow]]\n'), None)
