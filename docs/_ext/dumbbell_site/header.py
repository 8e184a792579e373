"""The header of a Rust file, its `//!` comment, taken apart into the parts of a page.

CONTRIBUTING.md shows such a header. Its first paragraph is the summary. Its parts begin with a
label: `Paper`, `Source`, `Initial values`, `Defaults`, `Readings`, `Deviations`, `Signals`,
`Hosts`. Tables, and paragraphs without a label, are the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

LABELS = {
    "Paper": "source",
    "Papers": "source",
    "Source": "source",
    "Sources": "source",
    "Initial values": "initial",
    "Defaults": "initial",
    "Readings": "readings",
    "Reading": "readings",
    "Deviations": "deviations",
    "Deviation": "deviations",
    "Ours": "ours",
    "Signals": "signals",
    "Hosts": "hosts",
}
"""The labels of a header, and the part that each begins."""

KEPT = ("Initial values", "Defaults")
"""Labels that stay in the text, because they share a part."""

LABEL = re.compile(
    r"(?:^|(?<=\. ))\*?(?P<label>" + "|".join(LABELS) + r")(?::|\.\*|$)",
    re.MULTILINE,
)


@dataclass
class Header:
    """A header. Every part is Markdown; a part that is missing is empty."""

    title: str = ""
    summary: str = ""
    rules: str = ""
    parts: dict[str, str] = field(default_factory=dict)

    def part(self, name: str) -> str:
        """A labelled part, such as `readings`."""
        return self.parts.get(name, "")


def lines_of(rust: str) -> str:
    """The `//!` comment at the beginning of a Rust file, without the slashes."""
    lines = []
    for line in rust.splitlines():
        if not line.startswith("//!"):
            break
        lines.append(line.removeprefix("//!").removeprefix(" "))
    return "\n".join(lines)


def parse(rust: str) -> Header:
    """Takes the header of a Rust file apart."""
    header = Header()
    first, _, rest = lines_of(rust).partition("\n\n")
    header.title, header.summary = titled(" ".join(first.split()))
    rules = []
    for block in blocks(rest):
        if is_verbatim(block):
            rules.append(block)
            continue
        labels = list(LABEL.finditer(block))
        before = block[: labels[0].start()] if labels else block
        if before.strip():
            rules.append(before.strip())
        ends = [label.start() for label in labels] + [len(block)]
        for label, end in zip(labels, ends[1:], strict=True):
            text = block[label.end() : end].strip()
            if label["label"] in KEPT:
                text = f"{label['label']}: {text}"
            part = LABELS[label["label"]]
            header.parts[part] = "\n\n".join(filter(None, [header.parts.get(part), text]))
    header.rules = "\n\n".join(rules)
    return header


def blocks(text: str) -> list[str]:
    """The blocks of a Markdown text that empty lines divide; a fenced block is one."""
    found: list[str] = []
    fenced = False
    fresh = True
    for line in text.splitlines():
        if line.startswith("```"):
            if not fenced:
                fresh = True
            fenced = not fenced
        if not line and not fenced:
            fresh = True
        elif fresh:
            found.append(line)
            fresh = False
        else:
            found[-1] += "\n" + line
    return found


def is_verbatim(block: str) -> bool:
    """Whether a block is a table or code, in which no label is looked for."""
    return block.startswith(("|", "```"))


def titled(first: str) -> tuple[str, str]:
    """The name and the summary in a first paragraph such as `Reno: adds a segment per round`."""
    name, colon, summary = first.partition(": ")
    if not colon or len(name) > 40:
        return "", first
    return name, summary[:1].upper() + summary[1:]


INTRA = re.compile(r"\[`?(?P<text>[^\]`]+)`?\](?:\((?P<to>[^)]*)\))?")


def plain_links(text: str, page: Callable[[str], str | None]) -> str:
    """Markdown without the links of rustdoc.

    A link to an item that has a page leads there; `page` returns the page of the last part of an
    item's path. Other links become code.
    """

    def replaced(match: re.Match[str]) -> str:
        target = match["to"] or match["text"]
        if "://" in target or target.endswith(".md"):
            return match[0]
        # `[0, 1]` is no link.
        if not re.fullmatch(r"[\w:]+(?:\(\))?", target):
            return match[0]
        if match["to"] is None and "`" not in match[0]:
            return match[0]
        to = page(target.split("::")[-1])
        return f"[{match['text']}]({to})" if to else f"`{match['text']}`"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(INTRA.sub(replaced, part) if not part.startswith("```") else part for part in parts)


def rust_blocks(text: str) -> str:
    """Markdown with rustdoc's blocks of code as blocks of Rust, without the lines that it hides."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
            if fenced and (line == "```" or "," in line):
                line = "```rust"
        elif fenced and (line == "#" or line.startswith("# ")):
            continue
        lines.append(line)
    return "\n".join(lines)
