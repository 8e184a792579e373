"""The blocks of code of a page of Markdown, with what a test has to know of them.

A comment in front of a block, which readers do not see, says more:

    <!-- not run: it needs root -->             why it is not run
    <!-- tested by: crates/x/tests/y.rs -->     which other test does
    <!-- needs: jq -->                          programs without which it is skipped
    <!-- before: dumbbell new my.toml -->       commands that go before it, on any number of lines
    <!-- file: my.toml -->                      the name of the file that it shows
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|:{3,})(?P<info>.*)$")
DIRECTIVE = re.compile(r"<!-- *(?P<key>not run|tested by|needs|before|file): *(?P<text>.*?) *-->", re.DOTALL)


@dataclass
class Block:
    """A block of code."""

    page: Path
    line: int
    language: str
    text: str
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it is, such as `sweep.md:12`."""
        return f"{self.page.name}:{self.line}"

    @property
    def file_name(self) -> str | None:
        """The name of the file that it shows, by a note or by `# my.toml` in its first line."""
        if "file" in self.notes:
            return self.notes["file"]
        first = self.text.splitlines()[0] if self.text else ""
        match = re.fullmatch(r"# ([\w.-]+\.(?:toml|py))", first)
        return match[1] if match else None


def of_page(page: Path) -> list[Block]:
    """The blocks of a page, in order; directives of the site such as `{toctree}` are none."""
    return of_text(page.read_text(encoding="utf-8"), page)


def of_text(text: str, page: Path) -> list[Block]:
    """The blocks of a text."""
    found: list[Block] = []
    between: list[str] = []
    open_fence, indent = "", 0
    block: Block | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if block is not None:
            if line.strip() == open_fence:
                if not block.language.startswith("{"):
                    found.append(block)
                block, between = None, []
            else:
                block.text += f"{line.removeprefix(' ' * indent)}\n"
            continue
        match = FENCE.match(line)
        if match is None:
            between.append(line)
            continue
        open_fence, indent = match["ticks"], len(match["indent"])
        notes = {it["key"]: it["text"] for it in DIRECTIVE.finditer(tail(between))}
        block = Block(page, number, match["info"].strip(), "", notes)
    if block is not None:
        raise ValueError(f"{page}:{block.line}: the block does not end")
    return found


def tail(lines: list[str]) -> str:
    """The comments that stand directly before a block, with nothing else between."""
    text = "\n".join(lines).rstrip()
    start = len(text)
    while text[:start].rstrip().endswith("-->"):
        start = text.rindex("<!--", 0, start)
    return text[start:]
