"""How the pages of the site are made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason='the site needs the extra "docs"')

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from dumbbell_site import algorithms, commands, header, offline, outside, stubs  # noqa: E402
from dumbbell_site.writer import Writer  # noqa: E402

HEADER = """\
//! GAIMD: additive increase and multiplicative
//! decrease.
//!
//! Source: RFC 9438, section 4.3; see [`reno`](super::reno).
//!
//! k is a constant.
//!
//! | event | rule |
//! |---|---|
//! | loss. Readings: none | cwnd * k |
//!
//! Initial values: the host's. Defaults: k = 1/2
//! (section 4.3).
//!
//! Readings
//! * One.
//! * Two: three.
//!
//! Deviations: none. Signals: none.
//! Hosts: all.

use crate::units::Ratio;
"""


def test_a_header_has_its_parts() -> None:
    found = header.parse(HEADER)
    assert found.title == "GAIMD"
    assert found.summary == "Additive increase and multiplicative decrease."
    table = "| event | rule |\n|---|---|\n| loss. Readings: none | cwnd * k |"
    assert found.rules == f"k is a constant.\n\n{table}"
    assert found.parts == {
        "source": "RFC 9438, section 4.3; see [`reno`](super::reno).",
        "initial": "Initial values: the host's.\n\nDefaults: k = 1/2\n(section 4.3).",
        "readings": "* One.\n* Two: three.",
        "deviations": "none.",
        "signals": "none.",
        "hosts": "all.",
    }
    assert algorithms.missing(found) == []


def test_a_header_without_a_part_is_reported() -> None:
    incomplete = HEADER.replace("//! Hosts: all.\n", "").replace("//! |---|---|\n", "")
    assert algorithms.missing(header.parse(incomplete)) == ["hosts", "table of rules"]


def test_every_control_of_the_repository_has_a_complete_header() -> None:
    paths = sorted((ROOT / algorithms.CONTROLS).glob("*.rs"))
    paths = [path for path in paths if path.stem not in algorithms.NO_CONTROLS]
    assert len(paths) >= 15
    for path in paths:
        assert algorithms.missing(header.parse(path.read_text("utf-8"))) == [], path


def test_links_of_rustdoc_become_links_or_code() -> None:
    pages = {"reno": "reno.md"}
    text = "[`reno`](super::reno), [`Cut::mean`], [0, 1], [docs](../a.md)\n```\n[`x`]\n```\n"
    expected = "[reno](reno.md), `Cut::mean`, [0, 1], [docs](../a.md)\n```\n[`x`]\n```\n"
    assert header.plain_links(text, pages.get) == expected


def test_blocks_of_rustdoc_are_rust_without_hidden_lines() -> None:
    text = "```\n# use hidden;\nlet x = 1;\n```\n# Heading"
    assert header.rust_blocks(text) == "```rust\nlet x = 1;\n```\n# Heading"


HELP = """\
Runs a scenario (docs/sweep.md). It is
never *repeated*.

Usage: dumbbell sweep [OPTIONS] <FILE>

Arguments:
  <FILE>
          The file; `-` is standard input

Options:
      --kind <KIND>
          What it is

          Possible values:
          - one:   The first, with
            a second line
          - other: The second
  -j, --jobs <N>  How many
  -h, --help      Print help

Examples:
  dumbbell sweep a.toml   now

docs/store.md describes the store.
"""


def test_a_help_is_taken_apart() -> None:
    found = commands.parse(HELP)
    assert found.about == ["Runs a scenario (docs/sweep.md). It is never *repeated*."]
    assert found.usage == "dumbbell sweep [OPTIONS] <FILE>"
    assert found.arguments[0][0] == "<FILE>"
    assert [term for term, _ in found.options] == ["--kind <KIND>", "-j, --jobs <N>", "-h, --help"]
    assert found.options[1][1] == "How many"
    page = commands.body(found, 2)
    assert "([docs/sweep.md](../sweep.md)). It is never \\*repeated\\*." in page
    assert ":   What it is" in page or ": What it is" in page
    assert "\n  - one:   The first, with a second line\n  - other: The second" in page
    assert "```text\ndumbbell sweep a.toml   now\n```" in page
    assert "--help" not in page


def repository(folder: Path) -> Path:
    """A repository with a page that refers to what is outside `docs/`."""
    files = {
        "docs/page.md": "[a](../README.md#x) [b](../src) [c](other.md) [d](https://e.f)\n"
        "```text\n[not](../README.md)\n```\n",
        "docs/other.md": "# Other\n",
        "README.md": "# Read me\n[page](docs/page.md) ![p](docs/p.svg) [code](src/a.rs)\n",
        "src/a.rs": "fn main() {}\n// ```\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_links_out_of_the_docs_lead_to_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path)
    monkeypatch.setattr(outside, "ALWAYS", ("README.md",))
    page = root / "docs/page.md"
    text = outside.rewritten(page.read_text(), page, root)
    expected = "[a](project/README.md#x) [b](project/src.md) [c](other.md) [d](https://e.f)\n"
    assert text.startswith(expected)
    assert "[not](../README.md)" in text
    outside.write(root, Writer(root / "docs"))
    readme = (root / "docs/project/README.md").read_text()
    assert "[page](../page.md) ![p](../p.svg) [code](src/a.rs.md)" in readme
    assert "a.rs" in (root / "docs/project/src.md").read_text()
    # The fence is longer than those in the file.
    assert "````rust\nfn main() {}\n" in (root / "docs/project/src/a.rs.md").read_text()


def test_pages_that_are_no_longer_made_are_removed(tmp_path: Path) -> None:
    Writer(tmp_path).write("command/old.md", "old")
    path = tmp_path / "command/new.md"
    for _ in range(2):
        writer = Writer(tmp_path)
        writer.write("command/new.md", "new")
        writer.remove_others()
    assert path.read_text() == "new\n" and not (tmp_path / "command/old.md").exists()
    with pytest.raises(ValueError, match="made pages"):
        writer.write("scenario.md", "by hand")


def test_a_page_that_loads_from_a_server_is_found(tmp_path: Path) -> None:
    page = '<a href="https://a.b">c</a><img src="d.png"><link rel="x" href="e.css">'
    (tmp_path / "page.html").write_text(page)
    offline.check(tmp_path)
    loads = {
        "page.html": '<script async src="https://cdn.example/x.js"></script>',
        "link.html": '<link rel="stylesheet" href="//fonts.example/y.css">',
        "style.css": 'a { background: url("http://z.example/z.png") }',
    }
    for name, text in loads.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"fonts\.example.*cdn\.example.*z\.example"):
        offline.check(tmp_path)


def test_a_stub_is_read_with_all_signatures(tmp_path: Path) -> None:
    path = tmp_path / "_native.pyi"
    path.write_text(
        "from typing import overload, type_check_only\n"
        "class A:\n"
        "    @overload\n"
        "    def set(self, path: str, value: int, /) -> A: ...\n"
        "    @overload\n"
        "    def set(self, path: dict[str, int], /) -> A:\n"
        '        """Sets values.\n\n        Raises:\n            E: If not.\n        """\n'
        "@type_check_only\n"
        "class B: ...\n"
    )
    about = stubs.read(path).A.set.__doc__
    assert about == (
        "Sets values.\n\nAlso: ``set(path: str, value: int, /) -> A``.\n\nRaises:\n    E: If not."
    )
