"""The reference of the command: a page per subcommand, made from its help."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dumbbell_site.program import Program
from dumbbell_site.writer import Writer


@dataclass
class Help:
    """The help of a command, taken apart."""

    about: list[str] = field(default_factory=list)
    usage: str = ""
    arguments: list[tuple[str, str]] = field(default_factory=list)
    options: list[tuple[str, str]] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def write(program: Program, writer: Writer) -> None:
    """Writes the page of the command, and one for each subcommand."""
    whole = parse(program.help())
    names = [name for name, _ in whole.commands if name != "help"]
    pages = "\n".join(names)
    links = "\n".join(
        f"* [`dumbbell {name}`]({name}.md): {prose(about)}"
        for name, about in whole.commands
        if name != "help"
    )
    writer.write(
        "command/index.md",
        f"# The command `dumbbell`\n\n{links}\n\n"
        f"`dumbbell help COMMAND` prints what these pages say.\n\n"
        f"{after(whole)}\n\n```{{toctree}}\n:hidden:\n{pages}\n```",
    )
    for name in names:
        writer.write(f"command/{name}.md", page(program, (name,)))


def page(program: Program, words: tuple[str, ...]) -> str:
    """The page of a subcommand, with the subcommands that it has."""
    found = parse(program.help(*words))
    parts = [f"{'#' * len(words)} `dumbbell {' '.join(words)}`", body(found, len(words) + 1)]
    for name, _ in found.commands:
        if name != "help":
            parts.append(page(program, (*words, name)))
    return "\n\n".join(parts)


def body(found: Help, level: int) -> str:
    """A help as Markdown, below its heading."""
    parts = [prose(text) for text in found.about]
    parts.append(f"```text\n{found.usage}\n```")
    for title, entries in (("Arguments", found.arguments), ("Options", found.options)):
        entries = [(term, text) for term, text in entries if not term.startswith("-h, --help")]
        if entries:
            parts.append(f"**{title}**")
            parts.append("\n\n".join(entry(term, text) for term, text in entries))
    parts.append(after(found))
    return "\n\n".join(part for part in parts if part)


def entry(term: str, text: str) -> str:
    """An entry of a list of definitions."""
    lines = re.sub(r"\n{2,}", "\n\n", text).strip().splitlines()
    lines = [line.strip() for line in lines]
    return f"`{term}`\n: " + "\n".join(f"  {prose(line)}" if line else "" for line in lines).strip()


def after(found: Help) -> str:
    """What follows the options: examples, then notes."""
    parts = []
    for text in found.after:
        head, _, rest = text.partition("\n")
        if rest and head.endswith(":") and all(line.startswith(" ") for line in rest.splitlines()):
            lines = "\n".join(line.removeprefix("  ") for line in rest.splitlines())
            parts.append(f"**{head.removesuffix(':')}**\n\n```text\n{lines}\n```")
        else:
            parts.append(prose(" ".join(text.split())))
    return "\n\n".join(parts)


PAGE = re.compile(r"\bdocs/([a-z-]+\.md)\b")
CODE = re.compile(r"(`[^`]*`)")


def prose(text: str) -> str:
    """A text of the help as Markdown: pages become links, and nothing else has a meaning."""
    parts = CODE.split(text)
    for i in range(0, len(parts), 2):
        plain = re.sub(r"([\\*_<>\[\]|])", r"\\\1", parts[i])
        plain = PAGE.sub(r"[docs/\1](../\1)", plain)
        parts[i] = re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", plain)
    return "".join(parts)


HEADINGS = {"Arguments:": "arguments", "Options:": "options", "Commands:": "commands"}


def parse(text: str) -> Help:
    """Takes the help that clap prints apart."""
    found = Help()
    part = "about"
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("Usage: "):
            found.about = paragraphs(blocks)
            found.usage = line.removeprefix("Usage: ")
            part, blocks = "usage", [[]]
        elif line in HEADINGS:
            part = HEADINGS[line]
        elif part in ("arguments", "options", "commands") and (line.startswith(" ") or not line):
            add_entry(getattr(found, part), line)
        elif part == "usage" and line.startswith(" "):
            found.usage += "\n" + line.strip()
        else:
            if part not in ("about", "after") and line:
                part, blocks = "after", [[]]
            if line:
                blocks[-1].append(line)
            else:
                blocks.append([])
    if part == "after":
        found.after = ["\n".join(block) for block in blocks if block]
    return found


def paragraphs(blocks: list[list[str]]) -> list[str]:
    """The paragraphs of a text that was broken into lines."""
    return [" ".join(block) for block in blocks if block]


ENTRY = re.compile(r" {2}(?: {4})?(?P<term>[^ ].*?)(?: {2,}(?P<text>[^ ].*))?$")


def add_entry(entries: list[tuple[str, str]], line: str) -> None:
    """Adds a line of a list of arguments, options or commands."""
    indented = len(line) - len(line.lstrip())
    match = ENTRY.match(line)
    # clap indents a description by at least eight columns, a term by two, or by six if it has
    # no short form.
    if match and indented in (2, 6):
        entries.append((match["term"], match["text"] or ""))
    elif entries:
        term, text = entries[-1]
        line = line.strip()
        # An empty line begins a paragraph, and a hyphen an entry of a list.
        glue = "\n\n" if not line else "\n" if line.startswith("- ") else " "
        entries[-1] = (term, f"{text}{glue if text else ''}{line}")
