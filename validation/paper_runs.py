"""The runs of the papers by two programs: `dumbbell reproduce` of both, and the rows of their stores."""

import hashlib
import json
import sqlite3
import subprocess
from pathlib import Path

import outcomes
from outcomes import SameError

# Each row of a store: what identifies the run, and what came of it. docs/store.md describes the tables.
ROWS = """SELECT scenario.text, run.seed, words.bytes, run.outcome, run.series FROM run
JOIN scenario ON scenario.id = run.scenario JOIN words ON words.id = run.words"""


def reproduce(binary, names, quick, jobs, folder):
    """Reproduces the papers, as far as `folder` does not have it; returns the store, and the results as lines."""
    out = Path(folder) / digest(binary, names, quick)
    out.mkdir(parents=True, exist_ok=True)
    results = out / "results.json"
    if not results.exists():
        command = [binary, "reproduce", *names, *(["--quick"] if quick else []), "--jobs", str(jobs), "--json", "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True)
        # 1: a verdict differs from the record, which is the business of other checks
        if done.returncode not in (0, 1):
            raise SameError(f"{' '.join(command)}: {done.stderr.strip()}")
        results.write_text(done.stdout)
    return out / "runs.sqlite", results.read_text()


def digest(binary, names, quick):
    """Returns a name for what a program reproduces, so that it is done once."""
    parts = hashlib.sha256(Path(binary).read_bytes())
    parts.update(json.dumps([names, quick]).encode())
    return "reproduced-" + parts.hexdigest()[:16]


def results_differ(old, new):
    """Returns where the claims and the cells of the matrix differ, or None."""
    before, after = ([json.loads(line, parse_float=str) for line in text.splitlines()] for text in (old, new))
    return outcomes.place(before, after)


def rows(store):
    """Returns the digest of each run in a store, by scenario and seed."""
    found = {}
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        for text, seed, words, numbers, series in connection.execute(ROWS):
            parts = hashlib.sha256(without_version(words) + b"\0" + without_events(numbers) + b"\0" + (series or b""))
            found[text, seed % 2**64] = parts.digest()
    return found


def version(store):
    """Returns the version of a store's tables; stores of different versions hold runs in different forms."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def without_events(numbers):
    """Returns the numbers of an outcome without the number of events: the second, in seven bits a byte."""
    start = number_end(numbers, 0)
    return numbers[:start] + numbers[number_end(numbers, start):]


def without_version(words):
    """Returns the words of an outcome without the first, the version of the program: its length, then its bytes."""
    return words[1 + words[0]:]


def number_end(numbers, at):
    while numbers[at] & 0x80:
        at += 1
    return at + 1


def differing(old, new):
    """Returns the scenarios and seeds whose runs differ, or are in one of the stores only."""
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
