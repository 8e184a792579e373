#!/usr/bin/env python3
"""Compares the queues CoDel, FQ-CoDel and PIE with those of ns-3, under constant load and under TCP."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import intervals
import ns3
import report
import simulator
import toml_text
import units

HERE = Path(__file__).resolve().parent
PATHS = HERE / "aqm_paths.toml"
REFERENCE = HERE / "reference" / "ns3.csv"
DOCS = HERE.parent / "docs" / "validation.md"
BEGIN, END = "<!-- begin:aqm -->", "<!-- end:aqm -->"

# The largest difference of the means that counts as agreement.
BOUNDS = {"goodput_bps": 0.03, "sojourn_s": 0.10, "drops": 0.15}
# Fewer drops than this per run are not compared.
ENOUGH = 20

# The keys with which a flow is most like ns-3's TcpSocketBase with SACK and proportional rate reduction.
FLOW = {
    "control": {"name": "reno", "counting": "abc", "abc_limit": 2},
    "recovery": "sack",
    "prr": "ssrb",
    "payload": "1448 B",
    "header": "54 B",
    "ack": "54 B",
    "initial_window": 10,
    "initial_rto": "1 s",
    "min_rto": "1 s",
    "delayed_ack": "200 ms",
    # ns-3 acknowledges the first segment at once (TcpSocketBase::ProcessSynRcvd), so that each round of slow start has one less
    "quick_acks": 1,
}

EXAMPLES = """examples:
  aqm.py                       all paths, compared with the stored results of ns-3
  aqm.py --quick               some of the paths, five runs of each
  aqm.py --fresh               also run ns-3 again (g++, and libns3-dev of Debian or Ubuntu), and store its results
  aqm.py --paths slow --with 'fq_codel.quantum = 1514'   with other keys of Dumbbell's queues
  aqm.py --write-docs          also write the tables into docs/validation.md

exit status: 0 every queue alone is within its bounds, or known not to be, 1 one is not, 2 the comparison failed
"""


@dataclass
class Row:
    """One path, queue and sender: the runs of both sides."""

    path: dict
    queue: str
    sender: str
    theirs: list
    ours: list

    def difference(self, key):
        """Returns the relative difference of the means, and half of its 95 % interval; None if it is not compared."""
        ours, theirs = ([run[key] for run in side] for side in (self.ours, self.theirs))
        if key == "drops" and min(intervals.mean(ours), intervals.mean(theirs)) < ENOUGH:
            return None
        ratio = intervals.ratio(ours, theirs)
        if ratio is None:
            return None
        # A single run of ns-3 has no interval of its own.
        half = ratio[0] * ratio[1] if len(theirs) > 1 else intervals.half_width(ours) / theirs[0]
        return ratio[0] - 1, half

    def outside(self):
        """Returns the quantities that are outside their bounds."""
        found = {key: self.difference(key) for key in BOUNDS}
        return [key for key, apart in found.items() if apart is not None and abs(apart[0]) > BOUNDS[key]]

    def unexplained(self):
        """Returns the quantities of a queue alone, without TCP, that are outside their bounds and not known to be."""
        known = self.path.get("known", {}).get(self.queue, [])
        return [key for key in self.outside() if self.sender == "udp" and key not in known]


def read(file):
    """Returns the paths of a file."""
    with open(file, "rb") as stream:
        return tomllib.load(stream)["path"]


def settings(path, queue, more=None):
    """Returns the queue of a path, as a scenario has it, with `more` keys by queue."""
    keys = {"limit": path.get("limit", ns3.LIMIT)} | {key: path[key] for key in ("target", "interval") if key in path}
    if queue == "fq_codel":
        # in ns-3 the quantum is the MTU of the device, which is the size of a full packet
        keys |= {"ecn": False, "quantum": ns3.PACKET}
    if queue == "pie":
        keys.pop("interval", None)
        # ns-3's burst allowance begins with the first packet, that of RFC 8033 when the queue begins to fill
        keys["burst"] = "0 s"
    return {queue: keys | (more or {}).get(queue, {})}


def scenario(path, queue, more=None):
    """Returns the scenario of a path, as text."""
    delay = units.time(path["rtt"]) / 2 - 2 * ns3.ACCESS_DELAY
    bottleneck = {
        "rate": path["rate"], "delay": f"{delay * 1e6:.0f} us", "queue": settings(path, queue, more), "reverse": {"queue": "unlimited"},
    }
    if path["loss"] > 0:
        bottleneck["loss"] = {"bernoulli": path["loss"], "on": "all"}
    flow = {"count": path["flows"], "start": {"uniform": ["0 s", "1 s"]}}
    if "udp" in path:
        rate = units.rate(path["rate"]) * path["udp"] / path["flows"]
        flow |= {"source": {"cbr": f"{rate:.0f} b/s"}, "packet": f"{ns3.PACKET} B"}
    else:
        flow |= FLOW
    return toml_text.scenario({
        "duration": path["duration"],
        "dumbbell": {"access": {"rate": "1 Gb/s", "delay": "1 ms"}, "bottleneck": bottleneck},
        "flow": [flow],
    })


def quantities(outcome, path):
    """Returns what is compared, from the outcome of a run."""
    # all of a UDP packet counts as goodput here, its payload in ns-3
    share = ns3.PAYLOAD["udp"] / ns3.PACKET if "udp" in path else 1
    (link,) = [link for link in outcome["links"] if link["name"] == "bottleneck"]
    return {
        "goodput_bps": share * sum(flow.get("goodput_bps") or 0 for flow in outcome["flows"]),
        "sojourn_s": link["sojourn"]["mean_s"],
        "drops": link["dropped"],
        "timeouts": sum(flow.get("timeouts") or 0 for flow in outcome["flows"]),
    }


def run(binary, path, queue, runs, directory, more=None):
    """Returns one dict per run."""
    file = Path(directory) / f"{path['name'].replace(' ', '-').replace(',', '')}-{queue}.toml"
    file.write_text(scenario(path, queue, more))
    command = [binary, "run", file, "--json", "--repeat", str(runs), "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise simulator.SimulatorError(f"dumbbell failed on {path['name']}: {done.stderr.strip()}\n{file.read_text()}")
    return [quantities(json.loads(line), path) for line in done.stdout.splitlines()]


def compare(args, paths, directory):
    """Returns the rows of the report."""
    if shutil.which(args.dumbbell) is None:
        raise simulator.SimulatorError(
            f"{args.dumbbell} not found: build it with `cargo build --release -p dumbbell`, or give --dumbbell PATH")
    stored = ns3.load(REFERENCE)
    work = [(path, queue) for path in paths for queue in ns3.QUEUES]
    theirs = [[(sender, ns3.select(stored, *item, sender)) for sender in ns3.senders(item[0])] for item in work]
    runs = 5 if args.quick else args.runs
    with ThreadPoolExecutor(args.jobs) as pool:
        ours = list(pool.map(lambda item: run(args.dumbbell, *item, runs, directory, args.more), work))
    return [
        Row(path, queue, sender, there, here)
        for (path, queue), sides, here in zip(work, theirs, ours) for sender, there in sides
    ]


def refresh(args, paths):
    """Runs ns-3, and stores the results of each path when it is done."""
    order = [path["name"] for path in read(PATHS)]
    with tempfile.TemporaryDirectory() as directory:
        program = ns3.build(args.cxx, directory)
        for path in paths:
            new = ns3.run(program, [path], ns3.QUEUES, args.jobs, lambda message: print(message, file=sys.stderr, flush=True))
            ns3.save(REFERENCE, ns3.load(REFERENCE), new, order)


def queue_keys(text):
    """Returns the keys of queues in an option, by queue."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from error
    wrong = [name for name, value in found.items() if name not in ns3.QUEUES or not isinstance(value, dict)]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]} is none of {', '.join(ns3.QUEUES)} with a key, as in fq_codel.quantum = 1514")
    return found


def _mean(runs, key):
    return intervals.mean([run[key] for run in runs])


def _cell(row, key):
    apart = row.difference(key)
    if apart is None:
        return "-"
    text = f"{100 * apart[0]:+.1f} ± {100 * apart[1]:.1f} %"
    return f"**{text}**" if key in row.outside() else text


def table(rows):
    """Returns a table with one line per path and queue; differences outside their bounds are bold."""
    lines = [
        "| path | queue | goodput, ns-3, Mb/s | difference | sojourn, ns-3, ms | difference | drops, ns-3 | difference "
        "| timeouts, ns-3 | Dumbbell |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row.path['name']} | {row.queue} | {_mean(row.theirs, 'goodput_bps') / 1e6:.2f} | {_cell(row, 'goodput_bps')} "
            f"| {1e3 * _mean(row.theirs, 'sojourn_s'):.2f} | {_cell(row, 'sojourn_s')} "
            f"| {_mean(row.theirs, 'drops'):.0f} | {_cell(row, 'drops')} "
            f"| {_mean(row.theirs, 'timeouts'):.0f} | {_mean(row.ours, 'timeouts'):.0f} |")
    return "\n".join(lines)


TITLES = {
    "udp": "The queues alone, under constant load:",
    "strict": "Under TCP, whose sender in ns-3 counts as the RFCs and Linux do (`strict`):",
    "stock": "Under TCP, with ns-3's LinuxReno as it is:",
}


def text(rows):
    """Returns the whole report."""
    parts = []
    for sender, title in TITLES.items():
        mine = [row for row in rows if row.sender == sender]
        if mine:
            within = [sum(key not in row.outside() for row in mine) for key in BOUNDS]
            names = ", ".join(
                f"{name} in {count}" for name, count in zip(("goodput", "sojourn", "drops"), within))
            parts += [title, table(mine), f"Within the bounds, of {len(mine)}: {names}."]
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the paths marked quick, five runs each")
    parser.add_argument("--paths", metavar="NAMES", help="only these paths, separated by semicolons")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="runs of Dumbbell per path (default 20)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of parallel programs (default 1)")
    parser.add_argument(
        "--with", dest="more", metavar="KEYS", type=queue_keys, default={},
        help="more keys of Dumbbell's queues, as TOML, to see what they change: 'fq_codel.quantum = 1514'")
    parser.add_argument("--fresh", action="store_true", help="run ns-3 again, and store its results")
    parser.add_argument("--write-docs", action="store_true", help="write the tables into docs/validation.md")
    parser.add_argument("--cxx", default="g++", metavar="PATH", help="the compiler for ns-3 (default: g++)")
    parser.add_argument(
        "--dumbbell", default=os.path.relpath(HERE.parent / "target" / "release" / "dumbbell"), metavar="PATH",
        help="the simulator (default: target/release/dumbbell)")
    args = parser.parse_args()
    every = read(PATHS)
    asked = args.paths and [name.strip() for name in args.paths.split(";")]
    wrong = [name for name in asked or [] if name not in [path["name"] for path in every]]
    if wrong:
        raise ValueError(f"unknown path {', '.join(wrong)}: known are {'; '.join(path['name'] for path in every)}")
    paths = [
        path for path in every
        if (not asked or path["name"] in asked) and (path.get("quick") or not args.quick)
    ]
    if args.fresh:
        refresh(args, paths)
    with tempfile.TemporaryDirectory() as directory:
        rows = compare(args, paths, directory)
    result = text(rows)
    print(result)
    if args.write_docs:
        report.write_docs(DOCS, result, BEGIN, END)
    return 1 if any(row.unexplained() for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ns3.Ns3Error, simulator.SimulatorError, ValueError, OSError) as error:
        print(f"aqm.py: {error}", file=sys.stderr)
        sys.exit(2)
