"""`list`, `parameters` and `measures`: what a scenario can name is what it takes."""

import re
from pathlib import Path

import pytest

import dumbbell as db

ROWS = list(db.list().rows())


def names(sort: str) -> list[str]:
    return [row["name"] for row in ROWS if row["sort"] == sort]


def test_every_sort_is_there() -> None:
    sorts = set(db.list()["sort"].to_list())
    assert sorts == {
        "control",
        "short name",
        "recovery",
        "queue",
        "loss",
        "source",
        "rate control",
        "frames",
        "estimator",
        "classifier",
        "link",
        "workload",
        "size",
    }
    assert {"reno", "veno", "venodb", "cubic"} <= set(names("control"))
    assert {"reno", "newreno", "sack"} <= set(names("recovery"))
    assert "sarbe" in names("estimator") and "lded" in names("classifier")


@pytest.mark.parametrize("control", names("control") + names("short name"))
def test_every_control_is_taken_by_a_scenario(control: str) -> None:
    # RoVegas needs routers that report queueing delays.
    bottleneck = {
        "rate": "1 Mb/s",
        "delay": "9 ms",
        "queue": {"droptail": 9},
        "aqt": True,
    }
    access = {"rate": "10 Mb/s", "delay": "1 ms"}
    path = db.Scenario(
        {
            "duration": "1 s",
            "dumbbell": {"access": access, "bottleneck": bottleneck},
            "flow": [{"control": control}],
        }
    )
    assert len(db.run(path).flows) == 1


def test_a_parameter_has_its_default_and_range() -> None:
    rows = [row for row in db.parameters().rows() if row["sort"] == "control"]
    beta = next(row for row in rows if (row["of"], row["name"]) == ("veno", "beta"))
    assert beta["default"] == "3" and "segments from" in beta["range"]
    listed = {
        (row["name"], name)
        for row in ROWS
        if row["sort"] == "control" and row["parameters"]
        for name in row["parameters"].split(", ")
    }
    assert listed == {(row["of"], row["name"]) for row in rows}


def test_a_value_out_of_the_range_of_a_parameter_is_refused() -> None:
    for control, name, wrong in [("veno", "beta", -1), ("reno", "abc_limit", 256)]:
        with pytest.raises(db.ScenarioError):
            db.dumbbell(flows=[db.flow(control, parameters={name: wrong})])


def test_the_measures_are_the_columns_of_tables() -> None:
    runs = db.run(db.dumbbell(duration="1 s"))
    measures = list(db.measures().rows())
    for name, table in [("groups", runs.groups), ("flows", runs.flows), ("links", runs.links)]:
        of_table = [row for row in measures if name in row["tables"]]
        for row in of_table:
            assert table.units[row["name"]] == row["unit"]
        others = set(table.columns) - {row["name"] for row in of_table}
        assert others <= {"seed", "group", "flow", "link", "control", "recovery", "reconstructed"} | {
            "controls",
            "recoveries",
            "flows",
            "group_name",
        }, others


def test_the_page_of_measures_has_all_of_them() -> None:
    page = Path(__file__).parents[2] / "docs" / "measures.md"
    documented = re.findall(r"^\| `(\w+)` \|", page.read_text(), re.MULTILINE)
    assert set(db.measures()["name"].to_list()) <= set(documented)
