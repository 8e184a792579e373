#!/usr/bin/env python3
"""Compares the kernel's TCP over emulated paths with the simulator's flow of `stack = "linux"`.

    sudo python3 validation/parity.py target/release/dumbbell --seeds 20 --for 30
    sudo python3 validation/parity.py target/release/dumbbell --short --check      what CI runs
    sudo python3 validation/parity.py target/release/dumbbell --ladder             goodput, switch by switch
    python3 validation/parity.py target/release/dumbbell --predict --seeds 20 --for 30    the simulator's side, without root
    python3 validation/parity.py target/release/dumbbell --from DIR    the kernel's runs that --out DIR has kept, predicted anew

Goodput, round-trip time, retransmissions and the time between cuts are those of `dumbbell compare`. A quantity agrees if
the two means differ by no more than its bound and both 95 % intervals. For one that does not, the script shows which
switches of the simulated Linux move it towards the kernel (`compare --explain-difference`). Runs that the emulator doubts
do not count. Needs root, except with `--predict`.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# name, rate, delay of one way, queue in packets, loss of the bottleneck, simulated flows beside the real one
PATHS = {
    "middle": ("10 Mb/s, 40 ms, queue 100, 1 % loss", "10 Mb/s", "20 ms", 100, 0.01, 0),
    "slow": ("1 Mb/s, 100 ms, queue 25, 2 % loss", "1 Mb/s", "50 ms", 25, 0.02, 0),
    "fast": ("50 Mb/s, 20 ms, queue 200, 0.1 % loss", "50 Mb/s", "10 ms", 200, 0.001, 0),
    "lossy": ("20 Mb/s, 20 ms, queue 60, 3 % loss", "20 Mb/s", "10 ms", 60, 0.03, 0),
    "shallow": ("5 Mb/s, 100 ms, queue 15, no loss", "5 Mb/s", "50 ms", 15, 0, 0),
    "near": ("50 Mb/s, 5 ms, queue 20, 5 % loss", "50 Mb/s", "2.5 ms", 20, 0.05, 0),
    "far": ("10 Mb/s, 200 ms, queue 340, 0.5 % loss", "10 Mb/s", "100 ms", 340, 0.005, 0),
    "beside": ("10 Mb/s, 40 ms, queue 80, 0.1 % loss, beside three", "10 Mb/s", "20 ms", 80, 0.001, 3),
}
# For CI: a path with losses, a short one and one with a queue that fills. There, 10 s have so few cuts that one decides.
SHORT = ("middle", "lossy", "shallow")
# The kernel's controls, and their partners. The kernel's BBR is version 1.
CONTROLS = {"reno": "reno", "cubic": "cubic", "bbr": "bbr1"}
# Quantity: its title, the factor to its unit, its decimals, and by how much the means may differ beside both intervals.
QUANTITIES = {
    "goodput": ("goodput Mb/s", 1e-6, 3, 0.05),
    "rtt": ("RTT ms", 1e3, 1, 0.10),
    "resent": ("resent %", 1.0, 2, 0.15),
    "between_cuts": ("between cuts s", 1.0, 3, 0.20),
}

OFF = {
    "min_rto_variance": "false",
    "ack_samples": "false",
    "timestamps": '"exact"',
    "timer_tick": '"none"',
    "quick_acks": "0",
    "prr": '"off"',
    "rack": "false",
    "tlp": "false",
    "undo": "false",
    "frto": "false",
    "exit_growth": "false",
    "rack_last": "false",
    "repair_samples": "false",
    "handshake_rtt": "false",
    "sack_compression": "false",
    "autotuning": "false",
    "adaptive_delay": "false",
    "push": "false",
    "tso": "false",
    "push_pieces": "false",
    "window_validation": "false",
    "hystart": "false",
}
# These need RACK.
OF_RACK = ("tlp", "undo", "frto", "exit_growth", "rack_last", "repair_samples", "handshake_rtt", "tso", "push_pieces")
# Parameters of the controls, with the values that are not those of Linux.
PARAMETERS = {"cubic": {"raise_alpha": "true", "whole_segments": "false"}, "reno": {"whole_segments": "false"}}
# Rows of the ladder: what is added, and the keys that then have the stack's own defaults.
LADDER = (
    ("SACK, initial window 10, growth by what ACKs cover, delayed ACKs of 40 ms", ()),
    ("+ quick ACKs, also while the receiver's buffer grows", ("quick_acks", "autotuning", "adaptive_delay", "push")),
    ("+ compressed SACKs", ("sack_compression",)),
    ("+ timestamps with a clock of 1 ms", ("timestamps",)),
    ("+ Linux' retransmission timeout", ("min_rto_variance", "ack_samples")),
    ("+ PRR", ("prr",)),
    ("+ RACK, with the round-trip time that Linux takes", ("rack", "rack_last")),
    ("+ TLP", ("tlp",)),
    ("+ undo, F-RTO", ("undo", "frto")),
    ("+ growth at the end of loss episodes", ("exit_growth",)),
    ("+ the handshake's round-trip time", ("handshake_rtt",)),
    ("+ the kernel's tick", ("timer_tick",)),
    ("+ bursts (TSO)", ("tso",)),
    ("+ PSH at the end of bursts", ("push_pieces",)),
    ("+ what a control is told of repairs", ("repair_samples",)),
    ("+ window validation", ("window_validation",)),
    ("+ HyStart (CUBIC only)", ("hystart",)),
    ("+ CUBIC's slope as in Linux", ("raise_alpha",)),
    ('+ whole segments: `stack = "linux"`', ("whole_segments",)),
)
EVERY = tuple(key for _, keys in LADDER for key in keys)


def scenario(path, control, duration, on=EVERY):
    """Returns the text of a path with its flows; `on` holds the switches that are not turned off."""
    _, rate, delay, queue, loss, beside = path
    keys = {key: value for key, value in OFF.items() if key not in on}
    if "rack" not in on:
        keys |= {key: OFF[key] for key in OF_RACK}
    unlike = [f"{key} = {plain}" for key, plain in PARAMETERS.get(control, {}).items() if key not in on]
    named = f'{{ name = "{control}", {", ".join(unlike)} }}' if unlike else f'"{control}"'
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
        'start = "1 ms"',
    ]
    lines += [f"{key} = {value}" for key, value in keys.items()]
    if beside:
        lines += ["[[flow]]", 'name = "beside"', f"count = {beside}", 'control = "cubic"', 'stack = "linux"']
        lines += ['start = { uniform = ["0 s", "1 s"] }']
    return "\n".join(lines) + "\n"


def printed(command):
    """Runs a command and returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def json_of(command):
    """Runs a command and returns the JSON that it printed."""
    return json.loads(printed(command))


def factor(count):
    """Returns how many standard errors the 95 % interval of a mean of so many values is wide, on each side."""
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 10: 2.262, 15: 2.145, 20: 2.093, 40: 2.023}
    return next((t[n] for n in sorted(t, reverse=True) if n <= count), math.nan)


def estimate(pairs):
    """Returns the ratio of the means of parts and wholes, and half the width of its 95 % interval."""
    part, whole = (statistics.fmean(column) for column in zip(*pairs, strict=True))
    if whole == 0:
        return math.nan, math.nan
    ratio = part / whole
    if len(pairs) < 2:
        return ratio, math.nan
    deviations = [(p - ratio * w) / whole for p, w in pairs]
    return ratio, factor(len(pairs)) * statistics.stdev(deviations) / math.sqrt(len(pairs))


def quantity(name, runs):
    """Returns a quantity of runs of either side, with its interval, as `dumbbell compare` defines it."""
    match name:
        case "goodput":
            pairs = [(run["goodput_bps"], 1.0) for run in runs]
        case "rtt":
            pairs = [(run["rtt_mean_s"], 1.0) for run in runs]
        case "resent":
            pairs = [(100 * run["retransmits"] / run["segments"], 1.0) for run in runs]
        case "between_cuts":
            pairs = [(run["elapsed_s"], run["cuts"]) for run in runs]
    return estimate(pairs)


def agrees(name, kernel, simulator):
    """Returns whether two values differ by no more than the bound and both intervals; `None` if that is not known."""
    if any(map(math.isnan, (*kernel, *simulator))):
        return None
    bound = QUANTITIES[name][3] * simulator[0]
    return abs(kernel[0] - simulator[0]) <= bound + kernel[1] + simulator[1]


def compared(args, folder, key):
    """Returns what `dumbbell compare` found on a path, or has found."""
    path = PATHS[key]
    if args.kept:
        return predicted_anew(args, folder, key)
    file = folder / "path.toml"
    file.write_text(scenario(path, "reno", args.duration))
    controls = ",".join(f"kernel:{control}" for control in args.controls)
    command = [args.binary, "compare", file, "--controls", controls, "--json", "--explain-difference"]
    command += ["--repeat", str(args.seeds), "--for", f"{args.duration} s", "--seed", "1", "--again", str(args.again)]
    return json_of(command + ["--jobs", str(args.jobs)])


def predicted_anew(args, folder, key):
    """Returns what was found on a path, with the simulator's runs of today."""
    found = json.loads((args.kept / f"{key}.json").read_text())
    found.pop("explanations", None)
    args.duration = round(found["duration_s"])
    for control, row in zip(args.controls, found["rows"], strict=True):
        seeds = [run["seed"] for run in row["predicted"]]
        row["predicted"] = [simulated(args, folder, key, control, seed, found["interval_s"]) for seed in seeds]
    return found


def simulated(args, folder, key, control, seed, interval):
    """Returns a run of the simulator, with the quantities of `dumbbell compare`; `interval` is in seconds."""
    file, samples = folder / "path.toml", folder / "samples.csv"
    probe = f'[probe]\ninterval = "{round(1e6 * interval)} us"\nvalues = ["srtt"]\n'
    file.write_text(scenario(PATHS[key], CONTROLS[control], args.duration) + probe)
    command = [args.binary, "run", file, "--seed", str(seed), "--json", "--samples", samples]
    flow = json_of(command)["flows"][0]
    with samples.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    srtt = [float(row["value"]) for row in rows if row["subject"] == rows[0]["subject"]]
    return {
        "seed": seed,
        "goodput_bps": flow["goodput_bps"],
        "segments": flow["sent"],
        "retransmits": flow["retransmits"],
        "cuts": flow["fast_recoveries"] + flow["timeouts"],
        "rtt_mean_s": statistics.fmean(srtt),
        "elapsed_s": args.duration - flow["start_s"],
    }


def report(args, folder):
    """Measures the paths and prints the tables. Returns how many quantities do not agree."""
    misses, unknown, explanations = 0, 0, []
    print("| path | control | quantity | kernel | simulator | ratio | agrees | doubted |")
    print("|---|---|---|---:|---:|---:|---|---:|", flush=True)
    for key in args.paths:
        found = compared(args, folder, key)
        if args.out:
            (args.out / f"{key}.json").write_text(json.dumps(found))
        for control, row in zip(args.controls, found["rows"], strict=True):
            believed = [run["measured"] for run in row["runs"] if not run["network"]["faults"]]
            doubted = f"{len(row['runs']) - len(believed)} of {len(row['runs'])}"
            for name, (title, scale, decimals, _) in QUANTITIES.items():
                kernel = quantity(name, believed) if believed else (math.nan, math.nan)
                simulator = quantity(name, row["predicted"])
                verdict = agrees(name, kernel, simulator)
                misses += verdict is False
                unknown += verdict is None
                said = {True: "yes", False: "**no**", None: "?"}[verdict]
                values = [f"{scale * m:.{decimals}f} ± {scale * h:.{decimals}f}" for m, h in (kernel, simulator)]
                ratio = kernel[0] / simulator[0] if simulator[0] else math.nan
                print(f"| {key} | {control} | {title} | {' | '.join(values)} | {ratio:.3f} | {said} | {doubted} |", flush=True)
        explanations += [(key, explanation) for explanation in found.get("explanations", [])]
    print()
    for key, explanation in explanations:
        for gap in explanation["gaps"]:
            print(explained(key, explanation["label"], gap))
    print(f"\n{misses} quantities do not agree, {unknown} are not known")
    return misses


def predicted(args, folder):
    """Prints the simulator's goodput and share of retransmissions. Only `compare` has its other two quantities."""
    print("| path | control | quantity | simulator |")
    print("|---|---|---|---:|", flush=True)
    for key in args.paths:
        for control in args.controls:
            file = folder / "path.toml"
            file.write_text(scenario(PATHS[key], CONTROLS[control], args.duration))
            command = [args.binary, "run", file, "--seed", "1", "--repeat", str(args.seeds), "--json"]
            flows = [json.loads(line)["flows"][0] for line in printed(command).splitlines()]
            runs = [{**flow, "segments": flow["sent"]} for flow in flows]
            for name in ("goodput", "resent"):
                title, scale, decimals, _ = QUANTITIES[name]
                mean, half = (scale * part for part in quantity(name, runs))
                print(f"| {key} | {control} | {title} | {mean:.{decimals}f} ± {half:.{decimals}f} |", flush=True)


def explained(key, label, gap):
    """Returns a line on what moves a quantity towards the kernel."""
    title, scale, decimals, _ = QUANTITIES[gap["quantity"]]
    value = lambda pair: f"{scale * pair[0]:.{decimals}f}"
    moves = [move for move in gap["switches"] if move["certain"] and move["part"] > 0]
    said = ", ".join(f"`{it['switch']}` {value(it['simulator'])} ({100 * it['part']:.0f} %)" for it in moves)
    return (
        f"* {key}, {label}, {title}: kernel {value(gap['real'])}, simulator {value(gap['simulator'])}; "
        f"towards the kernel: {said or 'no switch'}"
    )


def ladder(args, folder):
    """Prints the kernel's goodput divided by the simulator's, switch by switch."""
    controls = [control for control in args.controls if control in PARAMETERS]
    columns, cells = [], {}
    for key in args.paths:
        found = compared(args, folder, key)
        for control, row in zip(args.controls, found["rows"], strict=True):
            if control not in controls:
                continue
            columns.append(f"{control}, {key}")
            goodput, _ = quantity("goodput", [run["measured"] for run in row["runs"]])
            on = set()
            for name, keys in LADDER:
                on |= set(keys)
                file = folder / "variant.toml"
                file.write_text(scenario(PATHS[key], control, args.duration, on))
                outcomes = [
                    json_of([args.binary, "run", file, "--seed", str(seed), "--json"])["flows"][0]["goodput_bps"]
                    for seed in range(1, args.simulated + 1)
                ]
                cells[name, columns[-1]] = goodput / statistics.fmean(outcomes)
    print("| the simulated flow has | " + " | ".join(columns) + " | mean distance |")
    print("|---|" + "---:|" * (len(columns) + 1))
    for name, _ in LADDER:
        ratios = [cells[name, column] for column in columns]
        distance = statistics.fmean(abs(ratio - 1) for ratio in ratios)
        print(f"| {name} | " + " | ".join(f"{r:.3f}" for r in ratios) + f" | {100 * distance:.1f} % |")


def chosen(known):
    """Returns a parser of names of `known`, separated by commas."""

    def parse(text):
        names = text.split(",")
        if wrong := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"{wrong[0]} is none of {', '.join(known)}")
        return names

    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program")
    parser.add_argument("--seeds", type=int, default=4, help="runs of each path and control (default 4)")
    parser.add_argument("--for", dest="duration", type=int, default=15, help="seconds a run (default 15)")
    parser.add_argument("--jobs", type=int, default=1, help="parallel runs of the kernel (default 1)")
    parser.add_argument("--again", type=int, default=2, help="how often a doubted run is repeated (default 2)")
    parser.add_argument("--paths", type=chosen(PATHS), default=list(PATHS), help=f"any of {', '.join(PATHS)}")
    parser.add_argument("--controls", type=chosen(CONTROLS), default=list(CONTROLS), help=f"any of {', '.join(CONTROLS)}")
    parser.add_argument("--short", action="store_true", help="three paths, four seeds of 30 s, in parallel")
    parser.add_argument("--check", action="store_true", help="exit with code 1 if a quantity does not agree")
    parser.add_argument("--out", type=Path, help="keep the results of `compare` in this folder")
    parser.add_argument("--from", dest="kept", type=Path, help="compare the kernel's runs that --out has kept in this folder; needs no root")
    parser.add_argument("--ladder", action="store_true", help="print the goodput switch by switch instead")
    parser.add_argument("--predict", action="store_true", help="print the simulator's goodput and retransmissions instead; needs no root")
    parser.add_argument("--simulated", type=int, default=40, help="runs of the simulator in a step of the ladder (default 40)")
    args = parser.parse_args()
    if args.short:
        args.paths, args.seeds, args.duration, args.jobs = list(SHORT), 4, 30, 6
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if args.ladder:
            ladder(args, Path(folder))
        elif args.predict:
            predicted(args, Path(folder))
        elif report(args, Path(folder)) and args.check:
            sys.exit(1)


if __name__ == "__main__":
    main()
