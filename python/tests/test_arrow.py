"""Tables as other libraries read them: every shape, without a copy."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dumbbell as db


def made(columns: dict[str, tuple[str, list[Any]]]) -> db.Table:
    """A table of these values, by way of what a pickle holds: `g`, `L`, `b` or `i` is the type."""
    parts = []
    for name, (kind, values) in columns.items():
        are_there = [value is not None for value in values]
        words: list[str] | None = None
        if kind == "g":
            held = np.array([0.0 if it is None else it for it in values], "<f8").tobytes()
        elif kind == "L":
            held = np.array([0 if it is None else it for it in values], "<u8").tobytes()
        elif kind == "b":
            bits = np.packbits(np.array(values, bool), bitorder="little").tobytes()
            held = len(values).to_bytes(8, "little") + bits
        else:
            words = list(dict.fromkeys(it for it in values if it is not None))
            places = [0 if it is None else words.index(it) for it in values]
            held = np.array(places, "<i4").tobytes()
        validity = None
        if not all(are_there):
            validity = np.packbits(np.array(are_there, bool), bitorder="little").tobytes()
        parts.append((name, "s", f"about {name}", kind, held, words, validity))
    return db.Table._restore("made", parts)


def read_by_all(table: db.Table) -> None:
    """Checks that every library reads the table's own values."""
    values = table.to_dict()
    assert pyarrow.table(table).to_pydict() == values
    assert pyarrow.table(table).validate(full=True) is None
    assert polars.DataFrame(table).to_dict(as_series=False) == values
    if table.columns:
        columns = table  # `table` is a word of SQL
        found = duckdb.sql("SELECT * FROM columns").fetchall()
        assert found == [*zip(*values.values(), strict=True)] and len(columns) == len(found)
        frame = table.to_pandas()
        assert len(frame) == len(table)
        for name, column in values.items():
            gone = frame[name].isna()
            assert gone.to_list() == [it is None for it in column]
            there = [it for it in column if it is not None]
            if table[name].missing and there and type(there[0]) is int:
                # There pandas has floats, which are exact up to 2 ** 53 only.
                there = [float(it) for it in there]
            assert frame[name][~gone].to_list() == there


NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False))
WHOLE = st.one_of(st.none(), st.integers(0, 2**64 - 1))
FLAGS = st.one_of(st.none(), st.booleans())
WORDS = st.one_of(st.none(), st.sampled_from(["", "a", "ß", "\U0001f6a6"]), st.text(max_size=5))


@st.composite
def tables(draw: st.DrawFn) -> db.Table:
    rows = draw(st.integers(0, 40))
    columns = {}
    for place in range(draw(st.integers(1, 5))):
        kind, values = draw(st.sampled_from([("g", NUMBERS), ("L", WHOLE), ("b", FLAGS), ("i", WORDS)]))
        drawn = draw(st.lists(values, min_size=rows, max_size=rows))
        columns[f"c{place}"] = (kind, drawn)
    return made(columns)


@settings(max_examples=150, deadline=None, database=None)
@given(tables())
def test_every_library_reads_any_table(table: db.Table) -> None:
    read_by_all(table)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 17])
def test_columns_without_values(rows: int) -> None:
    read_by_all(made({kind: (kind, [None] * rows) for kind in "gLbi"}))


def test_a_table_without_columns() -> None:
    table = made({})
    assert len(table) == 0 and pyarrow.table(table).num_columns == 0
    assert polars.DataFrame(table).shape == (0, 0)


def test_the_tables_of_a_run_are_read_by_all(path: db.Scenario) -> None:
    runs = db.run(path, seeds=range(3))
    for table in [runs.groups, runs.flows, runs.links, runs.samples, runs.summary()]:
        read_by_all(table)


def test_memory_is_shared_and_outlives_the_table(path: db.Scenario) -> None:
    samples = db.run(path).samples
    column = samples["time_s"]
    address = column.__array_interface__["data"][0]
    expected = column.to_list()
    arrow = pyarrow.table(samples)
    frame = polars.DataFrame(samples)
    assert arrow["time_s"].chunk(0).buffers()[1].address == address
    seen = frame["time_s"].to_numpy(allow_copy=False)
    assert seen.__array_interface__["data"][0] == address
    del samples, column
    gc.collect()
    assert arrow["time_s"].to_pylist() == expected
    assert frame["time_s"].to_list() == expected == seen.tolist()


def test_a_capsule_is_consumed_once_or_not_at_all(path: db.Scenario) -> None:
    table = db.run(path).groups
    for _ in range(100):
        table.__arrow_c_stream__()
        table.__arrow_c_schema__()
    capsule = table.__arrow_c_stream__()
    reader = pyarrow.RecordBatchReader._import_from_c_capsule(capsule)
    assert reader.read_all().num_rows == len(table)
    with pytest.raises((pyarrow.ArrowInvalid, ValueError)):
        pyarrow.RecordBatchReader._import_from_c_capsule(capsule)


def test_reading_leaves_no_memory_behind(path: db.Scenario) -> None:
    samples = db.run(path.set("duration", "20 s"), samples="all").samples
    size = len(samples) * 8
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("there is no /proc/self/status")

    def resident() -> int:
        line = next(it for it in status.read_text().splitlines() if it.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

    for _ in range(50):
        polars.DataFrame(samples)
        pyarrow.table(samples)
    gc.collect()
    before = resident()
    for _ in range(2000):
        polars.DataFrame(samples)
        pyarrow.table(samples)
    gc.collect()
    assert resident() - before < max(50 * size, 20 << 20)


@pytest.mark.parametrize(
    "parts",
    [
        [("a", None, "", "g", b"1234567", None, None)],
        [("a", None, "", "x", b"", None, None)],
        [("a", None, "", "i", b"\x05\0\0\0", ["a"], None)],
        [("a", None, "", "i", b"\xff\xff\xff\xff", ["a"], None)],
        [("a", None, "", "i", b"\0\0\0\0", None, None)],
        [("a", None, "", "b", b"\x09", None, None)],
        [("a", None, "", "b", b"\x09\0\0\0\0\0\0\0\x01", None, None)],
        [("a", None, "", "g", b"\0" * 16, None, b"")],
        [("a", None, "", "g", b"\0" * 8, None, None), ("b", None, "", "g", b"", None, None)],
        [("a", None, "", "b", b"\xff\xff\xff\xff\xff\xff\xff\xff", None, None)],
        [("a", None, "", "i", b"\0\0\0\0", [], b"\x01")],
    ],
)
def test_a_pickle_that_was_tampered_with_is_refused(parts: list[Any]) -> None:
    with pytest.raises(ValueError):
        db.Table._restore("wrong", parts)
