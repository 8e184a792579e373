"""Runs ns-3 over the paths of aqm_paths.toml, and stores its raw results in a CSV file."""

import csv
import hashlib
import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import units

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "ns3" / "dumbbell.cc"
MODULES = ("core", "network", "internet", "point-to-point", "traffic-control", "applications")
QUEUES = ("codel", "fq_codel", "pie")
# How many runs are stored, by sender: `stock` is ns-3's LinuxReno, `strict` its variant in dumbbell.cc. A path may have more of
# the latter.
SEEDS = {"strict": 3, "stock": 2, "udp": 3}
ACCESS_DELAY = 0.001
# Packets that a queue holds at most, unless its path says otherwise.
LIMIT = 1000
# Settings of both simulators besides the path. They are part of a reference's identity.
COMMON = {"minRto": 1, "burst": 0, "startSpread": 1, "accessRate": "1000Mbps"}
# TCP has 20 bytes and 12 for timestamps, UDP has 8, IP has 20, PPP has 2: packets have 1502 bytes.
PAYLOAD = {"tcp": 1448, "udp": 1472}
PACKET = 1502
QUANTITIES = ("goodput_bps", "sojourn_s", "drops", "timeouts")
COLUMNS = ("path", "settings", "queue", "sender", "seed", *QUANTITIES)


class Ns3Error(Exception):
    """ns-3 is missing, or a run failed."""


def senders(path):
    """Returns what sends on a path."""
    return ("udp",) if "udp" in path else ("strict", "stock")


def seeds(path, sender):
    """Returns how many runs of a path are stored."""
    return path.get("seeds", SEEDS[sender]) if sender == "strict" else SEEDS[sender]


def options(path):
    """Returns the options of dumbbell.cc for a path."""
    return COMMON | {
        "payload": PAYLOAD["udp" if "udp" in path else "tcp"],
        "udp": path.get("udp", 0),
        "rate": f"{units.rate(path['rate']):.0f}bps",
        "delay": f"{units.time(path['rtt']) / 2 - 2 * ACCESS_DELAY:.9f}",
        "accessDelay": ACCESS_DELAY,
        "loss": path["loss"],
        "limit": path.get("limit", LIMIT),
        "target": units.time(path.get("target", "0 s")),
        "interval": units.time(path.get("interval", "100 ms")),
        "flows": path["flows"],
        "duration": units.time(path["duration"]),
    }


def settings(path):
    """Returns a digest of everything that affects the results of a run, to detect a stale reference."""
    return hashlib.sha256(json.dumps(options(path), sort_keys=True).encode()).hexdigest()[:8]


def build(compiler, directory):
    """Compiles the program with the ns-3 that is installed, and returns its path."""
    if shutil.which(compiler) is None:
        raise Ns3Error(f"{compiler} not found: install a C++ compiler, or give --cxx PATH")
    program = Path(directory) / "dumbbell"
    libraries = [f"-lns3-{module}" for module in MODULES]
    done = subprocess.run([compiler, "-std=c++17", "-O2", SOURCE, "-o", program, *libraries], capture_output=True, text=True)
    if done.returncode != 0:
        raise Ns3Error(f"ns-3 is missing (Debian, Ubuntu: apt install libns3-dev), or another version: {done.stderr.strip()[-500:]}")
    return program


def quantities(output, path):
    """Returns what is compared, from the output of a run."""
    lines = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in output.splitlines()]
    flows = [line for line in lines if "flow" in line]
    (link,) = [line for line in lines if "sojourn_s" in line]
    duration = units.time(path["duration"])
    return {
        "goodput_bps": sum(8 * int(flow["bytes"]) / (duration - float(flow["start"])) for flow in flows),
        "sojourn_s": float(link["sojourn_s"]),
        "drops": int(link["drops"]),
        "timeouts": sum(int(flow["timeouts"]) for flow in flows),
    }


def _run(program, path, queue, sender, seed):
    chosen = options(path) | {"queue": queue, "seed": seed}
    if sender != "udp":
        chosen["tcp"] = sender
    words = [f"--{key}={value}" for key, value in chosen.items()]
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Ns3Error(f"ns-3 failed on {path['name']}: {' '.join(words)}: {done.stderr.strip()[-500:]}")
    found = quantities(done.stdout, path)
    named = {"path": path["name"], "settings": settings(path), "queue": queue, "sender": sender, "seed": seed}
    return named | {key: f"{value:.9g}" for key, value in found.items()}


def run(program, paths, queues, jobs, progress):
    """Returns the rows of every path, queue, sender and seed, in that order."""
    work = [
        (path, queue, sender, seed)
        for path in paths for queue in queues for sender in senders(path) for seed in range(1, seeds(path, sender) + 1)
    ]
    rows = []
    with ThreadPoolExecutor(jobs) as pool:
        for (path, queue, sender, seed), row in zip(work, pool.map(lambda item: _run(program, *item), work)):
            rows.append(row)
            if seed == seeds(path, sender):
                progress(f"ns-3: {path['name']}, {queue}, {sender}")
    return rows


def load(file):
    """Returns the rows of a reference file; none if there is no file yet."""
    if not file.exists():
        return []
    with open(file, newline="") as stream:
        return list(csv.DictReader(stream))


def save(file, old, new, order):
    """Replaces the paths and queues of `new` in `old`, and writes all rows in a fixed order."""
    replaced = {(row["path"], row["queue"]) for row in new}
    rows = [row for row in old if (row["path"], row["queue"]) not in replaced and row["path"] in order] + new
    rows.sort(key=lambda row: (
        order.index(row["path"]), QUEUES.index(row["queue"]), list(SEEDS).index(row["sender"]), int(row["seed"])))
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def select(rows, path, queue, sender):
    """Returns the runs of a path, queue and sender: one dict per seed."""
    found = [row for row in rows if (row["path"], row["queue"], row["sender"]) == (path["name"], queue, sender)]
    if any(row["settings"] != settings(path) for row in found):
        raise Ns3Error(f"the reference of {path['name']} was made with other settings: rerun with --fresh --paths {path['name']!r}")
    if not found:
        raise Ns3Error(f"no stored result of ns-3 for {path['name']}, {queue}, {sender}: rerun with --fresh")
    return [{key: float(row[key]) for key in QUANTITIES} for row in found]
