#!/usr/bin/env python3
"""Shows for each goodput of docs/parity.md that is farther from the simulated one than its bound what removes the difference:
the simulated flow again, with one thing changed.

    python3 validation/stacks_removed.py target/release/dumbbell

Prints a table. The measured goodputs are those that are kept (validation/reference/stacks). Needs no root.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import stacks
import stacks_report as report
from parity import estimate

PAGE = Path(__file__).parent.parent / "docs" / "parity.md"
STORED = Path(__file__).parent / "reference" / "stacks"
# Path, control, real host, and what is changed: the mean lateness of both ends, or a parameter of the control.
ROWS = [
    *(("middle", control, "quinn", ("late", "0.02 ms")) for control in ("venodb", "timed:venodb")),
    *(("fast", control, "quinn", ("late", "0.02 ms")) for control in ("venodb", "timed:venodb")),
    *(("lossy", control, "quinn", ("late", "0.02 ms")) for control in ("venodb", "timed:venodb")),
    ("shallow", "vegas", "quinn", ("gamma", "1.25")),
    ("shallow", "vegas", "kernel", ("late", "0.5 ms")),
]
LINUX = 'stack = "linux"\nrecovery = "sack"\npayload = "1448 B"\n'
QUINN = 'stack = "quic"\nbelow_window = true\nlosses_last = true\n'
HEAD = (
    "| path, control | real Mb/s | simulated | ratio | changed | simulated then | ratio |",
    "|---|---|---|---|---|---|---|",
)


def scenario(path, control, host, change=None):
    """Returns the simulated flow beside a real one as a file."""
    rate, delay, queue, loss = stacks.PATHS[path]
    name = control.removeprefix("timed:")
    parameters, access, keys = "", "", 'start = "1 ms"\n' + (LINUX if host == "kernel" else QUINN)
    if host != "kernel":
        # Sockets that tell when packets arrived add 24 bytes.
        keys += f'payload = "{1439 - 24 * control.startswith("timed:")} B"\n'
        keys += f'header = "{61 + 24 * control.startswith("timed:")} B"\n'
        if control == "venodb":
            parameters += ', stamp_source = "ack"'
    match change:
        case ("late", time):
            access = f', jitter = {{ mean = "{time}" }}'
        case (key, value):
            parameters += f", {key} = {value}"
    lossy = f", loss = {{ bernoulli = {loss} }}" if loss else ""
    return (
        'duration = "20 s"\n[dumbbell]\n'
        f'access = {{ rate = "100 Mb/s", delay = "1 ms"{access} }}\n'
        f'bottleneck = {{ rate = "{rate}", delay = "{delay}", queue = {{ droptail = {queue} }}{lossy} }}\n'
        f'[[flow]]\ncontrol = {{ name = "{name}"{parameters} }}\n{keys}'
    )


def simulated(program, folder, text):
    """Returns the goodput of six runs with its interval."""
    file = folder / "partner.toml"
    file.write_text(text)
    done = subprocess.run([program, "run", file, "--repeat", "6", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{text}\n{done.stderr}")
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    return estimate([(run["flows"][0]["goodput_bps"], 1.0) for run in runs])


def row(program, folder, path, control, host, change):
    """Returns a row of the table, and whether what is changed removes the difference."""
    runs = report.read(STORED / f"{path}.csv")
    real = report.quantity("goodput", report.of(runs, control, host))
    usual, changed = (simulated(program, folder, scenario(path, control, host, what)) for what in (None, change))
    ratio, _ = report.agreement("goodput", real, usual)
    then, how = report.agreement("goodput", real, changed)
    match change:
        case ("late", time):
            what = f"both ends {time} late"
        case (key, value):
            what = f"`{key} = {value}`"
    cells = [f"{path}, {control}, {host}", *(report.shown("goodput", it) for it in (real, usual)), f"{ratio:.3f}", what]
    return f"| {' | '.join([*cells, report.shown('goodput', changed), f'{then:.3f}'])} |", how != "apart"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a change does not remove its difference, or the page has another table")
    args = parser.parse_args()
    print("\n".join(HEAD))
    page = PAGE.read_text(encoding="utf-8").splitlines()
    fine = True
    with tempfile.TemporaryDirectory() as scratch:
        for given in ROWS:
            line, does = row(args.program.absolute(), Path(scratch), *given)
            print(line, flush=True)
            fine &= does and line in page
    return int(args.check and not fine)


if __name__ == "__main__":
    sys.exit(main())
