#!/usr/bin/env python3
"""Stops the emulator at random, and checks that no result that this changes is believed; and that others are.

    sudo python3 validation/stalls.py target/release/dumbbell                                       # half an hour
    sudo python3 validation/stalls.py target/release/dumbbell --stopped 9 --plain 12 --for 6        # two and a half minutes

Each run is a connection of the kernel over an emulated path without losses (`dumbbell compare`). In some runs the
process is stopped (SIGSTOP, SIGCONT) once to four times, for 20 to 500 ms each. Their goodput is compared with those of
the plain runs of the same path: what is between the smallest and the largest of them is not changed, since on a path with a
shallow queue they differ by a third, each of them on time. Exits with 1 if a run is believed although a stop has changed its
goodput by more than 5 %, or if more than 2 % of the plain runs are doubted. Needs root, and a machine without other work.
"""

import argparse
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# name, control, rate, delay of one way, queue in packets
PATHS = (
    ("20 Mb/s, 20 ms", "reno", "20 Mb/s", "10 ms", 60),
    ("5 Mb/s, 100 ms, a shallow queue", "cubic", "5 Mb/s", "50 ms", 15),
    ("10 Mb/s, 300 ms", "reno", "10 Mb/s", "150 ms", 250),
)
LEAST_MS, MOST_MS = 20, 500
MOST_STOPS = 4
# How much of the goodput a stop may change in a run that is believed.
CHANGED = 0.05
# How many of the plain runs may be doubted.
DOUBTED = 0.02
# The command starts within this many seconds; a stop before does not hit the connection.
START_S = 1.0


@dataclass
class Run:
    """A run: its path, the stops in ms, the goodput in Mb/s, and why it is doubted."""

    path: str
    stops: tuple
    goodput: float
    faults: list


def scenario(control, rate, delay, queue):
    return (
        'duration = "1 s"\n[dumbbell]\naccess = { rate = "1 Gb/s", delay = "0 ms" }\n'
        f'bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {{ droptail = {queue} }} }}\n'
        f'[[flow]]\ncontrol = "{control}"\nrecovery = "sack"\npayload = "1460 B"\n'
    )


def moments(chance, seconds):
    """Returns when to stop the emulator, in seconds from its start, and for how many ms."""
    # As many short ones, of which some are tolerated, as long ones.
    lengths = (LEAST_MS * (MOST_MS / LEAST_MS) ** chance.random() for _ in range(chance.randint(1, MOST_STOPS)))
    stops = tuple(map(round, lengths))
    room = seconds - sum(stops) / 1e3
    at = sorted(chance.uniform(0, room) for _ in stops)
    return [(START_S + begin, stop) for begin, stop in zip(at, stops)]


def run(program, folder, path, seconds, stops):
    name, control, *link = path
    file = folder / "path.toml"
    file.write_text(scenario(control, *link))
    command = [program, "compare", file, "--controls", control, "--repeat", "1", "--for", f"{seconds} s"]
    command += ["--jobs", "1", "--again", "0", "--json"]
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        late = 0.0
        for at, stop in stops:
            time.sleep(max(0.0, started + at + late - time.monotonic()))
            process.send_signal(signal.SIGSTOP)
            time.sleep(stop / 1e3)
            process.send_signal(signal.SIGCONT)
            late += stop / 1e3
        out, said = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"{name}: the command failed: {said}")
    found = json.loads(out)["rows"][0]["runs"][0]
    goodput = found["measured"]["goodput_bps"] / 1e6
    faults = found["network"]["faults"] + found["measured"]["limits"]
    return Run(name, tuple(stop for _, stop in stops), goodput, faults)


def beyond(goodput, usual):
    """Returns by which part a goodput is below the smallest of the usual ones, or above the largest; 0 between them."""
    return goodput / min(max(goodput, min(usual)), max(usual)) - 1


def judged(plain, stopped):
    """Returns lines about all runs, and whether they are as they should be."""
    usual = {name: [r.goodput for r in plain if r.path == name] for name in {r.path for r in plain}}
    lines, wrong = [], 0
    for one in stopped:
        change = beyond(one.goodput, usual[one.path])
        is_wrong = abs(change) > CHANGED and not one.faults
        wrong += is_wrong
        word = "doubted" if one.faults else "believed"
        stops = ", ".join(map(str, one.stops))
        lines.append(f"{one.path:32} {change * 100:+6.1f} %  {word:8}  {stops} ms{'  WRONG' if is_wrong else ''}")
    changed = sum(abs(beyond(one.goodput, usual[one.path])) > CHANGED for one in stopped)
    believed = sum(not one.faults for one in stopped)
    lines.append(
        f"{len(stopped)} runs with stops: {changed} changed by more than {CHANGED:.0%}, {believed} believed, {wrong} of both"
    )
    doubted = sum(bool(one.faults) for one in plain)
    most = DOUBTED * len(plain)
    lines.append(f"{len(plain)} runs without: {doubted} doubted, {most:g} may be")
    for name, found in sorted(usual.items()):
        lines.append(f"{name:32} {min(found):.3f} to {max(found):.3f} Mb/s without stops, median {statistics.median(found):.3f}")
    return lines, wrong == 0 and doubted <= most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command dumbbell")
    parser.add_argument("--stopped", type=int, default=30, help="runs with stops")
    parser.add_argument("--plain", type=int, default=100, help="runs without")
    parser.add_argument("--for", dest="seconds", type=float, default=10, help="seconds of a run")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of stops")
    options = parser.parse_args()
    if options.plain < len(PATHS):
        parser.error(f"at least {len(PATHS)} runs without stops: one of each path")
    chance = random.Random(options.seed)
    plain, stopped = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.plain + options.stopped):
            path = PATHS[number % len(PATHS)]
            is_plain = number < options.plain
            stops = [] if is_plain else moments(chance, options.seconds)
            one = run(options.program, Path(folder), path, options.seconds, stops)
            (plain if is_plain else stopped).append(one)
    lines, is_right = judged(plain, stopped)
    print("\n".join(lines))
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
