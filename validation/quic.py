#!/usr/bin/env python3
"""Compares the controls behind quinn with simulated QUIC flows on the same path.

    cargo build --release -p dumbbell-quinn --examples
    sudo python3 validation/quic.py target/release/dumbbell target/release/examples
    sudo python3 validation/quic.py target/release/dumbbell target/release/examples --controls reno,veno --seeds 2 --megabytes 1

Each transfer runs between quinn's example programs over the emulated path (`dumbbell emulate`), and in the simulator
(`stack = "quic"`, `below_window = true`) with the same size. Prints the means with 95 % intervals and their ratio. Needs root.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from intervals import half_width, mean

PATH = (
    'duration = "600 s"\n[dumbbell]\naccess = {{ rate = "100 Mb/s", delay = "1 ms" }}\n'
    'bottleneck = {{ rate = "2 Mb/s", delay = "28 ms", queue = {{ droptail = 60 }}, loss = {{ bernoulli = {loss} }} }}\n'
    '[[flow]]\ncontrol = "{control}"\n{keys}'
)
PORT = 4433
# quinn's largest packet, with the headers of UDP and IPv4.
MTU = 1500
# The simulator has this many runs for each live one, since they cost nothing.
SIMULATED = 10


def live(program, examples, folder, control, loss, seed, size):
    """Returns the goodput of a real transfer in Mb/s."""
    home = folder / f"{control}-{seed}"
    home.mkdir()
    file = home / "path.toml"
    file.write_text(PATH.format(loss=loss, control="reno", keys=""))
    client = f"{examples / 'client'} $DUMBBELL_PEER:{PORT} {control} {size}"
    command = [program, "emulate", file, "--seed", str(seed), "--mtu", str(MTU), "--ready", str(PORT)]
    command += ["--receiver", f"{examples / 'server'} 0.0.0.0:{PORT}", "--", "sh", "-c", client]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=600)
    found = re.search(r"^\S+: ([\d.]+) s, ", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{control}, seed {seed}:\n{done.stdout}{done.stderr}")
    return size * 8e-6 / float(found[1])


def simulated(program, folder, control, loss, seed, size):
    """Returns the goodput of the same transfer in the simulator in Mb/s."""
    file = folder / f"{control}.toml"
    choice = f'{{ name = "{control}", stamp_source = "ack" }}' if control == "venodb" else f'"{control}"'
    keys = f'stack = "quic"\nbelow_window = true\nsize = "{size} B"\n'
    file.write_text(PATH.format(loss=loss, control=control, keys=keys).replace(f'control = "{control}"', f"control = {choice}"))
    done = subprocess.run([program, "run", file, "--seed", str(seed), "--json"], capture_output=True, text=True, check=True)
    flow = json.loads(done.stdout)["flows"][0]
    return size * 8e-6 / (flow["finish_s"] - flow["start_s"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the command")
    parser.add_argument("examples", type=Path, help="the folder of quinn's example programs")
    parser.add_argument("--controls", default="reno,veno,venodb,westwood+,cubic,vegas", help="names, with commas between them")
    parser.add_argument("--seeds", type=int, default=6, help="transfers of each control")
    parser.add_argument("--megabytes", type=float, default=6, help="the size of a transfer")
    parser.add_argument("--loss", type=float, default=0.02, help="the probability of a loss")
    asked = parser.parse_args()
    program, examples = asked.program.resolve(), asked.examples.resolve()
    size = round(asked.megabytes * 1e6)
    print("| control | quinn Mb/s | simulated Mb/s | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        for control in asked.controls.split(","):
            folder = Path(scratch) / control
            folder.mkdir()
            seeds = range(1, asked.seeds + 1)
            # Emulations take little processor time: those of a control run together.
            real = [pool.submit(live, program, examples, folder, control, asked.loss, seed, size) for seed in seeds]
            both = range(1, SIMULATED * asked.seeds + 1)
            model = [simulated(program, folder, control, asked.loss, seed, size) for seed in both]
            quinn = [one.result() for one in real]
            cells = [f"{mean(runs):.3f} ± {half_width(runs):.3f}" for runs in (quinn, model)]
            print(f"| {control} | {' | '.join(cells)} | {mean(quinn) / mean(model):.3f} |", flush=True)


if __name__ == "__main__":
    main()
