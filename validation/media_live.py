#!/usr/bin/env python3
"""Streams media live over emulated paths of RFC 8867's cases, beside the simulation of the same scenarios.

    sudo python3 validation/media_live.py target/release/dumbbell                      # an hour, four streams at a time
    sudo python3 validation/media_live.py target/release/dumbbell --short --check      # half a minute
    sudo python3 validation/media_live.py target/release/dumbbell --over quic --cases 5.1

Each case is a scenario of `reproduce media`. Its first flow is real: frames, packets and reports through the sockets of two
network namespaces (`dumbbell stream`), between which `dumbbell emulate` plays the path. The other flows (a second
video, TCP, audio) are simulated beside it. The same file is simulated whole (`dumbbell run`), with the same seeds, which draw
losses, jitter and the sizes of frames.

A rate agrees if the means over the seeds differ by at most 10 % and both intervals (95 %, Student's t). With --check, the exit
code is 1 if one does not. With --realtime, both ends run under the real-time policy (chrt), as the emulator does: what is left
of a difference then is not that of a machine with other work. An emulation that was too slow to be believed is counted.
Needs root, and a build with the feature `stream`; GCC needs the feature `gcc`, too, and QUIC the feature `quic`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from intervals import half_width, mean

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "crates/papers/src/media"


@dataclass(frozen=True)
class Case:
    """A case: its scenario, the flows that have the rate control, how long it lasts, and when the first flow starts, in s."""

    scenario: str
    flows: tuple
    seconds: int
    start: int


KNOWN = {
    "5.1": Case("one", (0,), 100, 0),  # one flow, 1, 2.5, 0.6 and 1 Mb/s
    "5.2": Case("two", (0, 1), 125, 0),  # two flows, 4, 2, 3.5, 1 and 2 Mb/s
    "5.6": Case("tcp", (0,), 120, 5),  # beside TCP Reno, 2 Mb/s
}
CONTROLS = ("tfrc", "tfrc-veno", "aio-tfrc", "multfrc", "nada", "scream")
# A packet's bytes on the wire that are not payload (docs/stream.md): of numbered packets, and of TFRC's.
OVERHEAD = {"udp": (66, 88), "quic": (96, 118)}
NUMBERED = ("nada", "scream", "gcc")
# How far means may differ, beside both intervals.
WITHIN = 0.10
PORT = 4500
# Over QUIC, within two hosts that nobody else can reach.
TOKEN = "for-this-measurement"


@dataclass
class Row:
    """The rates of a case and a control in bit/s, by seed."""

    case: str
    control: str
    live: list = field(default_factory=list)
    simulated: list = field(default_factory=list)
    # Of the live runs: round-trip times at the end in s, how late timers were on average in s (sender, receiver), and whether the
    # emulator doubted itself.
    rtts: list = field(default_factory=list)
    late: list = field(default_factory=list)
    doubted: list = field(default_factory=list)

    def difference(self):
        return mean(self.live) / mean(self.simulated) - 1

    def room(self):
        """Returns by which part of the simulated mean the means may differ."""
        return WITHIN + (half_width(self.live) + half_width(self.simulated)) / mean(self.simulated)

    def agrees(self):
        return abs(self.difference()) <= self.room()


def settings(case, control, over):
    """Returns the options that turn a case's scenario into that of a control."""
    overhead = f"{OVERHEAD[over][control not in NUMBERED]} B"
    options = []
    for flow in KNOWN[case].flows:
        for key, value in (("rate_control", control), ("overhead", overhead)):
            options += ["--set", f"flow.{flow}.{key}={value}"]
    return options


def run(command, seconds):
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def simulate(program, file, options, seed, seconds):
    command = [program, "run", file, *options, "--set", f"duration={seconds} s", "--seed", str(seed), "--json"]
    flows = json.loads(run(command, 600))["flows"]
    return flows[0]["goodput_bps"]


@dataclass(frozen=True)
class Way:
    """How live packets are carried: over UDP or QUIC, and by processes with which policy."""

    over: str = "udp"
    realtime: bool = False

    def command(self, program):
        return f"chrt --fifo 1 '{program}'" if self.realtime else f"'{program}'"


def stream(program, file, options, seed, seconds, start, way):
    """Returns what both ends print at the end, and what the emulator found wrong with itself."""
    words = " ".join(f"'{word}'" for word in [*options, "--flow", "video1", "--over", way.over, "--json", "--quiet"])
    with tempfile.TemporaryDirectory() as folder:
        received, sent = Path(folder, "received"), Path(folder, "sent")
        receive = f"{way.command(program)} stream receive '{file}' {words} --listen 0.0.0.0:{PORT}"
        secrets = ""
        if way.over == "quic":
            receive += f" --token {TOKEN}"
            # The receiver's first line has its fingerprint.
            pin = f"$(until grep -m 1 -o '\"pin\":\"[^\"]*' '{received}'; do sleep 0.05; done | cut -d '\"' -f 4)"
            secrets = f" --token {TOKEN} --pin {pin}"
        send = (
            f"sleep {start}; {way.command(program)} stream send '{file}' \"$DUMBBELL_PEER:{PORT}\" {words} --seed {seed}"
            f" --for {seconds - start}s{secrets} > '{sent}'; sleep 1"
        )
        report = Path(folder, "report.json")
        command = [program, "emulate", file, *options, "--flow", "video1", "--seed", str(seed), "--mtu", "1500", "--quiet"]
        command += ["--report", report, "--ready", str(PORT), "--receiver", f"exec {receive} > '{received}'", "--", "sh", "-c", send]
        run(command, seconds + 60)
        ends = [json.loads(file.read_text().splitlines()[-1]) for file in (sent, received)]
        faults = json.loads(report.read_text())["faults"]
    if "goodput_bps" not in ends[1]:
        sys.exit(f"{' '.join(map(str, command))}: the receiver reports nothing")
    return *ends, faults


def measure(program, case, control, seed, seconds, way):
    file, options = CASES / f"{KNOWN[case].scenario}.scenario.toml", settings(case, control, way.over)
    sent, received, faults = stream(program, file, options, seed, seconds, KNOWN[case].start, way)
    return sent, received, faults, simulate(program, file, options, seed, seconds)


def table(rows):
    lines = ["| case | rate control | live, kb/s | simulated, kb/s | difference | allowed | |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        both = [f"{mean(rates) / 1e3:.0f} ± {half_width(rates) / 1e3:.0f}" for rates in (row.live, row.simulated)]
        verdict = "agrees" if row.agrees() else "**differs**"
        lines.append(
            f"| {row.case} | `{row.control}` | {both[0]} | {both[1]} | {row.difference():+.1%} | {row.room():.1%} | {verdict} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command, built with the feature `stream`")
    parser.add_argument("--cases", default=",".join(KNOWN), help="of RFC 8867: " + ", ".join(KNOWN))
    parser.add_argument("--controls", default=",".join(CONTROLS), help="the rate controls")
    parser.add_argument("--seeds", type=int, default=4, help="how many runs each")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--over", choices=OVERHEAD, default="udp", help="what carries the packets")
    parser.add_argument("--realtime", action="store_true", help="both ends run under the real-time policy")
    parser.add_argument("--jobs", type=int, default=4, help="how many streams at a time")
    parser.add_argument("--for", dest="seconds", type=int, help="end each after so many seconds")
    parser.add_argument("--short", action="store_true", help="15 s of two cases, three controls, one seed, 30 %% allowed")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a rate does not agree")
    parser.add_argument("--json", type=Path, help="write all rates to this file")
    args = parser.parse_args()
    if args.short:
        # One seed has no interval: a single loss more or less is worth several percent.
        global WITHIN
        args.cases, args.controls, args.seeds, args.seconds, WITHIN = "5.1,5.2", "tfrc-veno,nada,scream", 1, 15, 0.3
    cases, controls = args.cases.split(","), args.controls.split(",")
    unknown = [case for case in cases if case not in KNOWN]
    if unknown:
        parser.error(f"there is no case {', '.join(unknown)}; there are {', '.join(KNOWN)}")
    rows = [Row(case, control) for case in cases for control in controls]
    program = args.program.resolve()
    way = Way(args.over, args.realtime)
    with ThreadPoolExecutor(args.jobs) as pool:
        tasks = [
            (row, pool.submit(measure, program, row.case, row.control, seed, args.seconds or KNOWN[row.case].seconds, way))
            for seed in range(args.first, args.first + args.seeds)
            for row in rows
        ]
        for row, task in tasks:
            sent, received, faults, simulated = task.result()
            live = received["goodput_bps"]
            row.live.append(live)
            row.simulated.append(simulated)
            row.rtts.append(sent["rtt_s"])
            row.late.append((sent["late_mean_s"], received["late_mean_s"]))
            row.doubted.append(bool(faults))
            print(f"{row.case} {row.control}: {live / 1e3:.0f} live, {simulated / 1e3:.0f} simulated", file=sys.stderr, flush=True)
    print(table(rows))
    doubted = sum(sum(row.doubted) for row in rows)
    late = 1e3 * mean([ends[0] for row in rows for ends in row.late])
    print(
        f"\n{len(tasks)} live runs, {doubted} of them on a machine that was too slow to be believed; senders' timers were"
        f" {late:.2f} ms late on average, the load is {os.getloadavg()[0]:.1f}."
    )
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 1 if args.check and not all(row.agrees() for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
