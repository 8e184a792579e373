"""Writes a Dumbbell scenario for a path and runs `dumbbell run` on it."""

import json
import re
import shutil
import subprocess
from pathlib import Path as File

import paths as path_file

# The variants: label, ns-2's protocol, and the `control` and `recovery` keys of the flow.
VARIANTS = (
    ("tahoe", "tahoe", '"tahoe"', "tahoe"),
    ("reno", "reno", '"reno"', "reno"),
    ("newreno", "newreno", '"reno"', "newreno"),
    ("sack", "sack1", '"reno"', "sack"),
    ("vegas", "vegas", '"vegas"', "vegas"),
    ("vegas, int_diff", "vegas", '{ name = "vegas", int_diff = true }', "vegas"),
)


class SimulatorError(Exception):
    """Dumbbell is missing, or a run failed."""


def scenario(path, control, recovery):
    """Returns the scenario of a path, as text."""
    # ns-2's error model also loses SYNs, and does not affect the other direction
    loss = f', loss = {{ bernoulli = {path.loss}, on = "all" }}' if path.loss > 0 else ""
    lines = [
        f"# {path.name}: written by validation/compare.py",
        f'duration = "{path.duration}"',
        "",
        "[dumbbell]",
        f'access     = {{ rate = "{path.access_rate}", delay = "{path.access_delay}" }}',
        f'bottleneck = {{ rate = "{path.rate}", delay = "{path.delay}", '
        f"queue = {{ droptail = {path.buffer} }}{loss} }}",
        "",
        "[tcp]",
        f'min_rto        = "{path_file.TCP["min_rto"]}"',
        f'initial_rto    = "{path_file.TCP["initial_rto"]}"',
        f"initial_window = {path_file.TCP['initial_window']}",
        "",
        "[[flow]]",
        f"control  = {control}",
        f'recovery = "{recovery}"',
        f"count    = {path.flows}",
        f'payload  = "{path.payload}"',
        f'start    = {{ uniform = ["0 s", "{path_file.START_SPREAD} s"] }}',
    ]
    if path.delayed_ack:
        lines.append(f'delayed_ack = "{path.delayed_ack}"')
    if path.backward:
        source = path.backward
        lines += [
            "",
            "[[flow]]",
            f'source    = {{ exponential = {{ rate = "{source["rate"]}", on = "{source["on"]}", off = "{source["off"]}" }} }}',
            f'packet    = "{source["packet"]}"',
            'direction = "left"',
            'start     = "0 s"',
        ]
    return "\n".join(lines) + "\n"


def run(binary, path, control, recovery, seed, repeat, directory):
    """Returns one dict per run, as ns2.select does: each quantity as the mean over the flows."""
    if shutil.which(binary) is None:
        raise SimulatorError(
            f"{binary} not found: build it with `cargo build --release -p dumbbell`, or give --dumbbell PATH")
    words = re.findall(r"\w+", f"{path.name} {recovery} {control}")
    file = File(directory) / ("-".join(words) + ".toml")
    file.write_text(scenario(path, control, recovery))
    command = [binary, "run", str(file), "--seed", str(seed), "--repeat", str(repeat), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SimulatorError(f"dumbbell failed on {path.name}: {done.stderr.strip()}\n{file.read_text()}")
    results = []
    for line in done.stdout.splitlines():
        flows = [flow for flow in json.loads(line)["flows"] if flow.get("recovery")]
        if len(flows) != path.flows:
            raise SimulatorError(f"dumbbell reported {len(flows)} TCP flows on {path.name}, not {path.flows}")
        results.append({
            key: sum(float(flow[key]) for flow in flows) / len(flows)
            for key in ("goodput_bps", "sent", "retransmits", "timeouts")
        })
    if len(results) != repeat:
        raise SimulatorError(f"dumbbell gave {len(results)} results on {path.name}, not {repeat}")
    return results
