import numpy as np
import pytest

import dumbbell as db

LOSSES = [0.001, 0.01]
GRID = {"bottleneck.loss.bernoulli": LOSSES, "flow.main.control": ["reno", "veno"]}


def test_a_sweep_is_every_combination_with_every_seed(path):
    sweep = db.sweep(path, GRID, repeat=3)
    assert sweep.paths == list(GRID)
    assert len(sweep) == len(sweep.groups) == 12
    assert sweep.groups["bottleneck.loss.bernoulli"].to_list() == [0.001] * 6 + [0.01] * 6
    assert sweep.groups["flow.main.control"].to_list() == (["reno"] * 3 + ["veno"] * 3) * 2
    assert len(sweep.summary()) == 4
    assert sweep.summary()["runs"].to_list() == [3] * 4
    # A point is the scenario with its values.
    point = path.set({"bottleneck.loss.bernoulli": 0.01, "flow.main.control": "veno"})
    seeds = [path.seed, path.seed + 1, path.seed + 2]
    assert sweep.groups["seed"].to_list() == seeds * 4
    assert sweep.groups["goodput"].to_list()[-3:] == db.run(point, seeds=seeds).groups["goodput"].to_list()


def test_axes_have_the_order_in_which_they_are_given(path):
    for grid in [GRID, dict(reversed(GRID.items()))]:
        sweep = db.sweep(path, grid, repeat=1)
        assert sweep.paths == list(grid)
        # The first one is the slowest.
        assert sweep.groups[sweep.paths[0]][0] == sweep.groups[sweep.paths[0]][1]
    with pytest.raises(TypeError, match="a path is a string"):
        db.sweep(path, {3: [1]})  # type: ignore[dict-item]


def test_the_table_of_a_file_is_used_and_what_is_given_replaces_it(path):
    text = path.to_toml() + '\n[sweep]\nrepeat = 2\n[sweep.grid]\nbottleneck.delay = ["5 ms", "9 ms"]\n'
    scenario = db.Scenario.parse(text)
    assert len(db.sweep(scenario)) == 4
    assert len(db.sweep(scenario, repeat=3)) == 6
    assert db.sweep(scenario, {"bottleneck.delay": ["7 ms"]}).groups["bottleneck.delay"][0] == 0.007


def test_ranges_zips_conditions_and_measures(path):
    sweep = db.sweep(
        path,
        {"bottleneck.delay": {"from": "10 ms", "to": "1 s", "log": 3}},
        zip=[{"flow.main.control": ["veno", "cubic"], "flow.main.recovery": ["reno", "sack"]}],
        where="bottleneck.delay < 500 ms",
        measures=[{"name": "speed", "label": "goodput, bit/s", "quantity": "goodput"}],
        repeat=1,
    )
    assert len(sweep) == 4
    assert set(sweep.groups["recovery"]) == {"reno", "sack"}
    assert sweep.runs["speed"].to_list() == sweep.groups["goodput"].to_list()
    np.testing.assert_allclose(sorted(set(sweep.groups["bottleneck.delay"])), [0.01, 0.1])


def test_until_runs_as_often_as_an_interval_needs(path):
    sweep = db.sweep(path, until={"measure": "goodput", "interval": "5 %", "at_most": 300})
    summary = sweep.summary()
    assert summary["runs"][0] > 5
    assert summary["goodput_ci95"][0] <= 0.05 * summary["goodput"][0]
    assert sweep.wide == []
    wide = db.sweep(path, until={"measure": "goodput", "interval": "0.01 %", "at_most": 6})
    assert wide.wide == [0]


def test_only_what_is_missing_runs(path, tmp_path):
    store = tmp_path / "runs.sqlite"
    first = db.sweep(path, GRID, repeat=2, store=store)
    assert (first.taken, first.computed) == (0, 8)
    more = db.sweep(path, {**GRID, "bottleneck.loss.bernoulli": [*LOSSES, 0.05]}, repeat=2, store=store)
    assert (more.taken, more.computed) == (8, 4)


def test_single_flows_have_a_table_if_it_is_short_or_asked_for(path):
    assert len(db.sweep(path, repeat=2).flows) == 2
    with pytest.raises(db.Error, match="flows=True"):
        _ = db.sweep(path, repeat=2, flows=False).flows


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"grid": {"bottleneck.los": [1]}}, "did you mean `loss`"),
        ({"grid": {"bottleneck.delay": []}}, "has no values"),
        ({"where": "bdp >"}, "a value is expected here"),
        ({"repeat": 0}, "at least 1"),
        ({"until": {"measure": "goodputt", "interval": "2 %"}}, "did you mean `goodput`"),
        ({"seeds": "uncommon"}, "common"),
    ],
)
def test_a_mistake_is_shown_where_it_is(path, wrong, message):
    with pytest.raises(db.ScenarioError, match=message):
        db.sweep(path, **wrong)
