"""Dumbbell beside ns-2: data packets through the bottleneck per second of processor time."""

import json
import statistics
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import turns
import units
from turns import SpeedError

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "ns2" / "dumbbell.tcl"
CASES = HERE.parent / "crates" / "run" / "benches" / "cases"
HEADER = 40

# ns-2 would need hours for the routes of ten thousand flows
WITHOUT_NS2 = {"d"}
# Dumbbell's runs are so short that one process does several; otherwise its start would dominate
RUNS_A_PROCESS = {"a": 20, "b": 10, "c": 10, "d": 1}
# the required ratio to ns-2's speed
REQUIRED = {"a": 12, "c": 20}


@dataclass
class Case:
    """A benchmark's case, with its rates in packets per second of processor time, one per round."""

    letter: str
    file: Path
    scenario: dict
    ours: list = field(default_factory=list)
    theirs: list = field(default_factory=list)
    # ns-2 again, without the time that it takes before its first event
    theirs_started: list = field(default_factory=list)

    @property
    def title(self):
        return f"({self.letter}) {self.scenario['name']}"

    @property
    def has_ns2(self):
        return self.letter not in WITHOUT_NS2

    def ratios(self):
        """Ratios round by round, because a temporarily slow machine slows both simulators."""
        return [a / b for a, b in zip(self.ours, self.theirs)]

    def ratios_started(self):
        """The same without the time that ns-2 takes to start."""
        return [a / b for a, b in zip(self.ours, self.theirs_started)]


def read(letter):
    """Returns the case of a letter."""
    file = CASES / f"{letter}.toml"
    if not file.exists():
        raise SpeedError(f"there is no case {letter!r}: choose among a, b, c, d")
    return Case(letter, file, tomllib.loads(file.read_text()))


def ns2_options(scenario):
    """Returns the options of dumbbell.tcl for a case."""
    access, bottleneck = scenario["dumbbell"]["access"], scenario["dumbbell"]["bottleneck"]
    (flow,) = scenario["flow"]
    flows = flow.get("count", 1)
    return {
        "proto": flow["control"],
        "n": flows,
        "loss": bottleneck.get("loss", {}).get("bernoulli", 0),
        "bw": units.rate(bottleneck["rate"]),
        "delay": units.time(bottleneck["delay"]),
        "abw": units.rate(access["rate"]),
        "adelay": units.time(access["delay"]),
        "buf": bottleneck["queue"]["droptail"],
        "dur": units.time(scenario["duration"]),
        # without a `start` in the file, several flows start within the first 0.1 s
        "jitter": 0.1 if flows > 1 else 0,
    }


def ns2_packets(output):
    """Returns the data packets that left ns-2's bottleneck: bytes beyond the headers are payload of 1000 bytes."""
    (line,) = [line for line in output.splitlines() if line.startswith("link ")]
    link = dict(word.split("=") for word in line.split()[1:])
    return (int(link["bytes"]) - HEADER * int(link["departures"])) // 1000


def dumbbell_packets(output):
    """Returns the data packets that left Dumbbell's bottleneck, in all runs of a process."""
    return sum(json.loads(line)["packets"] for line in output.splitlines())


def run_ns2(ns, case):
    """Returns the packets and the processor time of a run of ns-2, and the time of one that ends before it begins."""
    def run(**changes):
        options = ns2_options(case.scenario) | changes
        words = [word for key, value in options.items() for word in (f"-{key}", str(value))]
        return turns.taken([ns, SCRIPT, *words])

    whole, start = run(), run(dur=1e-9)
    return ns2_packets(whole.tail), whole.cpu_s, start.cpu_s


def run_dumbbell(binary, case):
    runs = RUNS_A_PROCESS[case.letter]
    taken = turns.taken([binary, "run", case.file, "--json", "--jobs", "1", "--repeat", runs], tail=1 << 30)
    return dumbbell_packets(taken.tail) / taken.cpu_s


def measure(letters, rounds, ns, binary):
    """Returns the cases, measured in rounds with both simulators in turn."""
    cases = [read(letter) for letter in letters]
    for number in range(1, rounds + 1):
        for case in cases:
            if case.has_ns2:
                packets, seconds, start = run_ns2(ns, case)
                case.theirs.append(packets / seconds)
                case.theirs_started.append(packets / (seconds - start))
            case.ours.append(run_dumbbell(binary, case))
        print(f"beside ns-2, round {number} of {rounds}", file=sys.stderr)
    return cases


def table(cases, command):
    """Returns the measurement as Markdown."""
    lines = [
        "| million data packets per CPU second | ns-2 | ns-2 without its start | Dumbbell | times ns-2 | times, without its start |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for case in cases:
        cells = [case.title, "-", "-", turns.spread(case.ours, 1e6, 2), "-", "-"]
        if case.theirs:
            cells[1:3] = turns.spread(case.theirs, 1e6, 2), turns.spread(case.theirs_started, 1e6, 2)
            cells[4:] = turns.spread(case.ratios(), 1, 1), turns.spread(case.ratios_started(), 1, 1)
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f"Median and range of {len(cases[0].ours)} rounds, made with `{command}`."]
    return "\n".join(lines)


def shortfalls(cases):
    """Returns messages about the cases that are slower than required."""
    found = []
    for case in cases:
        required = REQUIRED.get(case.letter)
        if required and case.theirs and statistics.median(case.ratios()) < required:
            found.append(f"{case.title}: {statistics.median(case.ratios()):.1f} times ns-2, {required} required")
    return found
