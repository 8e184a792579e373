#!/usr/bin/env python3
"""Compares the speed of Dumbbell and ns-2: data packets through the bottleneck per second of processor time."""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import units

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

EXAMPLES = """examples:
  speed.py                        all cases, a minute and a half
  speed.py --cases a,c --rounds 9
  speed.py --write docs/performance.md README.md
                                  also write the tables between the markers of these files

exit status: 0 measured, 1 measured, but slower than required, 2 the measurement failed
"""


class SpeedError(Exception):
    """A program is missing, or failed."""


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


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", metavar="LETTERS", help="only these of a, b, c, d, separated by commas")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds, with both simulators in turn (default 5)")
    parser.add_argument("--write", nargs="+", metavar="FILE", default=[],
                        help="write the tables between the markers of these files")
    parser.add_argument("--ns", default="ns", metavar="PATH", help="ns-2 (default: ns)")
    parser.add_argument(
        "--dumbbell", default=os.path.relpath(HERE.parent / "target" / "release" / "dumbbell"), metavar="PATH",
        help="the simulator (default: target/release/dumbbell)")
    return parser.parse_args()


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


def timed(command):
    """Returns the standard output and the processor time, user and system, of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise SpeedError(f"{command[0]}: {error.strerror}") from None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SpeedError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        return timed([ns, str(SCRIPT)] + words)

    output, seconds = run()
    _, start = run(dur=1e-9)
    return ns2_packets(output), seconds, start


def run_dumbbell(binary, case):
    runs = RUNS_A_PROCESS[case.letter]
    output, seconds = timed([binary, "run", str(case.file), "--json", "--jobs", "1", "--repeat", str(runs)])
    return dumbbell_packets(output) / seconds


def spread(values, unit, digits):
    """Formats median and range in this unit."""
    m, low, high = (pick(values) / unit for pick in (statistics.median, min, max))
    return f"{m:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def table(cases, command):
    """Returns the measurement as Markdown."""
    lines = [
        "| million data packets per CPU second | ns-2 | ns-2 without its start | Dumbbell | times ns-2 | times, without its start |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for case in cases:
        cells = [case.title, "-", "-", spread(case.ours, 1e6, 2), "-", "-"]
        if case.theirs:
            cells[1:3] = spread(case.theirs, 1e6, 2), spread(case.theirs_started, 1e6, 2)
            cells[4:] = spread(case.ratios(), 1, 1), spread(case.ratios_started(), 1, 1)
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


def bench(name):
    """Returns the output of a benchmark of the crate, as a block of Markdown."""
    command = ["cargo", "bench", "-q", "-p", "dumbbell-run", "--bench", name]
    # only CI fails on differences from the record; here only the numbers matter
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    if not done.stdout.strip():
        raise SpeedError(f"{' '.join(command)}: {done.stderr.strip()}")
    return f"```text\n{done.stdout.strip()}\n```"


def replaced(text, name, content):
    """Returns the text with the part between the markers of this name replaced."""
    begin, end = f"<!-- begin:{name} -->", f"<!-- end:{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise SpeedError(f"the markers {begin} and {end} must each stand once, in this order")
    head, rest = text.split(begin)
    return f"{head}{begin}\n\n{content}\n\n{end}{rest.split(end)[1]}"


def write(file, tables):
    """Writes the tables into a file: that of ns-2, and the others if the file has markers for them."""
    text = file.read_text()
    for name, content in tables.items():
        if name == "speed" or f"<!-- begin:{name} -->" in text:
            text = replaced(text, name, content() if callable(content) else content)
    file.write_text(text)


def main():
    args = arguments()
    letters = args.cases.split(",") if args.cases else list(RUNS_A_PROCESS)
    command = " ".join(["python3 validation/speed.py"]
                       + ([f"--cases {args.cases}"] if args.cases else [])
                       + ([f"--rounds {args.rounds}"] if args.rounds != 5 else []))
    try:
        cases = [read(letter) for letter in letters]
        if shutil.which(args.ns) is None:
            raise SpeedError(f"{args.ns} not found: install ns-2 (Debian, Ubuntu: apt install ns2), or give --ns PATH")
        if shutil.which(args.dumbbell) is None:
            raise SpeedError(f"{args.dumbbell} not found: cargo build --release -p dumbbell, or give --dumbbell PATH")
        for number in range(1, args.rounds + 1):
            for case in cases:
                if case.has_ns2:
                    packets, seconds, start = run_ns2(args.ns, case)
                    case.theirs.append(packets / seconds)
                    case.theirs_started.append(packets / (seconds - start))
                case.ours.append(run_dumbbell(args.dumbbell, case))
            print(f"round {number} of {args.rounds}", file=sys.stderr)
        text = table(cases, command)
        print(text)
        tables = {
            "speed": text,
            "simulator": lambda: bench("simulator"),
            "instructions": lambda: bench("instructions"),
        }
        for file in args.write:
            write(Path(file), tables)
    except SpeedError as error:
        print(f"speed.py: {error}", file=sys.stderr)
        return 2
    for line in shortfalls(cases):
        print(f"too slow: {line}", file=sys.stderr)
    return 1 if shortfalls(cases) else 0


if __name__ == "__main__":
    sys.exit(main())
