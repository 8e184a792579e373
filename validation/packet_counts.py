"""What a packet costs by Callgrind's counts, and the fastest time that it takes: one flow, TFRC Veno's figure 12, many flows."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import growth
import papers_cost
import toml_text
import turns

CASES = Path(__file__).resolve().parent.parent / "crates" / "run" / "benches" / "cases"
FIGURE = "tfrc-veno-fig12b"
FLOWS = 10_000
# What is modelled: 32 KiB for instructions, 48 KiB for data, a second level of 1 MiB; lines of 64 bytes.
CACHES = ("--I1=32768,8,64", "--D1=49152,12,64", "--LL=1048576,16,64")
# The rows of the table, and Callgrind's events that are summed for each.
ROWS = {
    "instructions": ("Ir",),
    "misses of the first level, instructions": ("I1mr",),
    "misses of the first level, data": ("D1mr", "D1mw"),
    "misses of the second level, data": ("DLmr", "DLmw"),
    "jumps taken": ("jumps",),
    "jumps not foreseen": ("Bcm", "Bim"),
}
# A jump that always happens, or how often one with a condition was taken. Calls and returns are not among them.
JUMP = re.compile(r"^(?:jump=|jcnd=)(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A scenario that is counted between two moments, without building the network, and timed for `timed` seconds."""

    name: str
    file: Path
    between: tuple
    timed: float


def cases(binary, folder):
    """Returns the cases; the scenarios of the figure are those that the program writes."""
    out = Path(folder) / "counts"
    turns.taken([binary, "reproduce", FIGURE, "--quick", "--out", out], accepted=(0, 1))
    many = Path(folder) / "counts.toml"
    many.write_text(toml_text.scenario(growth.scenario("alike", FLOWS, 1)))
    scenarios = out / "scenarios" / FIGURE
    return [
        Case("(a)", CASES / "a.toml", (30, 130), 300),
        Case("SACK, 1 %", scenarios / "sack-0.01.toml", (12, 36), 60),
        Case("`tfrc`", papers_cost.CASE, (12, 36), 60),
        Case("MULTFRC, 1 %", scenarios / "multfrc-0.01.toml", (12, 36), 60),
        Case(f"{FLOWS:,} flows", many, (1.2, 1.6), 1.6),
    ]


def run(binary, case, seconds):
    return [binary, "run", case.file, "--set", f"duration={seconds} s", "--json", "--jobs", "1"]


def measure(binary, rounds, folder):
    """Returns for each case, by its name, the counts of a packet and its nanoseconds, the fastest of the rounds."""
    every = cases(binary, folder)
    counts, times = {}, {case.name: [] for case in every}
    for case in every:
        counts[case.name] = difference(*(counted(binary, case, seconds, folder) for seconds in case.between))
        print(f"counts, {case.name}", file=sys.stderr)
    # round by round, so that each case meets the machine at its fastest
    for _ in range(rounds):
        for case in every:
            packets, _, seconds = turns.counted(turns.taken(run(binary, case, case.timed)).tail)
            times[case.name].append(seconds * 1e9 / packets)
    return {name: (counts[name], min(times[name])) for name in counts}


def counted(binary, case, seconds, folder):
    """Returns the packets of a run and its totals."""
    profile = Path(folder) / "counts.callgrind"
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", *CACHES, "--dump-instr=yes",
               "--collect-jumps=yes", f"--callgrind-out-file={profile}", *run(binary, case, seconds)]
    packets, _, _ = turns.counted(turns.taken(command).tail)
    return packets, totals(profile.read_text())


def totals(profile):
    """Returns the sums of all events, by name, that a file of Callgrind holds, and of the jumps taken."""
    events = re.search(r"^events: (.*)$", profile, re.MULTILINE)
    summary = re.search(r"^summary: (.*)$", profile, re.MULTILINE)
    if not events or not summary:
        raise turns.SpeedError("valgrind counted nothing")
    return dict(zip(events[1].split(), map(int, summary[1].split()))) | {"jumps": sum(map(int, JUMP.findall(profile)))}


def difference(shorter, longer):
    """Returns the counts of a packet between the ends of two runs; each is its packets and its totals."""
    (fewer, before), (more, after) = shorter, longer
    return {row: sum(after[event] - before[event] for event in events) / (more - fewer) for row, events in ROWS.items()}


def shown(row, count):
    digits = 0 if row == "instructions" else 1
    # Zero added: what a shorter run has more of is too little to have a sign.
    return f"{round(count, digits) + 0:,.{digits}f}"


def table(found, rounds):
    rows = [[row, *(shown(row, counts[row]) for counts, _ in found.values())] for row in ROWS]
    rows.insert(1, ["ns, the fastest", *(f"{ns:,.0f}" for _, ns in found.values())])
    rows.insert(2, ["instructions a nanosecond", *(f"{counts['instructions'] / ns:.1f}" for counts, ns in found.values())])
    return f"{turns.markdown(['a packet', *found], rows)}\n\nRounds: {rounds}."
