"""Runs of a scenario by two programs, and the first place where their outcomes differ."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

# What may differ between two programs with the same outcomes: how the engine worked, and who worked when.
OF_THE_PROGRAM = {"events", "version", "wall_s", "cpu_s"}


class SameError(Exception):
    """A program is missing, or does what no comparison expects."""


@dataclass(frozen=True)
class Ran:
    """What a program made of a scenario."""

    # one dict for each run
    outcomes: tuple
    # the contents of the files that it wrote, by name
    files: dict
    # its message, if it refused the scenario
    refusal: str


def run(binary, file, folder, seed=None, repeat=1, writes=()):
    """Runs a scenario; `writes` are the pairs of an option and the name of a file that it writes."""
    command = [binary, "run", str(file), "--json", "--jobs", "1", "--repeat", str(repeat)]
    command += [] if seed is None else ["--seed", str(seed)]
    paths = {name: Path(folder) / name for _, name in writes}
    for option, name in writes:
        command += [option, str(paths[name])]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise SameError(f"{binary}: {error.strerror}") from None
    if done.returncode not in (0, 2):
        raise SameError(f"{' '.join(command)}: {done.stderr.strip()}")
    if done.returncode == 2:
        return Ran((), {}, done.stderr)
    files = {}
    for name, path in paths.items():
        files[name] = path.read_text()
        path.unlink()
    # numbers stay as they are written
    outcomes = tuple(json.loads(line, parse_float=str, parse_int=str) for line in done.stdout.splitlines())
    return Ran(outcomes, files, "")


def difference(old, new):
    """Returns where what two programs made of a scenario differs, or None."""
    if old.refusal != new.refusal:
        return f"refused: {told(old.refusal)} -> {told(new.refusal)}"
    for number, (before, after) in enumerate(zip(old.outcomes, new.outcomes)):
        if found := place(without(before), without(after)):
            return found if len(old.outcomes) == 1 else f"run {number + 1}: {found}"
    if len(old.outcomes) != len(new.outcomes):
        return f"{len(old.outcomes)} runs -> {len(new.outcomes)} runs"
    for name in old.files:
        if found := line(old.files[name], new.files[name]):
            return f"{name}: {found}"
    return None


def told(refusal):
    return refusal.splitlines()[0] if refusal else "it runs"


def without(outcome):
    """Returns an outcome without what may differ."""
    return {key: value for key, value in outcome.items() if key not in OF_THE_PROGRAM}


def place(old, new, path=""):
    """Returns the first place where two values differ, such as `flows[3].sent: 5 -> 6`, or None."""
    if type(old) is not type(new):
        return f"{path}: {brief(old)} -> {brief(new)}"
    if isinstance(old, dict):
        if list(old) != list(new):
            return f"{path}: keys {brief(list(old))} -> {brief(list(new))}"
        parts = ((f"{path}.{key}".removeprefix("."), old[key], new[key]) for key in old)
    elif isinstance(old, list):
        if len(old) != len(new):
            return f"{path}: {len(old)} -> {len(new)} of them"
        parts = ((f"{path}[{number}]", *pair) for number, pair in enumerate(zip(old, new)))
    else:
        return None if old == new else f"{path}: {brief(old)} -> {brief(new)}"
    # most parts are equal, and equality is quick
    return next((place(a, b, at) for at, a, b in parts if a != b), None)


def line(old, new):
    """Returns the first line that differs in two texts, or None."""
    if old == new:
        return None
    before, after = old.splitlines(), new.splitlines()
    for number, (a, b) in enumerate(zip(before, after)):
        if a != b:
            return f"line {number + 1}: {brief(a)} -> {brief(b)}"
    return f"{len(before)} -> {len(after)} lines"


def brief(value):
    text = str(value)
    return text if len(text) <= 100 else text[:97] + "..."
