"""The papers' figures and claims, and the matrix of controls and paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from . import _native
from ._checks import jobs_of, seed_of
from ._native import Scenario, Table
from ._progress import Progress, shown
from ._results import Result, tell_trouble
from .control import Control


@dataclass(frozen=True)
class Drawing:
    """A drawing or a table of a figure.

    Attributes:
        figure: The name of the figure.
        name: Its own name, which is also that of its files.
        title: Its title.
        kind: How the report draws it: `"curves"`, `"bars"`, `"map"`, `"samples"` (over time), or
            `"table"`.
        x_label: The quantity and unit of the horizontal axis; empty for a table.
        y_label: The quantity and unit of the vertical axis; empty for a table.
        log_x: Whether the horizontal axis is logarithmic.
        table: What it shows: a row for each curve and x value, or each row and column of a table.
    """

    figure: str
    name: str
    title: str
    kind: Literal["curves", "bars", "map", "samples", "table"]
    x_label: str
    y_label: str
    log_x: bool
    table: Table


class Reproduction(Result):
    """Figures of the papers with their claims, or a matrix of controls, after all runs.

    Attributes:
        claims: A row for each claim: its words, what the paper states, what was found, the verdict,
            and the verdict on record.
        sentences: A row for each sentence of the papers: how it stands after all readings of the
            text that were tried.
        changes: The verdicts that differ from those on record.
        figures: For each figure, by its name, every measure at every point.
        drawings: What each drawing and each table shows, by its name.
        matrix: A row for each measure, control and path, if the matrix was wanted.
        command: The command that makes the same.
        taken: How many runs came from the store.
        computed: How many runs were computed.
    """

    command: str
    taken: int
    computed: int

    def __init__(self, reproduced: _native.Reproduced) -> None:
        self.command = reproduced.command
        self.taken = reproduced.taken
        self.computed = reproduced.computed
        self._reproduced: _native.Reproduced | None = reproduced
        self._files: dict[str, bytes] | None = None

    def _made(self) -> _native.Reproduced:
        assert self._reproduced is not None, "a pickle has its tables"
        return self._reproduced

    @cached_property
    def claims(self) -> Table:
        """A row for each claim, with its verdict."""
        return self._made().claims

    @cached_property
    def sentences(self) -> Table:
        """A row for each sentence of the papers: how it stands under all readings tried."""
        return self._made().sentences

    @cached_property
    def changes(self) -> Table:
        """The verdicts that differ from those on record."""
        return self._made().changes

    @cached_property
    def figures(self) -> dict[str, Table]:
        """For each figure every measure at every point, with its 95 % interval."""
        return dict(self._made().figures)

    @cached_property
    def drawings(self) -> dict[str, Drawing]:
        """What each drawing and each table of the report shows."""
        drawings = {}
        for figure, name, title, kind, (x_label, y_label, log_x), table in self._made().drawings:
            drawings[name] = Drawing(figure, name, title, kind, x_label, y_label, log_x, table)
        return drawings

    @cached_property
    def matrix(self) -> Table | None:
        """A row for each measure, control and path; None if it was not wanted."""
        return self._made().matrix

    @cached_property
    def _report(self) -> str:
        return self._made().report()

    def report(self) -> str:
        """The report as one page of HTML, which needs nothing else."""
        return self._report

    def write(self, folder: str | PathLike[str]) -> Path:
        """Writes the files that `dumbbell reproduce --out` writes, and returns the path of the report.

        Raises:
            OSError: If one cannot be written.
        """
        path = Path(fspath(folder))
        if self._files is None:
            return Path(self._made().write(fspath(path)))
        for name, content in self._files.items():
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return path / "report.html"

    def __repr__(self) -> str:
        parts = [f"<{self.command}: {self.computed} runs computed, {self.taken} taken>"]
        if len(self.claims):
            parts.append(self._verdicts())
        if self.matrix is not None:
            parts.append(repr(self.matrix))
        return "\n".join(parts)

    def _verdicts(self) -> str:
        verdicts = self.claims["verdict"].to_list()
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return f"{len(verdicts)} claim{'s' if len(verdicts) != 1 else ''}: {told}"

    def _repr_html_(self) -> str:
        parts = [f"<p><code>{escape(self.command)}</code></p>"]
        if len(self.claims):
            rows = "".join(
                f"<tr><td>{escape(row['figure'])}</td><td>{escape(row['verdict'])}</td>"
                f'<td style="text-align:left">{escape(row["text"])}</td>'
                f"<td>{escape(row['stated'])}</td><td>{escape(row['found'])}</td></tr>"
                for row in self.claims.rows()
            )
            heads = "".join(f"<th>{it}</th>" for it in ["figure", "verdict", "claim", "paper", "here"])
            parts.append(f"<p>{escape(self._verdicts())}</p>")
            parts.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
        if self.matrix is not None:
            parts.append(self.matrix._repr_html_())
        return "".join(parts)

    def __getstate__(self) -> dict[str, Any]:
        names = ["claims", "sentences", "changes", "figures", "drawings", "matrix", "_report"]
        made = {name: getattr(self, name) for name in names}
        return {**self.__dict__, **made, "_reproduced": None, "_files": self._all_files()}

    def _all_files(self) -> dict[str, bytes]:
        if self._files is not None:
            return self._files
        with TemporaryDirectory() as folder:
            self._made().write(folder)
            files = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
            return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def reproduce(
    *names: str | PathLike[str],
    quick: bool = False,
    seed: int = 1,
    against: str | PathLike[str] | None = None,
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress = None,
) -> Reproduction:
    """Reproduces figures of the papers, and judges the claims.

    Args:
        names: Papers or figures, such as `"venodb"` or `"venodb-fig2"`; `"matrix"`; `"explored"`, or
            `"venodb-explored"` for one paper; or the folder of a paper of your own. Without names,
            all papers and the matrix.
        quick: Whether fewer points and fewer seeds are run.
        seed: The first seed.
        against: A folder that an earlier reproduction was written to: verdicts are compared with
            those in it, instead of those on record.
        jobs: The number of parallel runs; without it, as many as there are cores. It does not affect
            the results.
        store: A file of finished runs, which are not repeated: the same as the command's.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.

    Raises:
        ScenarioError: If there is no such name, or a file of the folder is wrong.
        StoreError: If the store cannot be used.
        Error: If `against` has no verdicts.

    >>> import dumbbell as db
    >>> db.reproduce("venodb-fig2", quick=True).claims.columns[:4]
    ['paper', 'figure', 'claim', 'reading']
    """
    jobs, seed = jobs_of(jobs), seed_of(seed)
    with shown(progress, "reproducing") as report:
        reproduced = _native.reproduce(
            [_name(name) for name in names],
            {"jobs": jobs, "store": _path(store)},
            quick,
            seed,
            _path(against),
            report,
        )
    tell_trouble(reproduced.trouble)
    return Reproduction(reproduced)


def matrix(
    controls: Iterable[str | type[Control]] | str | type[Control] | None = None,
    paths: Iterable[str | PathLike[str]] | str | PathLike[str] | None = None,
    *,
    repeat: int | None = None,
    quick: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress = None,
) -> Reproduction:
    """Compares controls with NewReno on paths: goodput, fairness, friendliness, queueing delay.

    Args:
        controls: Names of controls; a parameter follows with a colon, as in `"veno:beta=4"`, and so
            does another recovery: `"veno:recovery=newreno"`. Without it, every control. NewReno is
            always there. A `Control` class stands where a name can.
        paths: Scenario files, or descriptions of paths. The control and the recovery of every TCP
            flow are replaced. Without it, the papers' paths.
        repeat: Runs of each scenario; without it, as many as the paths say, or 10; with `quick`, 5.
        quick: Whether fewer seeds are run.
        seed: The first seed.
        jobs: The number of parallel runs; without it, as many as there are cores.
        store: A file of finished runs, which are not repeated: the same as the command's.
        progress: Whether a bar is shown; by default, where somebody sees it. Or a function.

    Returns:
        A `Reproduction` whose `matrix` has a row for each measure, control and path.

    Raises:
        ScenarioError: If a control or a path is wrong.
        StoreError: If the store cannot be used.
    """
    if repeat is not None and not 1 <= repeat <= _MOST_RUNS:
        raise ValueError(f"repeat is a number from 1 to {_MOST_RUNS}, not {repeat}")
    controls = [controls] if isinstance(controls, str | type) else controls
    jobs, seed = jobs_of(jobs), seed_of(seed)
    paths = [paths] if isinstance(paths, str | PathLike | Scenario) else paths
    paths = None if paths is None else list(paths)
    if any(isinstance(path, Scenario) for path in paths or ()):
        raise TypeError("paths are files: write scenario.to_toml() to one")
    with shown(progress, "comparing") as report:
        reproduced = _native.matrix(
            None if controls is None else list(controls),
            None if paths is None else [fspath(path) for path in paths],
            {"jobs": jobs, "store": _path(store)},
            quick,
            seed,
            repeat,
            report,
        )
    tell_trouble(reproduced.trouble)
    return Reproduction(reproduced)


_MOST_RUNS = 1_000_000


def _path(path: str | PathLike[str] | None) -> str | None:
    return None if path is None else fspath(path)


def _name(name: str | PathLike[str]) -> str:
    """A name, or a folder, which has a separator so that it is not taken for a name."""
    if isinstance(name, str):
        return name
    path = fspath(name)
    return path if "/" in path else f"./{path}"
