#!/usr/bin/env python3
"""Measures controls behind QUIC and in the kernel beside the simulated stacks, on six paths (docs/parity.md).

    cargo build --release --features quic,kernel
    sudo python3 validation/stacks.py target/release/dumbbell --seeds 6 --for 20
    sudo python3 validation/stacks.py target/release/dumbbell --paths radio --controls reno,veno --seeds 2 --for 5 --check

Runs `dumbbell parity` on each path, and prints its results as tables: goodputs, the other quantities that are not within their
bounds, and which control is faster than which. `--check` exits with 1 if a goodput is farther apart than its bound and both
intervals, or if hosts disagree on an order. Needs root.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Rate, delay of the bottleneck, queue in packets, losses. The round-trip time is twice 2 ms more.
PATHS = {
    "radio": ("2 Mb/s", "28 ms", 60, 0.02),
    "middle": ("10 Mb/s", "18 ms", 100, 0.01),
    "slow": ("1 Mb/s", "48 ms", 25, 0.02),
    "fast": ("50 Mb/s", "8 ms", 200, 0.001),
    "lossy": ("20 Mb/s", "8 ms", 60, 0.03),
    "shallow": ("5 Mb/s", "48 ms", 15, 0),
}
OURS = ["reno", "veno", "venodb", "timed:venodb", "westwood+", "cubic", "vegas", "bbr1"]
THEIRS = ["quinn:newreno", "noq:newreno", "quinn:cubic", "noq:cubic", "quinn:bbr", "noq:bbr3"]
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
UNITS = {"goodput": 1e-6, "rtt": 1e3, "resent": 1, "between_cuts": 1}
DECIMALS = {"goodput": 3, "rtt": 1, "resent": 2, "between_cuts": 3}


def measured(args, folder, name):
    """Returns what `dumbbell parity` has found on a path."""
    rate, delay, queue, loss = PATHS[name]
    losses = f", loss = {{ bernoulli = {loss} }}" if loss else ""
    file = folder / f"{name}.toml"
    file.write_text(SCENARIO.format(name=name, rate=rate, delay=delay, queue=queue, loss=losses))
    command = [args.program, "parity", file, "--controls", args.controls, "--seeds", str(args.seeds), "--for", f"{args.time} s"]
    command += ["--jobs", str(args.jobs), "--json"] + (["--quick"] if args.quick else [])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    for note in done.stderr.splitlines():
        if note.startswith("note: "):
            print(note, file=sys.stderr)
    return json.loads(done.stdout)


def value(quantity, pair):
    """Returns a mean with its interval, in the unit of the table."""
    mean, half = pair
    unit, decimals = UNITS[quantity], DECIMALS[quantity]
    width = "" if half is None else f" ± {half * unit:.{decimals}f}"
    return f"{mean * unit:.{decimals}f}{width}"


def row(name, label, pairs, doubts):
    """Returns the goodputs of a control as a line."""
    cells = [f"{name}, {label}"]
    for kernel in (False, True):
        pair = next((it for it in pairs if it["quantity"] == "goodput" and (it["host"] == "kernel") == kernel), None)
        if pair is None:
            cells += ["-", "-", "-"]
            continue
        real, simulated = pair["real"], pair["simulated"]
        ratio = real[0] / simulated[0] if simulated[0] else float("nan")
        mark = {"within": "{}", "with_intervals": "*{}*", "apart": "**{}**"}[pair["agreement"]]
        cells += [value("goodput", real), value("goodput", simulated), mark.format(f"{ratio:.3f}")]
    return f"| {' | '.join(cells)} | {doubts} |"


def doubted(found, label):
    """Returns how many of the real runs of a control are not to be believed."""
    sides = next(it for it in found["rows"] if it["label"] == label)["sides"]
    runs = [run for side in sides for run in side.get("runs", [])]
    return f"{sum(bool(run['network']['faults'] or run['measured']['limits']) for run in runs)} of {len(runs)}"


def reasons(found):
    """Yields, for each goodput that differs, the switches that move it by more than the intervals towards the other host."""
    for reason in found.get("reasons", []):
        for gap in reason["gaps"]:
            if gap["quantity"] != "goodput":
                continue
            moves = [it for it in gap["switches"] if it["certain"] and it["part"] > 0.1]
            said = ", ".join(f"`{it['switch']}` {value('goodput', it['simulator'])} ({100 * it['part']:.0f} %)" for it in moves)
            yield (
                f"{reason['label']}: {reason['real']} {value('goodput', gap['real'])}, {reason['simulated']} "
                f"{value('goodput', gap['simulator'])}; towards it: {said or 'no switch'}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command, built with quic and kernel")
    parser.add_argument("--paths", default=",".join(PATHS), help="names, with commas between them")
    parser.add_argument("--controls", default=",".join(OURS + THEIRS), help="names, with commas between them")
    parser.add_argument("--seeds", type=int, default=6, help="runs of each control behind each stack")
    parser.add_argument("--for", dest="time", type=float, default=20, help="seconds of a run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--quick", action="store_true", help="without the reasons")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goodput or an order does not agree")
    parser.add_argument("--save", type=Path, help="a folder for what the command has found, as JSON")
    args = parser.parse_args()
    args.program = args.program.absolute()
    misses, others, orders, why = 0, [], [], []
    print("| path, control | QUIC Mb/s | simulated | ratio | kernel Mb/s | simulated | ratio | doubted |")
    print("|---|---|---|---|---|---|---|---|")
    loads = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.paths.split(","):
            found = measured(args, Path(scratch), name)
            loads.append(os.getloadavg()[0])
            if args.save:
                args.save.mkdir(parents=True, exist_ok=True)
                (args.save / f"{name}.json").write_text(json.dumps(found))
            for label in [it["label"] for it in found["rows"]]:
                pairs = [it for it in found["pairs"] if it["label"] == label]
                print(row(name, label, pairs, doubted(found, label)), flush=True)
                for pair in pairs:
                    quantity = pair["quantity"]
                    misses += quantity == "goodput" and pair["agreement"] == "apart"
                    if quantity != "goodput" and pair["agreement"] != "within":
                        both = f"{value(quantity, pair['real'])}, simulated {value(quantity, pair['simulated'])}"
                        others.append((pair["agreement"], f"{name}, {label}, {quantity}, {pair['host']}: {both}"))
            for order in found["orders"]:
                orders.append((name, order))
                misses += bool(order["against"])
            why += [f"{name}, {line}" for line in reasons(found)]
    print("\nOther quantities that are not within their bounds:")
    for agreement, text in others:
        print(f"* {text} ({'within both intervals' if agreement == 'with_intervals' else 'apart'})")
    print("\nOrders, where a host tells two controls apart:")
    for name, order in orders:
        if order["against"] or not any(":" in it for it in (order["faster"], order["slower"])):
            against = f"; the other way round: {', '.join(order['against'])}" if order["against"] else ""
            print(f"* {name}: {order['faster']} > {order['slower']}: {', '.join(order['hosts'])}{against}")
    print("\nReasons:")
    for line in why:
        print(f"* {line}")
    print(f"\nload after each path: {', '.join(f'{load:.0f}' for load in loads)}")
    print(f"{misses} goodputs and orders do not agree")
    return int(args.check and misses > 0)


if __name__ == "__main__":
    sys.exit(main())
