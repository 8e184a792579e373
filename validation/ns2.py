"""Runs ns-2 over paths, protocols and seeds, and stores its raw results in a CSV file."""

import csv
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as File

import paths as path_file
import units

PROTOCOLS = ("tahoe", "reno", "newreno", "sack1", "vegas")
SCRIPT = File(__file__).parent / "ns2" / "dumbbell.tcl"
COLUMNS = (
    "path", "settings", "protocol", "seed", "flow", "goodput_bps", "sent", "retransmits", "timeouts", "cuts",
)


class Ns2Error(Exception):
    """ns-2 is missing, or a run failed."""


def _command(ns, path, protocol, seed):
    options = {
        "proto": protocol,
        "n": path.flows,
        "loss": path.loss,
        "bw": units.rate(path.rate),
        "delay": units.time(path.delay),
        "abw": units.rate(path.access_rate),
        "adelay": units.time(path.access_delay),
        "buf": path.buffer,
        "pkt": units.size(path.payload),
        "dur": units.time(path.duration),
        "jitter": path_file.START_SPREAD,
        "minrto": units.time(path_file.TCP["min_rto"]),
        "rtxinit": units.time(path_file.TCP["initial_rto"]),
        "iw": path_file.TCP["initial_window"],
        "seed": seed,
    }
    if path.delayed_ack:
        options["delack"] = units.time(path.delayed_ack)
    if path.backward:
        options |= {
            "backrate": units.rate(path.backward["rate"]),
            "backon": units.time(path.backward["on"]),
            "backoff": units.time(path.backward["off"]),
            "backpkt": units.size(path.backward["packet"]),
        }
    return [ns, str(SCRIPT)] + [word for k, v in options.items() for word in (f"-{k}", str(v))]


def _run(ns, path, protocol, seed):
    command = _command(ns, path, protocol, seed)
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("flow=")]
    if done.returncode != 0 or len(lines) != path.flows:
        raise Ns2Error(f"ns-2 failed on {path.name}: {' '.join(command)}: {done.stderr.strip()}")
    rows = []
    for line in lines:
        got = dict(word.split("=", 1) for word in line.split())
        active = units.time(path.duration) - float(got["start"])
        bits = int(got["inorder_pkts"]) * units.size(path.payload) * 8
        rows.append({
            "path": path.name, "settings": path.settings, "protocol": protocol, "seed": seed,
            "flow": int(got["flow"]), "goodput_bps": round(bits / active, 1), "sent": int(got["sent"]),
            "retransmits": int(got["rexmit"]), "timeouts": int(got["timeouts"]),
            # ns-2's Vegas does not count its own cuts: this would only be its timeouts
            "cuts": "" if protocol == "vegas" else int(got["cuts"]),
        })
    return rows


def run(ns, paths, protocols, jobs, progress):
    """Returns the rows of every path, protocol and seed, in that order."""
    if shutil.which(ns) is None:
        raise Ns2Error(f"{ns} not found: install ns-2 (Debian, Ubuntu: apt install ns2), or give --ns PATH")
    work = [(path, protocol, seed) for path in paths for protocol in protocols for seed in range(1, path.seeds + 1)]
    rows = []
    with ThreadPoolExecutor(jobs) as pool:
        for (path, protocol, seed), result in zip(work, pool.map(lambda w: _run(ns, *w), work)):
            rows += result
            if seed == path.seeds:
                progress(f"ns-2: {path.name} {protocol}")
    return rows


def load(file):
    """Returns the rows of a reference file; none if there is no file yet."""
    if not File(file).exists():
        return []
    with open(file, newline="") as stream:
        return list(csv.DictReader(stream))


def save(file, old, new, order):
    """Replaces the paths and protocols of `new` in `old`, and writes all rows in a fixed order."""
    replaced = {(row["path"], row["protocol"]) for row in new}
    rows = [row for row in old if (row["path"], row["protocol"]) not in replaced and row["path"] in order] + new
    rows.sort(key=lambda r: (
        order.index(r["path"]), PROTOCOLS.index(r["protocol"]), int(r["seed"]), int(r["flow"])))
    File(file).parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def select(rows, path, protocol):
    """Returns the runs of a path and protocol: one dict per seed, each quantity as the mean over its flows."""
    runs = {}
    for row in rows:
        if row["path"] == path.name and row["protocol"] == protocol:
            if row["settings"] != path.settings:
                raise Ns2Error(
                    f"the reference of {path.name} was made with other settings: rerun with --fresh --paths {path.name}")
            runs.setdefault(int(row["seed"]), []).append(row)
    keys = ("goodput_bps", "sent", "retransmits", "timeouts")
    return [
        {key: sum(float(flow[key]) for flow in flows) / len(flows) for key in keys}
        for _, flows in sorted(runs.items())
    ]
