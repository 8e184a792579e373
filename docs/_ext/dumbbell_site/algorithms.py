"""A page per algorithm, made from the header of its file and from `dumbbell list --json`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sphinx.util import logging

from dumbbell_site import header, pictures
from dumbbell_site.header import Header
from dumbbell_site.program import Program
from dumbbell_site.writer import Writer

logger = logging.getLogger(__name__)

Entry = dict[str, Any]

CONTROLS = Path("crates/control/src/algorithm")
NO_CONTROLS = ("testing",)

NAME = re.compile(r'const NAME: &\'static str = "([^"]+)";')

TFRC = Path("crates/tfrc/src")
MEDIA = Path("crates/media/src")
RATE_CONTROLS = {
    "tfrc": ["sender/rfc5348.rs", "sender/ns2.rs", "sender/pacing.rs", "receiver/mod.rs",
             "receiver/loss_events.rs", "receiver/intervals.rs"],
    "tfrc-veno": ["sender/veno.rs"],
    "multfrc": ["multfrc.rs", "parallel.rs"],
    "aio-tfrc": ["parallel.rs"],
    "nada": ["nada/mod.rs"],
    "scream": ["scream/mod.rs"],
}  # fmt: skip
"""The files whose headers describe a rate control."""

RATE_NAMES = {
    "tfrc": "TFRC",
    "tfrc-veno": "TFRC Veno",
    "multfrc": "MULTFRC",
    "aio-tfrc": "AIO-TFRC",
    "nada": "NADA",
    "scream": "SCReAM",
}

COLLECTED = {
    "recoveries": (
        "Loss recoveries",
        "crates/tcp/src/recovery/mod.rs",
        ["tahoe.rs", "reno.rs", "newreno.rs", "sack.rs", "vegas.rs"],
    ),
    "estimators": ("Estimators of bandwidth", "crates/control/src/estimator.rs", []),
    "classifiers": ("Classifiers of losses", "crates/control/src/classifier.rs", []),
}
"""Pages of several headers: the title, the file that introduces them, others of its folder."""

NEEDED = ("readings", "deviations", "signals", "hosts", "initial", "source")
"""The parts that the header of a control must have, besides its rules."""


@dataclass
class Control:
    """A congestion control: its file, its header, and its entry in the list."""

    path: Path
    header: Header
    entry: Entry

    @property
    def name(self) -> str:
        """Its name in scenarios."""
        return self.entry["name"]

    @property
    def page(self) -> str:
        """The name of its page, without a suffix."""
        return self.path.stem.replace("_", "-")


def write(root: Path, program: Program, writer: Writer) -> None:
    """Writes all pages, and the list of them."""
    catalogue = program.catalogue()
    entries = {entry["name"]: entry for entry in catalogue["Congestion controls"]}
    controls = found(root, entries)
    pages = {control.path.stem: f"{control.page}.md" for control in controls}
    for control in controls:
        writer.write(f"algorithms/{control.page}.md", page(control, root, pages))
        writer.write(f"algorithms/{control.page}.svg", pictures.window(control.name))
    rates = catalogue["Rate controls (of media flows)"]
    for entry in rates:
        writer.write(f"algorithms/{entry['name']}.md", rate_page(entry, root, pages))
        writer.write(f"algorithms/{entry['name']}.svg", pictures.rate(entry["name"]))
    for name, (title, first, others) in COLLECTED.items():
        writer.write(f"algorithms/{name}.md", collected(title, root / first, others, root, pages))
    writer.write("algorithms/index.md", index(controls, rates, program))


def found(root: Path, entries: dict[str, Entry]) -> list[Control]:
    """The controls of the repository, in the order of the list."""
    controls = {}
    for path in sorted((root / CONTROLS).glob("*.rs")):
        if path.stem in NO_CONTROLS:
            continue
        text = path.read_text(encoding="utf-8")
        name = NAME.search(text)
        if name is None or name[1] not in entries:
            logger.warning("%s is a control without a name in `dumbbell list`", path)
            continue
        head = header.parse(text)
        for part in missing(head):
            logger.warning("the header of %s lacks its %s (CONTRIBUTING.md, Add a control)", path, part)
        controls[name[1]] = Control(path, head, entries[name[1]])
    for name in entries.keys() - controls.keys():
        logger.warning("the control %s has no file in %s", name, CONTROLS)
    return [controls[name] for name in entries if name in controls]


def missing(head: Header) -> list[str]:
    """The parts that a control's header lacks."""
    parts = [part for part in NEEDED if not head.part(part)]
    if not head.title:
        parts.append("name in front of the summary")
    if "|---" not in head.rules:
        parts.append("table of rules")
    return parts


def index(controls: list[Control], rates: list[Entry], program: Program) -> str:
    """The list of all algorithms."""
    rows = [
        f"| [{title_of(control)}]({control.page}.md) | `{control.name}` | {control.header.summary} "
        f"| {'yes' if has_twin(control) else ''} | {'yes' if quic(control.entry) is None else ''} |"
        for control in controls
    ]
    media = [
        f"| [{RATE_NAMES[name]}]({name}.md) | `{name}` | {sentence(summary)} |"
        for name, summary in ((entry["name"], entry["summary"]) for entry in rates)
    ]
    names = [control.page for control in controls] + [entry["name"] for entry in rates] + list(COLLECTED)
    return "\n\n".join(
        [
            "# Algorithms",
            "Each page is made from the header of the algorithm's file: its rules as a table, "
            "where they are published, how the source was read where it is ambiguous, and where "
            "the code deviates from it. The parameters are those of `dumbbell list`.",
            "## Congestion controls",
            "All of them run in the simulator. Those with a twin in C also run in the Linux "
            "kernel ([how](../kernel.md)), and those whose signals QUIC provides behind quinn "
            "([how](../../crates/quinn/README.md)), with their default parameters.",
            "| | name | what it does | kernel | QUIC |\n|---|---|---|---|---|\n" + "\n".join(rows),
            "## Rate controls of media flows",
            "| | name | what it does |\n|---|---|---|\n" + "\n".join(media),
            "## Their parts",
            "* [Loss recoveries](recoveries.md): which segments are sent again\n"
            "* [Estimators of bandwidth](estimators.md), which run beside a control\n"
            "* [Classifiers of losses](classifiers.md), which run beside a control\n"
            "* [Throughput equations](../equation.md)",
            "```{toctree}\n:hidden:\n:maxdepth: 1\n" + "\n".join(names) + "\n```",
        ]
    )


def title_of(control: Control) -> str:
    """The name for people, such as `New Veno (reconstructed)`."""
    return re.sub(r", reconstructed$", " (reconstructed)", control.header.title)


def page(control: Control, root: Path, pages: dict[str, str]) -> str:
    """The page of a congestion control."""
    head = control.header
    entry = control.entry
    parts = [
        f"# {title_of(control)}",
        head.summary,
        f'```toml\n[[flow]]\ncontrol = "{control.name}"\n```',
    ]
    if entry.get("origin") == "reconstruction":
        parts.append(
            "> A reconstruction: only what others say of it was available. Its behaviour is no "
            "evidence about the original."
        )
    parts.append(
        f"![The window of {title_of(control)} over time]({control.page}.svg)\n\n"
        f"Its window on a path of {pictures.PATH}."
    )
    parts += section("Source", head.part("source"))
    parts += section("Rules", head.rules)
    parts += section("Initial values and defaults", head.part("initial"))
    parts += section("Parameters", parameters(entry))
    parts += section(
        "Readings",
        head.part("readings"),
        "Where the source leaves something open, and what was chosen.",
    )
    parts += section("Deviations", head.part("deviations"))
    parts += section("Hosts and recoveries", hosts(control, root))
    parts += section("Code", code(control, root))
    return finished("\n\n".join(parts), pages)


def section(title: str, text: str, about: str = "") -> list[str]:
    """A section with a heading, if there is a text."""
    if not text:
        return []
    return [f"## {title}", *([about] if about else []), sentence(text)]


NAMES = re.compile(r"(cwnd|ssthresh|bwe|rtt|diff)\b")


def sentence(text: str) -> str:
    """A text with a capital at its beginning, unless it begins with a name."""
    if not text[:1].islower() or NAMES.match(text) or re.match(r"\w*[_=(]", text):
        return text
    return text[0].upper() + text[1:]


def parameters(entry: Entry) -> str:
    """The table of parameters."""
    if not entry.get("parameters"):
        return "None."
    rows = []
    for one in entry["parameters"]:
        values = one["range"].replace("|", "\\|")
        doc = one["doc"].replace("|", "\\|")
        rows.append(f"| `{one['name']}` | `{one['default']}` | {values} | {doc} |")
    return "| parameter | default | values | meaning |\n|---|---|---|---|\n" + "\n".join(rows)


def hosts(control: Control, root: Path) -> str:
    """The hosts that run a control, what it needs of them, and its recoveries."""
    entry = control.entry
    twin = control.path.stem
    needs = entry.get("needs", [])
    recoveries = ", ".join(f"`{name}`" for name in entry["recoveries"][1:])
    usual = f"`{entry['recoveries'][0]}`"
    lacking = quic(entry)
    rows = [
        ("needs", " and ".join(needs) if needs else "no signals besides ACKs, losses and timeouts"),
        (
            "the header says",
            f"signals: {control.header.part('signals')} Hosts: {control.header.part('hosts')}",
        ),
        ("simulator", "yes"),
        (
            "Linux kernel",
            f"yes, as [bpf/{twin}.bpf.c](../../bpf/{twin}.bpf.c), whose state is that of "
            f"[bpf/{twin}.h](../../bpf/{twin}.h), bit for bit"
            if has_twin(control)
            else "no: it has no twin in C",
        ),
        (
            "QUIC ([dumbbell-quinn](../../crates/quinn/README.md))",
            "its signals are provided"
            if lacking is None
            else f"not with default parameters: it needs {lacking}",
        ),
        (
            "recoveries in the simulator",
            f"{usual} (usual)" + (f", {recoveries}" if recoveries else ""),
        ),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {' '.join(text.split())} |" for name, text in rows)


def has_twin(control: Control) -> bool:
    """Whether a control also runs in the kernel."""
    root = control.path.parents[len(CONTROLS.parts)]
    return (root / "bpf" / f"{control.path.stem}.bpf.c").exists()


def quic(entry: Entry) -> str | None:
    """What the host behind QUIC lacks for a control; `None` if nothing."""
    lacking = [need for need in entry.get("needs", []) if need != "round-trip times"]
    if entry["recoveries"] == ["tahoe"]:
        lacking.append("a sender that resends everything after a loss")
    return " and ".join(lacking) or None


def code(control: Control, root: Path) -> str:
    """Where the code is."""
    name = control.path.relative_to(root).as_posix()
    return f"[{name}](../../{name})"


def rate_page(entry: Entry, root: Path, pages: dict[str, str]) -> str:
    """The page of a rate control."""
    name = entry["name"]
    parts = [
        f"# {RATE_NAMES[name]}",
        sentence(entry["summary"]) + ".",
        f'```toml\n[[flow]]\nrate_control = "{name}"\n```',
    ]
    parts.append(
        f"![The rate of {RATE_NAMES[name]} over time]({name}.svg)\n\n"
        f"Its rate at the receiver, on a path of {pictures.PATH}."
    )
    for file in RATE_CONTROLS[name]:
        path = (MEDIA if name in ("nada", "scream") else TFRC) / file
        head = header.parse((root / path).read_text(encoding="utf-8"))
        parts += header_sections(head, f"[{path}](../../{path})", 2)
    parts += section("Parameters", parameters(entry))
    parts += section(
        "Hosts",
        "The simulator, as the rate control of a media flow. The sender and the receiver of the "
        "crate `dumbbell-tfrc` do no input and output of their own, so a program with sockets can "
        "be their host; this repository has none.",
    )
    return finished("\n\n".join(parts), pages)


def collected(title: str, first: Path, others: list[str], root: Path, pages: dict[str, str]) -> str:
    """A page of several headers."""
    head = header.parse(first.read_text(encoding="utf-8"))
    parts = [
        f"# {title}",
        " ".join(filter(None, [head.title and f"{head.title}:", head.summary])),
        head.rules,
    ]
    for other in others:
        path = first.parent / other
        name = path.relative_to(root).as_posix()
        parts += header_sections(header.parse(path.read_text(encoding="utf-8")), f"[{name}](../../{name})", 2)
    return finished("\n\n".join(parts), pages)


def header_sections(head: Header, source: str, level: int) -> list[str]:
    """A header as a section of a page that has several."""
    title = (head.title or head.summary.rstrip(".")).replace("`", "")
    parts = [f"{'#' * level} {title}"]
    if head.title:
        parts.append(head.summary)
    parts.append(f"File: {source}")
    parts.append(head.rules)
    titles = {
        "source": "Source",
        "initial": "",
        "readings": "Readings",
        "ours": "Ours",
        "deviations": "Deviations",
    }
    for part, name in titles.items():
        text = head.part(part)
        if text and name:
            parts.append(
                f"**{name}.** {sentence(text)}" if not text.startswith("*") else f"**{name}**\n\n{text}"
            )
        elif text:
            parts.append(text)
    return [part for part in parts if part]


def finished(text: str, pages: dict[str, str]) -> str:
    """A page with its links and blocks as Markdown has them."""
    return header.plain_links(header.rust_blocks(text), pages.get)
