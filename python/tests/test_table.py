import inspect
import pickle
import tracemalloc

import duckdb
import numpy as np
import polars
import pyarrow
import pytest

import dumbbell as db


@pytest.fixture
def table(path) -> db.Table:
    return db.run(path, seeds=range(4)).groups


def test_others_read_the_same_values(table):
    values = table.to_dict()
    assert table.to_polars().to_dict(as_series=False) == values
    assert table.to_arrow().to_pydict() == values
    assert polars.DataFrame(table).height == pyarrow.table(table).num_rows == len(table)
    frame = table.to_pandas()
    assert frame["goodput"].to_list() == values["goodput"]
    assert frame.attrs["units"] == table.units
    groups = table  # `table` is a word of SQL
    mean = duckdb.sql("SELECT avg(goodput) FROM groups").fetchall()
    assert len(groups) == 4
    assert mean == [(pytest.approx(np.mean(values["goodput"])),)]


def test_a_unit_is_in_the_metadata(table):
    field = table.to_arrow().schema.field("goodput")
    assert field.metadata == {
        b"unit": b"bit/s",
        b"description": table.about["goodput"].encode(),
    }


def test_numbers_are_read_without_a_copy(path):
    samples = db.run(path).samples
    time = samples["time_s"]
    array = np.asarray(time)
    address = array.__array_interface__["data"][0]
    assert address == time.__array_interface__["data"][0]
    assert not array.flags.writeable
    assert pyarrow.table(samples)["time_s"].chunk(0).buffers()[1].address == address
    # The column and its memory outlive the table.
    expected = array.copy()
    del samples, time
    np.testing.assert_array_equal(array, expected)


def test_missing_values_are_none_and_nan(path):
    samples = db.run(path).samples
    values = samples["value"]
    assert 0 < values.missing < len(values)
    array = np.asarray(values)
    assert np.isnan(array).sum() == values.missing
    assert [it is None for it in values] == list(np.isnan(array))
    assert samples.to_arrow()["value"].null_count == values.missing
    # A whole number that is missing cannot be NaN in place.
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(samples["word"], copy=False)
    assert np.asarray(samples["word"]).dtype == object


def test_rows_and_columns(table):
    assert next(iter(table.rows())) == {name: table[name][0] for name in table.columns}
    assert table["seed"][-1] == 3
    with pytest.raises(IndexError):
        table["seed"][4]
    with pytest.raises(KeyError, match="did you mean `goodput`"):
        table["goodputs"]
    assert "goodput" in table
    assert "speed" not in table
    assert list(table["seed"]) == [0, 1, 2, 3]


def test_a_table_is_pickled(table):
    assert pickle.loads(pickle.dumps(table)) == table


def test_a_wrong_pickle_is_refused(table):
    restore, (name, parts) = table.__reduce__()
    seed = next(part for part in parts if part[0] == "seed")
    control = next(part for part in parts if part[0] == "control")
    shorter = (*seed[:4], seed[4][:-8], *seed[5:])
    outside = (*control[:4], b"\x07" + control[4][1:], *control[5:])
    odd = (*seed[:4], seed[4][:-1], *seed[5:])
    for wrong in [[shorter, control], [outside], [odd], [(*seed[:3], "x", *seed[4:])]]:
        with pytest.raises(ValueError, match="not the parts of a table"):
            restore(name, wrong)


def test_a_table_is_written_as_csv(table, tmp_path):
    text = table.to_csv()
    assert text.splitlines()[0] == ",".join(table.columns)
    assert len(text.splitlines()) == 5
    table.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == text
    assert polars.read_csv(tmp_path / "t.csv")["goodput"].to_list() == table["goodput"].to_list()


def test_a_table_shows_its_first_rows(table):
    shown = repr(table)
    assert "goodput" not in shown.splitlines()[-1]
    assert "more columns" in shown
    page = table._repr_html_()
    assert page.count("<tr>") == 5
    assert 'title="the seed of the run"' in page


def test_what_is_shown_fits_a_terminal(table):
    for shown in [table, db.list(), db.measures(), db.run(db.dumbbell(duration="1 s")).samples]:
        assert max(len(line) for line in repr(shown).splitlines()) <= 120
    assert "..." in repr(db.list()).splitlines()[2]


def test_showing_a_long_table_makes_only_what_is_shown():
    rows = 300_000
    column = ("value", None, "", "g", bytes(8 * rows), None, None)
    table = db.Table._restore("long", [column])
    tracemalloc.start()
    try:
        assert f"{rows - 10} more rows" in repr(table) and "more rows" in table._repr_html_()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100_000


def test_a_column_is_shown_sliced_and_pickled(table):
    seed = table["seed"]
    assert repr(seed) == "<seed, 4 values: 0, 1, 2, 3>"
    assert repr(table["goodput"]).startswith("<goodput in bit/s, 4 values: ")
    assert seed[1:3] == [1, 2]
    assert seed[::-1] == [3, 2, 1, 0]
    for name in ("goodput", "control", "seed"):
        again = pickle.loads(pickle.dumps(table[name]))
        assert again.to_list() == table[name].to_list()
        assert (again.name, again.unit, again.about) == (name, table.units[name], table.about[name])
    restore, (parts,) = seed.__reduce__()
    with pytest.raises(ValueError, match="not the parts of a column"):
        restore((*parts[:4], parts[4][:-1], *parts[5:]))


def test_a_table_says_how_it_is_indexed(table):
    for wrong in (0, slice(2), ["seed"], None):
        with pytest.raises(TypeError, match=r"rows by table\.rows\(\)"):
            table[wrong]
        assert wrong not in table
    with pytest.raises(TypeError, match=r"rows by table\.rows\(\)"):
        list(table)


@pytest.mark.parametrize("shown", [db.Scenario, db.Table, db.Column])
def test_help_tells_what_the_compiled_classes_do(shown):
    members = [getattr(shown, name) for name in vars(shown) if not name.startswith("_")]
    texts = [inspect.getdoc(it) for it in (shown, *members)]
    assert len(texts) > 5
    assert all(texts)
    assert not any("pyi" in text for text in texts)


def test_flags_are_written_as_in_the_tables_of_the_command():
    flags = ("flag", None, "", "b", (2).to_bytes(8, "little") + b"\x01", None, None)
    assert db.Table._restore("flags", [flags]).to_csv() == "flag\ntrue\nfalse\n"
