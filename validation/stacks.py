#!/usr/bin/env python3
"""Measures controls behind QUIC and in the kernel beside the simulated stacks, on six paths (docs/parity.md).

    cargo build --release --features quic,kernel
    sudo python3 validation/stacks.py target/release/dumbbell --seeds 6 --for 20
    sudo python3 validation/stacks.py target/release/dumbbell --paths radio --controls reno,veno --seeds 2 --for 5 --check
    python3 validation/stacks.py target/release/dumbbell --predict validation/reference/stacks    the simulated sides, without root

Runs `dumbbell parity` on each path, and prints its results as tables: goodputs, the other quantities that are not within their
bounds, and which control is faster than which. `--check` exits with 1 if a goodput is farther apart than its bound and both
intervals, or if hosts disagree on an order. Needs root, but for what is kept: `--from` prints it, and `--predict` simulates
its simulated sides again, as the command does today, and replaces them; with `--check` it replaces none, and exits with 1 if
a goodput is not as it was. (The simulated Linux has the tick of this machine's kernel. It is left out if that is not the tick
of the machine of the kept runs.)
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import stacks_report as report

# Rate, delay of the bottleneck, queue in packets, losses. The round-trip time is twice 2 ms more.
PATHS = {
    "radio": ("2 Mb/s", "28 ms", 60, 0.02),
    "middle": ("10 Mb/s", "18 ms", 100, 0.01),
    "slow": ("1 Mb/s", "48 ms", 25, 0.02),
    "fast": ("50 Mb/s", "8 ms", 200, 0.001),
    "lossy": ("20 Mb/s", "8 ms", 60, 0.03),
    "shallow": ("5 Mb/s", "48 ms", 15, 0),
}
# All controls that the simulator, a QUIC stack and the kernel can run. `timed:` ones are told when packets arrived.
OURS = ["reno", "veno", "venodb", "timed:venodb", "westwood", "westwood+", "cubic", "vegas", "timed:sarbe", "bbr1"]
THEIRS = ["quinn:newreno", "noq:newreno", "quinn:cubic", "noq:cubic", "quinn:bbr", "noq:bbr3"]
# The tick of the kernel's timers in s on the machine of the kept runs, and the clock that advances with it (Linux).
TICK = 0.004
CLOCK_MONOTONIC_COARSE = 6
SCENARIO = """\
name = "{name}"
duration = "30 s"
[dumbbell]
access = {{ rate = "100 Mb/s", delay = "1 ms" }}
bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {{ droptail = {queue} }}{loss} }}
[[flow]]
control = "reno"
recovery = "sack"
"""


def measured(args, folder, name, controls):
    """Returns what `dumbbell parity` has found on a path."""
    more = ["--jobs", str(args.jobs)] + (["--quick"] if args.quick else [])
    return parity(args.program, folder, name, controls, args.seeds, args.time, more)


def parity(program, folder, name, controls, seeds, seconds, more):
    """Returns what `dumbbell parity` prints of a path. What is after a hyphen in its name belongs to the name of the file."""
    rate, delay, queue, loss = PATHS[name.partition("-")[0]]
    losses = f", loss = {{ bernoulli = {loss} }}" if loss else ""
    file = folder / f"{name}.toml"
    file.write_text(SCENARIO.format(name=name, rate=rate, delay=delay, queue=queue, loss=losses))
    command = [program, "parity", file, "--controls", ",".join(controls), "--seeds", str(seeds), "--for", f"{seconds} s"]
    command += ["--json", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    for note in done.stderr.splitlines():
        if note.startswith("note: "):
            print(note, file=sys.stderr)
    return json.loads(done.stdout)


def reasons(found):
    """Yields, for each goodput that differs, the switches that move it by more than the intervals towards the other host."""
    for reason in found.get("reasons", []):
        for gap in reason["gaps"]:
            if gap["quantity"] != "goodput":
                continue
            moves = [it for it in gap["switches"] if it["certain"] and it["part"] > 0.1]
            said = ", ".join(f"`{it['switch']}` {value(it['simulator'])} ({100 * it['part']:.0f} %)" for it in moves)
            yield (
                f"{reason['label']}: {reason['real']} {value(gap['real'])}, {reason['simulated']} "
                f"{value(gap['simulator'])}; towards it: {said or 'no switch'}"
            )


def value(pair):
    """Returns a goodput of the command, in Mb/s."""
    mean, half = pair
    return report.shown("goodput", (mean, float("nan") if half is None else half))


def predict(args, folder, name):
    """Simulates the simulated sides of the kept runs of a path again. Returns the runs, and the lines that tell what changed."""
    file = args.predict / f"{name}.csv"
    before = report.read(file)
    names = [control for control in report.controls(before) if control in args.controls.split(",")]
    seeds = {run["seed"] for run in before}
    # A flow begins a moment after its run.
    seconds = math.ceil(max(run["elapsed_s"] for run in before if run["host"].startswith("simulated")))
    assert seeds == set(range(1, len(seeds) + 1)), file
    found = report.of_json(parity(args.program, folder, name, names, len(seeds), seconds, ["--predict"]))
    hosts = predictable()
    found = [run for run in found if run["host"] in hosts]
    runs = [run for run in before if run["control"] not in names or run["host"] not in hosts]
    runs = report.sort(runs + found, report.controls(before))
    lines = []
    for control in names:
        for host in hosts:
            old, new = (report.of(of, control, host) for of in (before, found))
            if [round(run["goodput_bps"]) for run in old] != [round(run["goodput_bps"]) for run in new]:
                values = [report.shown("goodput", report.quantity("goodput", of)) if of else "-" for of in (old, new)]
                lines.append(f"{name}, {control}, {host}: {values[0]} Mb/s before, {values[1]} now")
    if not args.check:
        report.write(file, runs)
    return runs, lines


def predictable():
    """Returns the simulated hosts that are the same on this machine as on that of the kept runs."""
    same = math.isclose(time.clock_getres(CLOCK_MONOTONIC_COARSE), TICK, abs_tol=1e-6)
    return ("simulated QUIC", "simulated Linux") if same else ("simulated QUIC",)


def of_path(args, folder, name):
    """Returns the runs of a path, and the reasons of differences: those that are stored, and those that are measured now."""
    wanted = args.controls.split(",")
    stored = args.save and args.save / f"{name}.csv"
    runs = report.read(stored) if stored else []
    # A piece of a long measurement that is there already is not measured again.
    missing = [control for control in wanted if control not in report.controls(runs)]
    if not missing:
        return runs, []
    found = measured(args, folder, name, missing)
    runs += report.of_json(found)
    runs.sort(key=lambda run: (OURS + THEIRS + [run["control"]]).index(run["control"]))
    if stored:
        stored.parent.mkdir(parents=True, exist_ok=True)
        report.write(stored, runs)
    return runs, [f"{name}, {line}" for line in reasons(found)]


def tell(runs):
    """Prints the quantities beside goodput that are not within their bounds, and the orders. Returns how many goodputs and
    orders do not agree."""
    misses = sum(len(report.misses(of)) for of in runs.values())
    print("\nOther quantities that are not within their bounds:")
    for name, of in runs.items():
        for how, control, quantity, host, values in report.others(of):
            real, simulated = (report.shown(quantity, it) for it in values)
            within = "within both intervals" if how == "with_intervals" else "apart"
            print(f"* {name}, {control}, {quantity}, {host}: {real}, simulated {simulated} ({within})")
    print("\nOrders, where a host tells two controls apart:")
    for name, of in runs.items():
        for faster, slower, hosts, against in report.orders(of):
            misses += bool(against)
            if against or not any(":" in it for it in (faster, slower)):
                other = f"; the other way round: {', '.join(against)}" if against else ""
                print(f"* {name}: {faster} > {slower}: {', '.join(hosts)}{other}")
    return misses


def predict_all(args):
    """Simulates the simulated sides of all kept runs again. Returns the exit code."""
    args.program = args.program.absolute()
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.paths.split(",") if args.paths else sorted(file.stem for file in args.predict.glob("*.csv")):
            lines += predict(args, Path(scratch), name)[1]
    print(*lines, f"{len(lines)} goodputs are not as they were", sep="\n")
    if "simulated Linux" not in predictable():
        print(f"The simulated Linux is left out: the tick of this machine's kernel is not {1e3 * TICK:.0f} ms.")
    return int(args.check and bool(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("program", type=Path, nargs="?", help="the command, built with quic and kernel")
    source.add_argument("--from", dest="stored", type=Path, help="a folder with runs that were saved: measure nothing")
    parser.add_argument("--paths", help="names, with commas between them; without it all")
    parser.add_argument("--controls", default=",".join(OURS + THEIRS), help="names, with commas between them")
    parser.add_argument("--seeds", type=int, default=6, help="runs of each control behind each stack")
    parser.add_argument("--for", dest="time", type=float, default=20, help="seconds of a run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--quick", action="store_true", help="without the reasons")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goodput or an order does not agree")
    parser.add_argument("--predict", type=Path, help="a folder with runs that were saved: simulate their simulated sides again")
    parser.add_argument("--save", type=Path, help="a folder for the runs; those of controls that it has are not measured again")
    args = parser.parse_args()
    runs, why, loads = {}, [], []
    if args.predict:
        return predict_all(args)
    print("\n".join(report.HEAD), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.paths.split(",") if args.paths else PATHS:
            if args.stored:
                runs[name] = report.read(args.stored / f"{name}.csv")
            else:
                args.program = args.program.absolute()
                runs[name], new = of_path(args, Path(scratch), name)
                why += new
                loads.append(os.getloadavg()[0])
            for control in report.controls(runs[name]):
                print(report.row(name, runs[name], control), flush=True)
    misses = tell(runs)
    if why:
        print("\nReasons:", *(f"* {line}" for line in why), sep="\n")
    if loads:
        print(f"\nload after each path: {', '.join(f'{load:.0f}' for load in loads)}")
    print(f"{misses} goodputs and orders do not agree")
    return int(args.check and misses > 0)


if __name__ == "__main__":
    sys.exit(main())
