"""Builds the program of another commit, in a git worktree of its own."""

import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from turns import SpeedError

ROOT = Path(__file__).resolve().parent.parent


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SpeedError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


@contextmanager
def worktree(revision):
    """Checks a commit out into a temporary folder, and removes it afterwards."""
    folder = tempfile.mkdtemp(prefix="dumbbell-old-")
    try:
        git("worktree", "add", "--detach", folder, revision)
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        git("worktree", "prune")


def build(revision):
    """Returns the program of a commit. It is built once, and kept in target/old."""
    commit = git("rev-parse", "--verify", f"{revision}^{{commit}}")
    kept = ROOT / "target" / "old" / f"dumbbell-{commit[:12]}"
    if kept.exists():
        return kept
    with worktree(commit) as folder:
        # its artefacts go into a target of their own, because they would replace those of this tree
        target = ROOT / "target" / "old" / "build"
        command = ["cargo", "build", "--release", "--locked", "-p", "dumbbell", "--bins", "--target-dir", str(target)]
        done = subprocess.run(command, cwd=folder)
        if done.returncode != 0:
            raise SpeedError(f"{' '.join(command)} failed on {revision}")
        shutil.copy(target / "release" / "dumbbell", kept)
    return kept
