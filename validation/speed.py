#!/usr/bin/env python3
"""Measures how fast Dumbbell is: beside ns-2, as the number of flows grows, in the papers' work, and beside an older build."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import beside_ns2
import growth
import growth_picture
import misses
import old_build
import packet_counts
import papers_cost
from turns import SpeedError

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "growth.svg"
# The parts that are measured without being asked for, in this order, and those that take minutes more.
PARTS = ("ns2", "growth", "figure", "jobs")
LONGER = ("reproduce", "misses", "counts")
ALL = PARTS + LONGER
# What programs are called in tables: two in turns, or one alone.
OLD, NEW, ALONE = "old", "new", "this build"

EXAMPLES = """examples:
  speed.py                        beside ns-2, growth, figure 12 and two jobs: a quarter of an hour
  speed.py --only ns2 --cases a,c --rounds 9
  speed.py --only growth --old-commit HEAD~20
                                  an older commit is built, and runs in turns with this one
  speed.py --old ../old/dumbbell --reproduce --misses --counts --write docs/performance.md README.md
                                  everything; also write the tables between the markers of these files

exit status: 0 measured, 1 measured, but slower than required, 2 the measurement failed
"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PARTS", help=f"only these of {', '.join(ALL)}, separated by commas")
    parser.add_argument("--reproduce", action="store_true", help="also time the whole reproduction: minutes for each program")
    parser.add_argument("--misses", action="store_true", help="also count cache misses with valgrind, a few minutes")
    parser.add_argument("--counts", action="store_true", help="also count what a packet costs with valgrind, some minutes")
    parser.add_argument("--level", type=int, metavar="N",
                        help="misses: the level of this machine's caches that Callgrind models as the last (default: the last)")
    parser.add_argument("--old", metavar="PATH", help="a program to run in turns with this one")
    parser.add_argument("--old-commit", metavar="REV", help="build the program of this commit, and run it in turns with this one")
    parser.add_argument("--cases", metavar="LETTERS", help="beside ns-2: only these of a, b, c, d, separated by commas")
    parser.add_argument("--most", type=int, default=growth.LARGEST, metavar="N", help="growth: up to this many flows (default 100000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds, with all programs in turn (default 5)")
    parser.add_argument("--write", nargs="+", metavar="FILE", default=[],
                        help="write the tables between the markers of these files, those of the benchmarks too")
    parser.add_argument("--ns", default="ns", metavar="PATH", help="ns-2 (default: ns)")
    parser.add_argument(
        "--dumbbell", default=os.path.relpath(ROOT / "target" / "release" / "dumbbell"), metavar="PATH",
        help="the simulator (default: target/release/dumbbell)")
    args = parser.parse_args()
    chosen = args.only.split(",") if args.only else list(PARTS)
    chosen += [part for part in LONGER if getattr(args, part) and part not in chosen]
    if unknown := [part for part in chosen if part not in ALL]:
        parser.error(f"--only: there is no part {unknown[0]!r}: choose among {', '.join(ALL)}")
    if args.old and args.old_commit:
        parser.error("give --old or --old-commit, not both")
    args.parts = [part for part in ALL if part in chosen]
    return args


def found(binary, advice):
    """Checks that a program exists before anything is measured."""
    if shutil.which(binary) is None:
        raise SpeedError(f"{binary} not found: {advice}")
    return binary


def programs(args):
    """Returns the programs that are measured in turns, by name, the present one last."""
    new = found(args.dumbbell, "cargo build --release -p dumbbell, or give --dumbbell PATH")
    if args.old:
        return {OLD: found(args.old, "give --old the path of a program"), NEW: new}
    if args.old_commit:
        return {OLD: str(old_build.build(args.old_commit)), NEW: new}
    return {ALONE: new}


def command(args):
    """Returns the command, as it is stated below a table."""
    words = [f"--{name} {value}" for name, value, usual in (
        ("cases", args.cases, None), ("rounds", args.rounds, 5)) if value != usual]
    return " ".join(["python3 validation/speed.py", *words])


def measure(args, measured, folder):
    """Measures the parts; returns their tables by the names of their markers, and what is slower than required."""
    tables, slow = {}, []
    present = list(measured.values())[-1]
    for part in args.parts:
        if part == "ns2":
            letters = args.cases.split(",") if args.cases else list(beside_ns2.RUNS_A_PROCESS)
            cases = beside_ns2.measure(letters, args.rounds, args.ns, present)
            tables["speed"] = beside_ns2.table(cases, command(args))
            slow += beside_ns2.shortfalls(cases)
        elif part == "growth":
            points = growth.measure(measured, args.rounds, folder, args.most)
            tables[part] = growth.table(points, args.rounds)
            slow += growth.shortfalls(points)
            if args.write:
                PICTURE.write_text(growth_picture.svg(points))
        elif part == "figure":
            costs = papers_cost.figure(measured, args.rounds, folder)
            tables[part] = papers_cost.figure_table(costs)
            slow += papers_cost.shortfalls(costs=costs)
        elif part == "jobs":
            rates = papers_cost.jobs(measured, args.rounds)
            tables[part] = papers_cost.jobs_table(rates)
            slow += papers_cost.shortfalls(rates=rates)
        elif part == "reproduce":
            jobs = os.cpu_count()
            taken = papers_cost.reproduce(measured, 1, jobs)
            tables[part] = papers_cost.reproduce_table(taken, jobs)
            slow += papers_cost.shortfalls(measured=taken)
        elif part == "misses":
            tables[part] = misses.table(*misses.measure(present, folder, args.level)) + "\n\n" + misses.counters_text(
                misses.counters(present, folder))
        elif part == "counts":
            tables[part] = packet_counts.table(packet_counts.measure(present, args.rounds, folder), args.rounds)
        print(f"{tables['speed' if part == 'ns2' else part]}\n", flush=True)
    return tables, slow


def bench(name):
    """Returns the output of a benchmark of the crate, as a block of Markdown."""
    command = ["cargo", "bench", "-q", "-p", "dumbbell-run", "--bench", name]
    # only CI fails on differences from the record; here only the numbers matter
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
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
    """Writes the tables into a file, as far as it has markers for them."""
    text = file.read_text()
    known = {name: content for name, content in tables.items() if f"<!-- begin:{name} -->" in text}
    if not known:
        raise SpeedError(f"{file} has no markers for {', '.join(tables)}")
    for name, content in known.items():
        text = replaced(text, name, content() if callable(content) else content)
    file.write_text(text)


def main():
    args = arguments()
    try:
        if "ns2" in args.parts:
            found(args.ns, "install ns-2 (Debian, Ubuntu: apt install ns2), or give --ns PATH")
        if "misses" in args.parts or "counts" in args.parts:
            found("valgrind", "install it (Debian, Ubuntu: apt install valgrind)")
        with tempfile.TemporaryDirectory() as folder:
            tables, slow = measure(args, programs(args), folder)
        if not args.only:
            tables |= {name: (lambda name=name: bench(name)) for name in ("simulator", "instructions")}
        for file in args.write:
            write(Path(file), tables)
    except SpeedError as error:
        print(f"speed.py: {error}", file=sys.stderr)
        return 2
    for line in slow:
        print(f"too slow: {line}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
