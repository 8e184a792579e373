"""The types: the stub is that of the compiled module, and uses of the library pass two checkers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(*command: object, where: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_stub_is_that_of_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy.stubtest", reason='pip install "dumbbell[types]"')
    # From another folder, the package is the installed one.
    allowed = ["--allowlist", HERE / "typed" / "allowed.txt"]
    run(sys.executable, "-m", "mypy.stubtest", "dumbbell._native", *allowed, where=tmp_path)


def test_uses_have_the_types_that_they_should(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason='pip install "dumbbell[types]"')
    uses = HERE / "typed" / "uses.py"
    run(sys.executable, "-m", "mypy", "--config-file", "/dev/null", uses, where=tmp_path)
    pyright = shutil.which("pyright", path=Path(sys.executable).parent)
    if pyright is None:
        pytest.skip('pip install "dumbbell[types]"')
    shutil.copy(uses, tmp_path)
    run(pyright, "--pythonpath", sys.executable, tmp_path / "uses.py", where=tmp_path)
