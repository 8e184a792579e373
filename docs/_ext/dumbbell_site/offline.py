"""The check that the site needs no network: nothing that a page loads is on a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

REMOTE = r"(?:https?:)?//[^\s\"'<>)]+"

LOADED = re.compile(
    rf"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\bsrc=["']?(?P<src>{REMOTE})"""
    rf"""|<link\b[^>]*?\bhref=["']?(?P<link>{REMOTE})"""
    rf"""|url\(["']?(?P<url>{REMOTE})"""
    rf"""|@import\s+["'](?P<imported>{REMOTE})"""
)
"""What a browser loads with a page; a link that a reader may follow is none of it."""


def loaded(text: str) -> Iterator[str]:
    """The addresses of other servers that a page or a style sheet loads."""
    for match in LOADED.finditer(text):
        yield next(address for address in match.groups() if address)


def check(folder: Path) -> None:
    """Checks all pages and style sheets of a built site.

    Raises:
        ValueError: If one of them loads something from another server.
    """
    found = [
        f"{path.relative_to(folder)} loads {address}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".html", ".css")
        for address in loaded(path.read_text(encoding="utf-8"))
    ]
    if found:
        raise ValueError("the site would need a network: " + "; ".join(found[:10]))
