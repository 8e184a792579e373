#!/usr/bin/env python3
"""Compares the kernel's TCP over emulated paths with the simulator's flow of `stack = "linux"`, switch by switch.

    sudo python3 validation/parity.py target/release/dumbbell --seeds 4 --for 15

Each row of the table adds one switch of the stack to those of the rows above it. Needs root (`dumbbell compare`).
"""

import argparse
import json
import math
import statistics
import subprocess
import tempfile
from pathlib import Path

# name, rate, delay of one way, queue in packets, loss of the bottleneck
PATHS = (
    ("1 % loss, 40 ms", "10 Mb/s", "20 ms", 100, 0.01),
    ("0.1 % loss, 40 ms", "10 Mb/s", "20 ms", 100, 0.001),
    ("3 % loss, 20 ms", "20 Mb/s", "10 ms", 60, 0.03),
    ("no loss, 100 ms, a shallow queue", "5 Mb/s", "50 ms", 15, 0),
)
CONTROLS = ("reno", "cubic")
# The kernel's BBR is version 1. It needs most of the switches, so it has no ladder.
ALONE = {"bbr": "bbr1"}

OFF = {
    "min_rto_variance": "false",
    "quick_acks": "0",
    "prr": '"off"',
    "rack": "false",
    "tlp": "false",
    "undo": "false",
    "frto": "false",
    "window_validation": "false",
    "hystart": "false",
}
# Parameters of CUBIC, with the values that are not those of Linux.
CUBIC = {"raise_alpha": "true", "whole_segments": "false"}
# Rows: what is added, and the keys that then have the stack's own defaults.
LADDER = (
    ("SACK, initial window 10, growth by what ACKs cover, delayed ACKs of 40 ms", ()),
    ("+ quick ACKs", ("quick_acks",)),
    ("+ Linux' retransmission timeout", ("min_rto_variance",)),
    ("+ PRR", ("prr",)),
    ("+ RACK", ("rack",)),
    ("+ TLP", ("tlp",)),
    ("+ undo, F-RTO", ("undo", "frto")),
    ("+ window validation", ("window_validation",)),
    ("+ HyStart (CUBIC only)", ("hystart",)),
    ("+ CUBIC's slope as in Linux", ("raise_alpha",)),
    ("+ CUBIC in whole segments: `stack = \"linux\"`", ("whole_segments",)),
)
# What a flow of the whole stack has.
EVERY = tuple(key for _, keys in LADDER for key in keys)


def scenario(path, control, duration, on):
    """Returns the text of a path with one flow; `on` holds the switches that are not turned off."""
    _, rate, delay, queue, loss = path
    keys = {key: value for key, value in OFF.items() if key not in on}
    if "rack" not in on:
        # These need RACK.
        keys |= {key: OFF[key] for key in ("tlp", "undo", "frto")}
    named = f'"{control}"'
    unlike = [f"{key} = {plain}" for key, plain in CUBIC.items() if key not in on]
    if control == "cubic" and unlike:
        named = f'{{ name = "cubic", {", ".join(unlike)} }}'
    lossy = f", loss = {{ bernoulli = {loss} }}" if loss else ""
    lines = [
        f'duration = "{duration} s"',
        "[dumbbell]",
        'access = { rate = "1 Gb/s", delay = "0 s" }',
        f'bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {{ droptail = {queue} }}{lossy} }}',
        "[[flow]]",
        f"control = {named}",
        'recovery = "sack"',
        'stack = "linux"',
    ]
    return "\n".join(lines + [f"{key} = {value}" for key, value in keys.items()]) + "\n"


def json_of(command):
    """Runs a command and returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def estimate(values):
    """Returns the mean, and half the width of its 95 % interval."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262, 20: 2.093}
    factor = next((t[n] for n in sorted(t, reverse=True) if n <= len(values)), 12.706)
    return mean, factor * statistics.stdev(values) / math.sqrt(len(values))


def kernel(binary, folder, path, duration, seeds):
    """Returns for each control the runs of the kernel."""
    file = folder / "path.toml"
    file.write_text(scenario(path, "reno", duration, set(EVERY)))
    found = json_of(
        [binary, "compare", file, "--controls", ",".join(f"kernel:{c}" for c in (*CONTROLS, *ALONE))]
        + ["--repeat", str(seeds), "--for", f"{duration} s", "--seed", "1", "--json"]
    )
    return {control: row["runs"] for control, row in zip((*CONTROLS, *ALONE), found["rows"], strict=True)}


def simulated(binary, folder, path, control, duration, on, seeds):
    """Returns the outcomes of a variant of the stack."""
    file = folder / "variant.toml"
    file.write_text(scenario(path, control, duration, on))
    outcomes = []
    for seed in range(1, seeds + 1):
        outcomes.append(json_of([binary, "run", file, "--seed", str(seed), "--json"])["flows"][0])
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program")
    parser.add_argument("--seeds", type=int, default=4, help="runs of the kernel a path and control (default 4)")
    parser.add_argument("--simulated", type=int, default=40, help="runs of the simulator (default 40)")
    parser.add_argument("--for", dest="duration", type=int, default=15, help="seconds a run (default 15)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(args, Path(folder))


def report(args, folder):
    """Measures, and prints the tables."""
    cells, last, measured = {}, {}, {}
    for path in PATHS:
        runs = kernel(args.binary, folder, path, args.duration, args.seeds)
        for control in (*CONTROLS, *ALONE):
            key = (path[0], control)
            doubtful = sum(bool(run["network"]["faults"]) for run in runs[control])
            goodput = estimate([run["measured"]["goodput_bps"] / 1e6 for run in runs[control]])
            measured[key] = goodput, doubtful, runs[control]
            on = set()
            for name, keys in LADDER if control in CONTROLS else [("", EVERY)]:
                on |= set(keys)
                partner = ALONE.get(control, control)
                flows = simulated(args.binary, folder, path, partner, args.duration, on, args.simulated)
                mean, half = estimate([flow["goodput_bps"] / 1e6 for flow in flows])
                cells[name, key] = goodput[0] / mean
                last[key] = mean, half, flows
    keys = [key for key in measured if key[1] in CONTROLS]
    print("| the simulated flow has | " + " | ".join(f"{c}, {p}" for p, c in keys) + " | mean distance |")
    print("|---|" + "---:|" * (len(keys) + 1))
    for name, _ in LADDER:
        ratios = [cells[name, key] for key in keys]
        distance = statistics.fmean(abs(ratio - 1) for ratio in ratios)
        print(f"| {name} | " + " | ".join(f"{r:.3f}" for r in ratios) + f" | {100 * distance:.1f} % |")
    print()
    print("| path, control | kernel Mb/s | simulator Mb/s | ratio | resent, kernel and simulator | mean RTT, ms, kernel and simulator | doubtful |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for key in measured:
        (mean, half), doubtful, runs = measured[key]
        simulated_mean, simulated_half, flows = last[key]
        resent = [
            100 * sum(r["measured"]["retransmits"] for r in runs) / sum(r["measured"]["segments"] for r in runs),
            100 * sum(f["retransmits"] for f in flows) / sum(f["sent"] for f in flows),
        ]
        rtts = [
            1000 * statistics.fmean(r["measured"]["rtt_mean_s"] for r in runs),
            1000 * statistics.fmean(f["rtt_mean_s"] for f in flows),
        ]
        print(
            f"| {key[1]}, {key[0]} | {mean:.3f} ± {half:.3f} | {simulated_mean:.3f} ± {simulated_half:.3f} "
            f"| {mean / simulated_mean:.3f} | {resent[0]:.2f} %, {resent[1]:.2f} % | {rtts[0]:.1f}, {rtts[1]:.1f} "
            f"| {doubtful} of {len(runs)} |"
        )


if __name__ == "__main__":
    main()
