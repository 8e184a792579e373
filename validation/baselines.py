#!/usr/bin/env python3
"""Compares with ns-2 the protocols against which the papers measure their proposals, on the papers' networks: Vegas
whose ACKs queue (RoVegas, figure 5), and TFRC and Sack on lossy links (TFRC Veno, figures 7 to 15)."""

import csv
import hashlib
import json
import math
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import backward
import intervals
import media
import ns2
import options
import report
import simulator

HERE = Path(__file__).resolve().parent
REFERENCE = HERE / "reference" / "baselines.csv"
DOCS = HERE.parent / "docs" / "validation.md"
BEGIN, END = "<!-- begin:baselines -->", "<!-- end:baselines -->"
COLUMNS = ("case", "settings", "seed", "flows", "quantity", "value")

# Each module has cases, and reads the output of both simulators; see `backward` and `media`.
CASES = (*backward.CASES, *media.CASES)


def settings(case):
    """Returns a digest of everything that affects ns-2's results, to detect a stale reference."""
    return hashlib.sha256(repr((case.script, sorted(case.options.items()))).encode()).hexdigest()[:8]


def run_ns2(ns, case, seed):
    """Returns the rows of one run of the reference."""
    options = case.options | {"seed": seed}
    command = [ns, str(HERE / "ns2" / case.script)]
    command += [word for key, value in options.items() for word in (f"-{key}", str(value))]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [dict(word.split("=", 1) for word in line.split()) for line in done.stdout.splitlines() if line.startswith("flow=")]
    if done.returncode != 0 or not lines:
        raise ns2.Ns2Error(f"ns-2 failed: {' '.join(command)}: {done.stderr.strip()}")
    return [
        {"case": case.name, "settings": settings(case), "seed": seed, "flows": flows, "quantity": quantity, "value": f"{value:.6g}"}
        for (flows, quantity), value in case.theirs(lines).items()
    ]


def run_ours(binary, case, seed, directory):
    """Returns the same quantities, by Dumbbell."""
    name = Path(directory) / f"{hashlib.sha256(case.name.encode()).hexdigest()[:16]}-{seed}"
    file, samples = name.with_suffix(".toml"), name.with_suffix(".csv")
    text = case.scenario()
    file.write_text(f"# {case.name}: written by validation/baselines.py\n{text}")
    command = [binary, "run", str(file), "--seed", str(seed), "--json"]
    if "[probe]" in text:
        command += ["--samples", str(samples)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise simulator.SimulatorError(f"dumbbell failed: {done.stderr.strip()}\n{text}")
    try:
        return case.ours(json.loads(done.stdout)["flows"], samples)
    finally:
        samples.unlink(missing_ok=True)


def compare(args, directory):
    """Returns a list of case, flows, quantity, Dumbbell's values and ns-2's values."""
    if shutil.which(args.dumbbell) is None:
        raise simulator.SimulatorError(
            f"{args.dumbbell} not found: build it with `cargo build --release -p dumbbell`, or give --dumbbell PATH")
    found = load()
    cases = [case for case in CASES if case.quick or not args.quick]
    seeds = {case.name: range(1, (min(5, case.seeds) if args.quick else case.seeds) + 1) for case in cases}
    with ThreadPoolExecutor(args.jobs) as pool:
        work = [(case, seed) for case in cases for seed in seeds[case.name]]
        runs = list(pool.map(lambda item: run_ours(args.dumbbell, *item, directory), work))
    results = []
    for case in cases:
        ours = [run for (of, _), run in zip(work, runs) if of is case]
        for flows, quantity in ours[0]:
            theirs = found.get((case.name, flows, quantity))
            if theirs is None or len(theirs) != case.seeds:
                raise ns2.Ns2Error(f"the reference of {case.name} is incomplete: rerun with --fresh")
            results.append((case, flows, quantity, [run[flows, quantity] for run in ours], theirs))
    return results


def load():
    """Returns the reference, by case, flows and quantity; raises an error if it is stale."""
    cases = {case.name: settings(case) for case in CASES}
    found = {}
    with open(REFERENCE, newline="") as stream:
        for row in csv.DictReader(stream):
            if cases.get(row["case"]) != row["settings"]:
                raise ns2.Ns2Error(f"the reference of {row['case']} was made with other settings: rerun with --fresh")
            found.setdefault((row["case"], row["flows"], row["quantity"]), []).append(float(row["value"]))
    return found


def refresh(args):
    """Runs ns-2 and stores its results."""
    if shutil.which(args.ns) is None:
        raise ns2.Ns2Error(f"{args.ns} not found: install ns-2 (Debian, Ubuntu: apt install ns2), or give --ns PATH")
    work = [(case, seed) for case in CASES for seed in range(1, case.seeds + 1)]
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = [row for rows in pool.map(lambda item: run_ns2(args.ns, *item), work) for row in rows]
    with open(REFERENCE, "w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def departure(ours, theirs):
    """Returns the relative difference of Dumbbell's mean from ns-2's, and half of its 95 % interval."""
    value = intervals.ratio(ours, theirs)
    return (math.nan, math.nan) if value is None else (value[0] - 1.0, value[0] * value[1])


def verdict(case, quantity, ours, theirs):
    bound = case.bound(quantity)
    if bound is None:
        return "information"
    return "within" if abs(departure(ours, theirs)[0]) <= bound else "outside"


def table(results):
    lines = ["| case | flows | quantity | ns-2 | Dumbbell | difference | bound | |", "|---|---|---|---:|---:|---:|---:|---|"]
    for case, flows, quantity, ours, theirs in results:
        apart, half = departure(ours, theirs)
        bound = case.bound(quantity)
        limit = "-" if bound is None else f"{100 * bound:.0f} %"
        lines.append(
            f"| {case.name} | {flows} | {quantity} | {intervals.mean(theirs):.4g} | {intervals.mean(ours):.4g} "
            f"| {100 * apart:+.1f} ± {100 * half:.1f} % | {limit} | {verdict(case, quantity, ours, theirs)} |")
    return "\n".join(lines)


def breaches(results):
    """Returns messages about everything that is outside its bound."""
    return [
        f"{case.name}, {flows}, {quantity}: differs by {100 * departure(ours, theirs)[0]:+.1f} %, bound {100 * case.bound(quantity):.0f} %"
        for case, flows, quantity, ours, theirs in results
        if verdict(case, quantity, ours, theirs) == "outside"
    ]


def main():
    args = options.of(__doc__, "some of the cases, five runs of each")
    if args.fresh:
        refresh(args)
    with tempfile.TemporaryDirectory() as directory:
        results = compare(args, directory)
    broken = breaches(results)
    said = "Outside the bounds:\n\n" + "\n".join(f"- {one}" for one in broken) if broken else "Nothing is outside its bound."
    text = f"{table(results)}\n\n{said}"
    print(text)
    if args.write_docs:
        report.write_docs(DOCS, text, BEGIN, END)
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ns2.Ns2Error, simulator.SimulatorError, ValueError, OSError) as error:
        print(f"baselines.py: {error}", file=sys.stderr)
        sys.exit(2)
