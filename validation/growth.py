"""What a packet costs as the number of flows grows, with one access delay or many, for an old and a new program in turns."""

import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

import toml_text
import turns

# Simulated seconds by flows: each run takes some seconds.
SECONDS = {10: 2000, 100: 300, 1000: 40, 10_000: 6, 100_000: 2}
# A run of that many flows takes long, so it has fewer rounds.
LARGEST, ITS_ROUNDS = 100_000, 3
# The curves: all access links alike, or with delays from 10 to 60 ms.
CURVES = {"alike": "access links of 1 ms", "spread": "access links of 10 to 60 ms"}
DELAYS = 51
# The old program's cost at this many flows is what the others are compared with.
REFERENCE = 100
# Required: how often that cost the new program may take at most, and its memory in bytes.
REQUIRED = {10_000: 2.0, 100_000: 4.0}
REQUIRED_BYTES = 250e6


@dataclass
class Point:
    """The measurements of a program at one number of flows; lists have a value for each round."""

    flows: int
    ns_packet: list = field(default_factory=list)
    ns_event: list = field(default_factory=list)
    peak_bytes: list = field(default_factory=list)
    page_faults: list = field(default_factory=list)
    switches: list = field(default_factory=list)
    events_packet: float = 0.0

    def add(self, taken):
        packets, events, seconds = turns.counted(taken.tail)
        self.ns_packet.append(seconds * 1e9 / packets)
        self.ns_event.append(seconds * 1e9 / events)
        self.events_packet = events / packets
        self.peak_bytes.append(taken.peak_bytes)
        self.page_faults.append(taken.page_faults)
        self.switches.append(taken.switches)


def scenario(curve, flows, seconds):
    """Returns the scenario of a point: NewReno, 1 Mb/s and five packets of queue a flow."""
    start = {"uniform": ["0 s", "1 s"]}
    if curve == "alike":
        entries = [{"control": "newreno", "count": flows, "start": start}]
    else:
        kinds = min(flows, DELAYS)
        counts = [flows // kinds + (number < flows % kinds) for number in range(kinds)]
        delays = [10_000 + 50_000 * number // (kinds - 1) for number in range(kinds)]
        entries = [{"control": "newreno", "count": count, "start": start, "access": {"delay": f"{delay} us"}}
                   for count, delay in zip(counts, delays)]
    return {
        "duration": f"{seconds} s",
        "dumbbell": {
            "access": {"rate": "1 Gb/s", "delay": "1 ms"},
            "bottleneck": {"rate": f"{flows} Mb/s", "delay": "20 ms", "queue": {"droptail": 5 * flows}},
        },
        "flow": entries,
    }


def measure(programs, rounds, folder, most=LARGEST):
    """Returns the points of each program and curve: `points[curve][program]`, up to this many flows."""
    points = {curve: {name: [] for name in programs} for curve in CURVES}
    for curve in CURVES:
        for flows in (flows for flows in SECONDS if flows <= most):
            file = Path(folder) / f"{curve}-{flows}.toml"
            file.write_text(toml_text.scenario(scenario(curve, flows, SECONDS[flows])))
            measured = {name: Point(flows) for name in programs}
            for _ in range(min(rounds, ITS_ROUNDS) if flows == LARGEST else rounds):
                for name, binary in programs.items():
                    measured[name].add(turns.taken([binary, "run", file, "--json", "--jobs", "1"], tail=4096))
            for name, point in measured.items():
                points[curve][name].append(point)
            print(f"{flows} flows, {CURVES[curve]}", file=sys.stderr)
    return points


def bytes_a_flow(points, point):
    """Returns the memory of one flow: what a process takes beyond that of the smallest point, for each flow beyond its."""
    few = points[0]
    if point.flows == few.flows:
        return None
    return (statistics.median(point.peak_bytes) - statistics.median(few.peak_bytes)) / (point.flows - few.flows)


def table(points, rounds):
    """Returns the measurement as Markdown: a table for each curve."""
    parts = [f"{capital(CURVES[curve])}:\n\n{curve_table(programs)}" for curve, programs in points.items()]
    counts = []
    for curve, programs in points.items():
        largest = list(programs.values())[-1][-1]
        counts.append(f"{largest.flows:,} flows, {CURVES[curve]}: {turns.spread(largest.page_faults)} page faults, "
                      f"{turns.spread(largest.switches)} context switches")
    least = min(rounds, ITS_ROUNDS)
    parts.append(f"Medians and ranges; rounds: {rounds}, at {LARGEST:,} flows {least}. {capital('; '.join(counts))}.")
    return "\n\n".join(parts)


def curve_table(programs):
    """Returns a row for each number of flows and program, with costs relative to those of the first at the reference."""
    several = len(programs) > 1
    first = next(iter(programs.values()))
    reference = next((point for point in first if point.flows == REFERENCE), first[0])
    whose = "the old one at " if several else ""
    head = ["flows", *(["program"] if several else []), "ns a packet", f"times that of {whose}{reference.flows} flows",
            "ns an event", "events a packet", "peak memory, MB", "bytes a flow"]
    rows = []
    for number in range(len(first)):
        for name, measured in programs.items():
            point = measured[number]
            flow_bytes = bytes_a_flow(measured, point)
            rows.append([
                f"{point.flows:,}", *([name] if several else []),
                turns.spread(point.ns_packet), turns.spread(ratios(point, reference), digits=2),
                turns.spread(point.ns_event, digits=1), f"{point.events_packet:.2f}",
                turns.spread(point.peak_bytes, 1e6, 1), "-" if flow_bytes is None else f"{flow_bytes:,.0f}"])
    return turns.markdown(head, rows)


def ratios(point, reference):
    """Returns the cost of a packet relative to the reference's, round by round."""
    return [a / b for a, b in zip(point.ns_packet, reference.ns_packet)]


def capital(text):
    return text[:1].upper() + text[1:]


def shortfalls(points):
    """Returns messages about what the last program misses, compared with the first: nothing without an old program."""
    programs = points["alike"]
    if len(programs) < 2:
        return []
    old, new = list(programs.values())
    reference = next((statistics.median(point.ns_packet) for point in old if point.flows == REFERENCE), None)
    found = []
    for point in new:
        ratio = statistics.median(point.ns_packet) / reference if reference else 0
        if ratio > REQUIRED.get(point.flows, ratio):
            found.append(f"{point.flows:,} flows: {ratio:.2f} times the old program's cost at {REFERENCE}, "
                         f"{REQUIRED[point.flows]} allowed")
        peak = statistics.median(point.peak_bytes)
        if point.flows == LARGEST and peak > REQUIRED_BYTES:
            found.append(f"{point.flows:,} flows: {peak / 1e6:.0f} MB, {REQUIRED_BYTES / 1e6:.0f} allowed")
    return found
