"""Pages for the files outside `docs/` to which pages refer.

With them the site is complete without the repository: Markdown is a page, source code has its
colours, a folder is its README or a list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dumbbell_site.writer import FOLDERS, Writer

ALWAYS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "bpf/README.md")
"""Files that have a page although no other page need refer to them."""

LANGUAGES = {
    ".rs": "rust", ".toml": "toml", ".py": "python", ".c": "c", ".h": "c", ".sh": "sh",
    ".json": "json", ".ipynb": "json",
}  # fmt: skip

LINK = re.compile(r"(?<=\])\((?P<target>[^()\s#]+)(?P<anchor>#[^()\s]*)?\)")
FENCE = re.compile(r"^(?:```|~~~|:::)")


def write(root: Path, writer: Writer) -> None:
    """Writes a page for each file that a page refers to, those of this module included."""
    docs = root / "docs"
    waiting = [root / name for name in ALWAYS]
    for page in sorted(docs.rglob("*.md")):
        if page.relative_to(docs).parts[0] != "project":
            waiting += targets(page.read_text(encoding="utf-8"), page, root)
    done: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            waiting += targets(text, path, root)
            text = "---\norphan: true\n---\n" + without_attributes(rewritten(text, path, root))
        else:
            text = listing(path, root)
        writer.write(page_name(path, root), text)


def targets(text: str, page: Path, root: Path) -> Iterator[Path]:
    """The files outside `docs/` to which a page refers."""
    for match in links(text):
        path = resolved(match["target"], page, root)
        if path is not None:
            yield path


def rewritten(text: str, page: Path, root: Path) -> str:
    """A page with its links out of `docs/`, and from outside into it, as links of the site."""
    here = root / "docs" / page_name(page, root) if is_outside(page, root) else page
    changed, last = [], 0
    for match in links(text):
        if "://" in match["target"]:
            continue
        to = resolved(match["target"], page, root)
        if to is not None:
            to = root / "docs" / page_name(to, root)
        elif is_outside(page, root):
            to = (page.parent / match["target"]).resolve()
        else:
            continue
        target = os.path.relpath(to, here.parent)
        changed.append(f"{text[last : match.start()]}({target}{match['anchor'] or ''})")
        last = match.end()
    return "".join(changed) + text[last:]


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a page, except those in blocks of code."""
    start, fenced = 0, False
    for line in text.splitlines(keepends=True):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield from LINK.finditer(text, start, start + len(line))
        start += len(line)


def resolved(target: str, page: Path, root: Path) -> Path | None:
    """The file or folder outside `docs/` that a link means; `None` if it means anything else."""
    if "://" in target or target.startswith("mailto:"):
        return None
    path = readme((page.parent / target).resolve())
    return path if path.exists() and is_outside(path, root) else None


def is_outside(path: Path, root: Path) -> bool:
    """Whether a file of the repository is outside `docs/`."""
    return path.is_relative_to(root) and not path.is_relative_to(root / "docs")


def page_name(path: Path, root: Path) -> str:
    """The page of a file or a folder outside `docs/`, as a path within `docs/`."""
    name = path.relative_to(root).as_posix()
    return f"{FOLDERS[2]}/{name.removesuffix('.md')}.md"


def readme(path: Path) -> Path:
    """What is shown of a path: a folder's README, if it has one."""
    inner = path / "README.md"
    return inner if inner.exists() else path


def without_attributes(text: str) -> str:
    """Markdown whose blocks of Rust are labelled as Rust alone (rustdoc allows `rust,ignore`)."""
    return re.sub(r"^```rust,.*$", "```rust", text, flags=re.MULTILINE)


def listing(path: Path, root: Path) -> str:
    """The page of a file that is no Markdown, or of a folder without a README."""
    name = path.relative_to(root).as_posix()
    if path.is_dir():
        inside = sorted(entry.name + "/" * entry.is_dir() for entry in path.iterdir())
        body = "The folder has:\n\n```text\n" + "\n".join(inside) + "\n```"
    else:
        text = path.read_text(encoding="utf-8")
        ticks = "`" * (1 + max(map(len, re.findall("`+", text + "``"))))
        body = f"{ticks}{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n{ticks}"
    return f"---\norphan: true\n---\n# {name}\n\n{body}"
