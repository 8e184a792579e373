"""The runs of stacks.py as files, one line a run, and what follows from them: its tables, and the orders of controls."""

import csv
import math
from pathlib import Path

from parity import QUANTITIES, agrees, quantity

FIELDS = "control host seed goodput_bps segments retransmits cuts rtt_mean_s elapsed_s doubts".split()
# The host that is real, and the simulated one that is like it.
PARTNERS = {"quinn": "simulated QUIC", "noq": "simulated QUIC", "kernel": "simulated Linux"}
HEAD = (
    "| path, control | QUIC Mb/s | simulated | ratio | kernel Mb/s | simulated | ratio | doubted |",
    "|---|---|---|---|---|---|---|---|",
)


def of_json(found):
    """Returns the runs that `dumbbell parity --json` has printed."""
    runs = []
    for row in found["rows"]:
        for side in row["sides"]:
            real = [
                {**run["measured"], "seed": run["seed"], "doubts": int(bool(run["network"]["faults"] or run["measured"]["limits"]))}
                for run in side.get("runs", [])
            ]
            for run in real + [{**run, "doubts": 0} for run in side.get("simulated", [])]:
                named = {**run, "control": row["label"], "host": side["host"]}
                runs.append({field: named[field] for field in FIELDS})
    return runs


def read(file):
    """Returns the runs of a file; none if there is no such file."""
    if not Path(file).exists():
        return []
    with open(file, newline="", encoding="utf-8") as lines:
        runs = list(csv.DictReader(lines))
    for run in runs:
        for field in FIELDS[2:]:
            number = float if field in ("goodput_bps", "rtt_mean_s", "elapsed_s") else int
            run[field] = number(run[field]) if run[field] else None
    return runs


def write(file, runs):
    """Writes runs, with numbers as exact as the tables need them."""
    rounded = {"goodput_bps": ".0f", "rtt_mean_s": ".6f", "elapsed_s": ".3f"}
    with open(file, "w", newline="", encoding="utf-8") as lines:
        out = csv.DictWriter(lines, FIELDS, lineterminator="\n")
        out.writeheader()
        for run in runs:
            exact = {field: format(run[field], form) for field, form in rounded.items() if run[field] is not None}
            out.writerow({**run, **exact})


def sort(runs, names):
    """Returns the runs in the order of these controls and, of each, by its hosts."""
    hosts = ["simulated QUIC", "quinn", "noq", "simulated Linux", "kernel"]
    return sorted(runs, key=lambda run: (names.index(run["control"]), hosts.index(run["host"]), run["seed"]))


def controls(runs):
    """Returns the names of the controls in the order of their runs."""
    return list(dict.fromkeys(run["control"] for run in runs))


def of(runs, control, host):
    """Returns the runs of a control on a host."""
    return [run for run in runs if (run["control"], run["host"]) == (control, host)]


def pairs(runs, control):
    """Yields the real hosts of a control with their runs and those of the simulated host that is like each."""
    for host, partner in PARTNERS.items():
        real, simulated = of(runs, control, host), of(runs, control, partner)
        if real and simulated:
            yield host, real, simulated


def shown(name, value):
    """Returns a mean with its interval, in the unit of the table."""
    _, unit, decimals, _ = QUANTITIES[name]
    mean, half = (part * unit for part in value)
    return f"{mean:.{decimals}f}" + ("" if math.isnan(half) else f" ± {half:.{decimals}f}")


def agreement(name, real, simulated):
    """Returns the ratio of two values, and whether they are within the bound, within both intervals too, or apart."""
    ratio = real[0] / simulated[0] if simulated[0] else math.nan
    known = [(mean, 0.0 if math.isnan(half) else half) for mean, half in (real, simulated)]
    if agrees(name, (real[0], 0.0), (simulated[0], 0.0)):
        return ratio, "within"
    return ratio, "with_intervals" if agrees(name, *known) else "apart"


def row(path, runs, control):
    """Returns the goodputs of a control as a line."""
    cells = {"QUIC": ["-"] * 3, "kernel": ["-"] * 3}
    told = []
    for host, real, simulated in pairs(runs, control):
        told += real
        values = quantity("goodput", real), quantity("goodput", simulated)
        ratio, how = agreement("goodput", *values)
        mark = {"within": "{:.3f}", "with_intervals": "*{:.3f}*", "apart": "**{:.3f}**"}[how]
        cells["kernel" if host == "kernel" else "QUIC"] = [shown("goodput", it) for it in values] + [mark.format(ratio)]
    doubted = f"{sum(run['doubts'] for run in told)} of {len(told)}"
    return f"| {path}, {control} | {' | '.join(cells['QUIC'] + cells['kernel'])} | {doubted} |"


def others(runs):
    """Yields the quantities beside goodput that are not within their bounds."""
    for control in controls(runs):
        for host, real, simulated in pairs(runs, control):
            for name in QUANTITIES:
                values = quantity(name, real), quantity(name, simulated)
                _, how = agreement(name, *values)
                if name != "goodput" and how != "within" and not math.isnan(values[0][0] + values[1][0]):
                    yield how, control, name, host, values


def misses(runs):
    """Returns the controls and hosts whose goodput is farther from the simulated one than its bound and both intervals."""
    found = []
    for control in controls(runs):
        for host, real, simulated in pairs(runs, control):
            if agreement("goodput", quantity("goodput", real), quantity("goodput", simulated))[1] == "apart":
                found.append((control, host))
    return found


def orders(runs, names=None):
    """Returns, for each two controls whose intervals are apart on some host: the faster and the slower one, the hosts that say
    so, and those that say the opposite. Where hosts disagree, the one that comes first in `names` is called the faster."""
    names = names or controls(runs)
    found = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            above, below = [], []
            for host in ("simulated QUIC", "quinn", "noq", "simulated Linux", "kernel"):
                sides = of(runs, one, host), of(runs, other, host)
                if not all(sides):
                    continue
                (a, a_half), (b, b_half) = (quantity("goodput", side) for side in sides)
                if abs(a - b) > a_half + b_half:
                    (above if a > b else below).append(host)
            if above or below:
                found.append((one, other, above, below) if above else (other, one, below, above))
    return found
