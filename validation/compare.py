#!/usr/bin/env python3
"""Compares Dumbbell with ns-2 on paths that appear in none of the papers."""

import argparse
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import intervals
import ns2
import paths as path_file
import report
import simulator

HERE = Path(__file__).resolve().parent
REFERENCE = HERE / "reference" / "ns2.csv"
DOCS = HERE.parent / "docs" / "validation.md"

EXAMPLES = """examples:
  compare.py                              all paths, compared with the stored results of ns-2
  compare.py --quick                      four paths and five runs each, in seconds
  compare.py --paths regional,lan --protocols reno,vegas
  compare.py --fresh                      also run ns-2 again, and store its results
  compare.py --write-docs                 also write the tables into docs/validation.md
  compare.py --fresh --reference-only     ns-2 only

exit status: 0 all bounds hold, 1 a bound is exceeded, 2 the comparison failed
"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the paths marked quick, five runs each")
    parser.add_argument("--paths", metavar="NAMES", help="only these paths, separated by commas")
    parser.add_argument(
        "--protocols", metavar="NAMES",
        help="only these of " + ", ".join(ns2.PROTOCOLS) + " (ns-2's names), separated by commas")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="runs of Dumbbell per path (default 20)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of Dumbbell's first run (default 1)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of parallel programs (default 1)")
    parser.add_argument("--fresh", action="store_true", help="run ns-2 instead of reading its stored results")
    parser.add_argument("--reference-only", action="store_true", help="do not run Dumbbell")
    parser.add_argument("--json", action="store_true", help="print one JSON object per row instead of Markdown")
    parser.add_argument("--write-docs", action="store_true", help="write the tables into docs/validation.md")
    parser.add_argument("--ns", default="ns", metavar="PATH", help="ns-2 (default: ns)")
    parser.add_argument(
        "--dumbbell", default=os.path.relpath(HERE.parent / "target" / "release" / "dumbbell"), metavar="PATH",
        help="the simulator (default: target/release/dumbbell)")
    parser.add_argument("--keep", metavar="DIR", help="keep the scenarios in this directory")
    return parser.parse_args()


def chosen(names, known, what):
    """Returns the known ones among comma-separated names, in the known order; all of them without names."""
    if names is None:
        return list(known)
    asked = [name.strip() for name in names.split(",")]
    wrong = [name for name in asked if name not in known]
    if wrong:
        raise ValueError(f"unknown {what} {', '.join(wrong)}: known are {', '.join(known)}")
    return [name for name in known if name in asked]


def reference(args, every, selected, protocols):
    """Returns ns-2's raw results: the stored ones, or those of new runs, which are stored."""
    stored = ns2.load(REFERENCE)
    if not args.fresh:
        return stored
    new = ns2.run(args.ns, selected, protocols, args.jobs, progress)
    ns2.save(REFERENCE, stored, new, [path.name for path in every])
    return ns2.load(REFERENCE)


def progress(message):
    print(message, file=sys.stderr, flush=True)


def compare(args, selected, protocols, rows, directory):
    """Returns the rows of the report."""
    work = [(path, variant) for path in selected for variant in simulator.VARIANTS if variant[1] in protocols]
    runs = 5 if args.quick else args.runs

    def one(item):
        path, (label, protocol, control, recovery) = item
        theirs = ns2.select(rows, path, protocol)
        if not theirs:
            raise ns2.Ns2Error(f"no stored result of ns-2 for {path.name}, {protocol}: rerun with --fresh")
        ours = None
        if not args.reference_only:
            ours = simulator.run(args.dumbbell, path, control, recovery, args.seed, runs, directory)
            progress(f"dumbbell: {path.name} {label}")
        return report.Row(path, label, theirs, ours)

    if args.reference_only:
        work = [item for item in work if item[1][0] != "vegas, int_diff"]
    with ThreadPoolExecutor(args.jobs) as pool:
        return list(pool.map(one, work))


def as_json(row):
    keys = ("goodput_bps", "sent", "retransmits", "timeouts")
    result = {"path": row.path.name, "loss": row.path.loss, "variant": row.variant}
    for side, runs in (("ns2", row.theirs), ("dumbbell", row.ours)):
        if runs is not None:
            result[side] = {key: intervals.mean([run[key] for run in runs]) for key in keys}
            result[side]["runs"] = len(runs)
    if row.ours is not None:
        result["ratio"] = {key: value[0] if (value := row.ratio(key)) else None for key in keys}
        result["breaches"] = row.breaches()
    return json.dumps(result)


def main():
    args = arguments()
    every = path_file.read(HERE / "paths.toml")
    names = chosen(args.paths, [path.name for path in every], "path")
    protocols = chosen(args.protocols, ns2.PROTOCOLS, "protocol")
    selected = [path for path in every if path.name in names and (path.quick or not args.quick)]
    raw = reference(args, every, selected, protocols)
    with tempfile.TemporaryDirectory() as temporary:
        directory = args.keep or temporary
        Path(directory).mkdir(parents=True, exist_ok=True)
        rows = compare(args, selected, protocols, raw, directory)
    if args.json:
        print("\n".join(as_json(row) for row in rows))
    else:
        print(report.text(rows))
    if args.write_docs:
        report.write_docs(DOCS, report.text(rows))
    return 1 if any(row.breaches() for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ns2.Ns2Error, simulator.SimulatorError, ValueError, OSError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        sys.exit(2)
