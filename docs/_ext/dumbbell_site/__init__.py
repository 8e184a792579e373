"""The pages of the site that are made from the code.

They are a page per algorithm, the reference of the command, and the files of the repository to
which pages refer. They are written into folders of `docs/` that git ignores, before Sphinx looks
for pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell_site import algorithms, commands, offline, outside, stubs
from dumbbell_site.program import Program
from dumbbell_site.writer import Writer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[3]


def write_pages(app: Sphinx) -> None:
    """Writes all pages that are made from the code."""
    writer = Writer(Path(app.srcdir))
    program = Program.found(ROOT)
    algorithms.write(ROOT, program, writer)
    commands.write(program, writer)
    outside.write(ROOT, writer)
    writer.remove_others()
    stubs.take_over()


def rewrite_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Turns the links of a page that lead out of `docs/` into links to the site's copies."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".md":
        source[0] = outside.rewritten(source[0], path, ROOT)


def check_site(app: Sphinx, failure: Exception | None) -> None:
    """Checks that the site works without a network."""
    if failure is None and app.builder.format == "html":
        offline.check(Path(app.outdir))


PAGE = re.compile(r"\bdocs/(?P<name>[a-z-]+)\.md\b")


def read_docstring(app: Sphinx, what: str, *event: Any) -> None:
    """Makes links of the pages that a docstring names."""
    lines = event[-1]
    pages = app.env.found_docs

    def linked(match: re.Match[str]) -> str:
        name = match["name"]
        return f":doc:`{match[0]} </{name}>`" if name in pages else match[0]

    lines[:] = [PAGE.sub(linked, line) for line in lines]
    if what in ("property", "attribute", "data"):
        # napoleon takes what stands before a colon in the first line for a type, so the first line
        # is an empty comment.
        lines[:0] = ["..", ""]


def setup(app: Sphinx) -> dict[str, object]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", rewrite_links)
    app.connect("autodoc-process-docstring", read_docstring, priority=400)
    app.connect("build-finished", check_site)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
