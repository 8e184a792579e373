"""The names that a scenario can use, as `dumbbell list --json` reports them."""

import json
import re
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A control, a rate control, an estimator or a classifier."""

    name: str
    # the recoveries that a control can use
    recoveries: tuple
    # the values of each parameter whose values can be listed
    choices: dict
    # the signals without which it does not run, in words
    needs: tuple = ()


def read(binary):
    """Returns the entries of every sort that `dumbbell list` shows, by sort."""
    done = subprocess.run([binary, "list", "--json"], capture_output=True, text=True, check=True)
    return of(json.loads(done.stdout))


def of(sorts):
    """The same, of the parsed output."""
    return {sort["sort"]: [entry(found) for found in sort["entries"]] for sort in sorts}


def entry(found):
    listed = {parameter["name"]: choices(parameter["range"]) for parameter in found.get("parameters", [])}
    listed = {name: values for name, values in listed.items() if values}
    return Entry(found["name"], tuple(found.get("recoveries", ())), listed, tuple(found.get("needs", ())))


def choices(described):
    """Returns the values of a parameter whose range is described as true or false, or as a list of words."""
    if described == "true or false":
        return (True, False)
    if described.startswith("one of "):
        return tuple(re.findall(r"`([^`]+)`", described))
    return ()
