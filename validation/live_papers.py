#!/usr/bin/env python3
"""Repeats the papers' experiments with real packets over emulated paths, beside the simulation of the same files.

    cargo build --release --features stream,kernel
    sudo python3 validation/live_papers.py target/release/dumbbell                     # docs/live-papers.md, half an hour
    sudo python3 validation/live_papers.py target/release/dumbbell --short --check     # 40 s
    sudo python3 validation/live_papers.py target/release/dumbbell --only table1 --tests 5 --jobs 2

Tables I and II and figure 4 of TFRC Veno, and table I of "Dynamics of Veno and Reno". The paths are those of the simulated
figures (crates/papers). TFRC and TFRC Veno are `dumbbell stream`; Sack and Reno are the kernel's reno, Veno is Dumbbell's in
the kernel. Other traffic is simulated by the emulator. Tests of 300 s are cut to 60 s, intervals of 100 s to 20 s. `--check`
exits with 1 if live and simulated means differ by more than 10 % (`--short`: 25 %) and both 95 % intervals. Needs root.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path

import intervals
import live_experiments

BOUND, SHORT_BOUND = 0.10, 0.25
# How often a run is repeated that fails, or that the emulator doubts.
AGAIN = 2


def value(values, decimals):
    """Returns a mean with its interval as text."""
    if not values:
        return "-"
    half = intervals.half_width(values)
    width = f" ± {half:.{decimals}f}" if len(values) > 1 else ""
    return f"{intervals.mean(values):.{decimals}f}{width}"


def agrees(row, bound):
    """Returns whether live and simulated means are within the bound and both intervals; None if one is missing."""
    if not row.live or not row.simulated:
        return None
    live, simulated = intervals.mean(row.live), intervals.mean(row.simulated)
    simulated_half = intervals.half_width(row.simulated)
    # A few live runs may be equal by chance, which would leave them without an interval. The simulated ones say how much so few
    # runs vary at least.
    few = simulated_half * (len(row.simulated) / len(row.live)) ** 0.5
    both = max(intervals.half_width(row.live), few) + simulated_half
    return abs(live - simulated) <= bound * abs(simulated) + both


def verdict(values, least):
    """Returns whether the mean of the values is at least `least`: undecided if `least` is within the interval of the mean."""
    mean, half = intervals.mean(values), intervals.half_width(values)
    if mean - half >= least:
        return "holds"
    if mean + half < least:
        return "fails"
    return "undecided (holds on the mean)" if mean >= least else "undecided (fails on the mean)"


@contextmanager
def loaded(program, name):
    """Loads Dumbbell's Veno into the kernel under this name, and unloads it at the end."""
    command = [program, "kernel", "load", "veno", "--as", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as loader:
        try:
            said = loader.stdout.readline()
            if not said:
                sys.exit(f"{' '.join(map(str, command))}: {loader.stderr.read()}")
            yield name
        finally:
            loader.terminate()


class Machine:
    """Runs the command, on emulated paths and in simulations."""

    def __init__(self, program, folder, realtime=False):
        self.program, self.folder, self.realtime = program, folder, realtime
        self.doubted = self.runs = 0

    def simulated(self, path, sets, seeds, samples=None):
        """Returns the runs of the simulated scenario, one a seed."""
        command = [self.program, "run", path, *live_experiments.options(sets), "--json", "--repeat", seeds]
        command += ["--samples", samples] if samples else []
        lines = run(command).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def asked(self, command):
        """Returns what a command prints as JSON."""
        return json.loads(run([self.program, *command]).stdout)

    def emulated(self, name, seed, path, sets, receiver, ready, sender, flow):
        """Runs a sender's and a receiver's shell command on an emulated path; returns the folder with what they wrote.

        A run that the emulator doubts is repeated up to `AGAIN` times; the last one counts in any case, and is reported.
        """
        for attempt in range(AGAIN + 1):
            folder = self.folder / f"{name}-{seed}-{attempt}"
            folder.mkdir()
            command = [self.program, "emulate", path, *live_experiments.options(sets), "--seed", seed, "--mtu", 1500, "--flow", flow]
            command += ["--pcap", folder / "sender.pcap", "--report", folder / "report.json", "--quiet", "--ready", ready]
            command += ["--receiver", receiver, "--", "sh", "-c", sender]
            try:
                run(command, cwd=folder)
            except RuntimeError:
                # On a busy machine, a program may not even begin in time.
                if attempt == AGAIN:
                    raise
                continue
            faults = json.loads((folder / "report.json").read_text())["faults"]
            if not faults:
                break
        self.runs += 1
        self.doubted += bool(faults)
        return folder


def run(command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done


def show(table, bound):
    """Prints a table and its claims; returns the number of rows that do not agree."""
    print(f"\n## {table.title}\n\n{table.note}\n")
    print("| | paper | live | simulated | live / simulated |\n|---|---|---|---|---|")
    misses = 0
    for row in table.rows:
        same = agrees(row, bound)
        misses += same is False
        ratio = "-"
        if row.live and row.simulated and intervals.mean(row.simulated):
            ratio = f"{intervals.mean(row.live) / intervals.mean(row.simulated):.3f}"
        ratio = f"**{ratio}**" if same is False else ratio
        paper = "-" if row.paper is None else f"{row.paper:g}"
        print(f"| {row.label} | {paper} | {value(row.live, row.decimals)} | {value(row.simulated, row.decimals)} | {ratio} |")
    print("\n| claim of the paper | live | simulated |\n|---|---|---|")
    for claim in table.claims:
        live, simulated = (all_of([verdict(it, claim.least) for it in side]) for side in (claim.live, claim.simulated))
        print(f"| {claim.text} | {live} | {simulated} |")
    sys.stdout.flush()
    return misses


def all_of(verdicts):
    """Returns the verdict of a sentence about several places: the worst of their verdicts."""
    order = ["fails", "undecided (fails on the mean)", "undecided (holds on the mean)", "holds"]
    return min(verdicts, key=order.index) if verdicts else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command, built with stream and kernel")
    parser.add_argument("--only", default=",".join(live_experiments.ALL), help="names, with commas between them")
    parser.add_argument("--tests", type=int, help="tests of each row; without it, 3")
    parser.add_argument("--seeds", type=int, default=20, help="simulated tests of each row")
    parser.add_argument("--jobs", type=int, default=6, help="tests at a time")
    parser.add_argument("--realtime", action="store_true", help="media flows' ends run under the real-time policy, as the emulator does")
    parser.add_argument("--short", action="store_true", help="a few tests of some seconds: whether all of it works")
    parser.add_argument("--check", action="store_true", help="exit with 1 if live and simulated do not agree")
    parser.add_argument("--save", type=Path, help="a file for all numbers (JSON)")
    args = parser.parse_args()
    unknown = set(args.only.split(",")) - set(live_experiments.ALL)
    if unknown:
        parser.error(f"--only has {', '.join(sorted(unknown))}; known are {', '.join(live_experiments.ALL)}")
    size = live_experiments.SHORT if args.short else live_experiments.FULL
    size = size._replace(tests=args.tests or size.tests)
    program, bound = args.program.absolute(), SHORT_BOUND if args.short else BOUND
    tables = []
    # Without Dumbbell's Veno, no control is loaded.
    kernel = set(args.only.split(",")) & live_experiments.IN_KERNEL
    control = loaded(program, f"lp{os.getpid()}") if kernel else nullcontext()
    with tempfile.TemporaryDirectory() as scratch, control as veno:
        machine = Machine(program, Path(scratch), args.realtime)
        with ThreadPoolExecutor(args.jobs) as pool:
            for name in args.only.split(","):
                begun = live_experiments.ALL[name](machine, pool, size, args.seeds, veno)
                tables.append(begun)
            tables = [finish() for finish in tables]
    misses = sum(show(table, bound) for table in tables)
    print(f"\n{machine.runs} live runs, {machine.doubted} of them on a machine that was too slow to be believed; load {os.getloadavg()[0]:.1f}.")
    if args.save:
        args.save.write_text(json.dumps([table.plain() for table in tables], indent=1) + "\n")
    if args.check and misses:
        sys.exit(f"{misses} rows differ by more than {bound:.0%} and both intervals")


if __name__ == "__main__":
    main()
