"""Figures of sweeps: lines, small multiples, maps, and points."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import dumbbell as db
from dumbbell.plot import _means, _words
from dumbbell.plot._style import look

LOSS, DELAY, CONTROL = "bottleneck.loss.bernoulli", "bottleneck.delay", "flow.main.control"


@pytest.fixture(scope="module")
def swept() -> db.Sweep:
    """Three controls, each with its recovery, on paths of four losses and three delays."""
    path = db.dumbbell(
        rate="2 Mb/s",
        delay="20 ms",
        buffer=20,
        loss=0.01,
        flows=[db.flow("veno", name="main")],
        duration="10 s",
    )
    return db.sweep(
        path,
        {LOSS: {"from": 0.001, "to": 0.1, "log": 4}, DELAY: ["10 ms", "40 ms", "160 ms"]},
        zip=[{CONTROL: ["veno", "reno", "cubic"], "flow.main.recovery": ["reno", "newreno", "sack"]}],
        repeat=4,
    )


def lines(ax) -> dict:
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def bars(ax) -> dict[float, float]:
    """Half the length of each vertical bar, by its place."""
    found = {}
    for container in ax.containers:
        for segment in container.lines[2][0].get_segments():
            (x, low), (_, high) = segment
            found[round(float(x), 12), container.lines[2][0].get_color()[0].tobytes()] = (high - low) / 2
    return found


def test_a_sweep_is_drawn_as_means_with_intervals(swept) -> None:
    ax = db.plot.sweep(swept, where={DELAY: 0.04})
    drawn = lines(ax)
    assert list(drawn) == ["veno", "reno", "cubic"]
    # The command's own summary has the same numbers, computed in Rust.
    summary = [row for row in swept.summary().rows() if row[DELAY] == 0.04]
    for name, line in drawn.items():
        rows = sorted(
            (row[LOSS], row["goodput"], row["goodput_ci95"]) for row in summary if row[CONTROL] == name
        )
        assert line.get_xdata() == pytest.approx([x for x, _, _ in rows])
        assert line.get_ydata() == pytest.approx([y / 1e6 for _, y, _ in rows])
    halves = sorted(row["goodput_ci95"] / 1e6 for row in summary)
    assert sorted(bars(ax).values()) == pytest.approx(halves, rel=1e-6)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("packet loss rate", "goodput (Mb/s)")
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear" and ax.get_ylim()[0] == 0
    assert {name: line.get_color() for name, line in drawn.items()} == {
        name: look(name).colour for name in drawn
    }


def test_a_path_that_is_left_over_makes_panels(swept) -> None:
    axes = db.plot.sweep(swept)
    titles = [ax.get_title("left") for ax in axes.flat if ax.get_visible()]
    assert titles == ["bottleneck delay 10 ms", "bottleneck delay 40 ms", "bottleneck delay 160 ms"]
    figure = axes.flat[0].figure
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("packet loss rate", "goodput (Mb/s)")
    assert len(figure.legends[0].get_texts()) == 3
    # All panels have one scale, and a curve has the same colour in each.
    assert len({ax.get_ylim() for ax in axes.flat if ax.get_visible()}) == 1
    top = max(line.get_ydata().max() for ax in axes.flat for line in ax.get_lines())
    assert axes[0, 0].get_ylim()[1] > top


def test_two_paths_make_columns_and_rows(swept) -> None:
    axes = db.plot.sweep(swept, facet=(CONTROL, DELAY), size="two")
    assert axes.shape == (3, 3)
    assert axes[0, 1].get_title("left") == "reno, bottleneck delay 10 ms"
    assert all(len(lines(ax)) + len(ax.get_lines()) >= 1 for ax in axes.flat)


def test_what_is_shown_nowhere_is_refused(swept) -> None:
    with pytest.raises(
        ValueError, match=r"`bottleneck.delay` has 3 values.*facet='bottleneck.delay'.*where="
    ):
        db.plot.sweep(swept, ax=plt.figure().subplots())
    with pytest.raises(ValueError, match="has 4 values that are not told apart"):
        db.plot.scatter(swept, x="queueing")


def test_paths_in_step_are_one(swept) -> None:
    # The recovery goes with the control, and is not left over.
    ax = db.plot.sweep(swept, where={DELAY: 0.01, LOSS: [0.001, 0.1]}, x=LOSS)
    assert len(lines(ax)) == 3


def test_numbers_as_curves_are_a_ramp_with_units(swept) -> None:
    ax = db.plot.sweep(swept, by=DELAY, where={CONTROL: "cubic"}, intervals="band")
    assert list(lines(ax)) == ["10 ms", "40 ms", "160 ms"]
    assert ax.figure.legends[0].get_title().get_text() == "bottleneck delay"
    assert len(ax.collections) == 3 and not ax.containers


def test_words_are_categories(swept) -> None:
    ax = db.plot.sweep(swept, x=CONTROL, by=LOSS, where={DELAY: 0.01})
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["veno", "reno", "cubic"]
    assert all(line.get_linestyle() == "None" for line in ax.get_lines())
    # Points of a category stand beside each other.
    assert len({round(x % 1, 6) for line in lines(ax).values() for x in line.get_xdata()}) == 4


def test_a_measure_of_runs_is_found_in_their_table(swept) -> None:
    with pytest.raises(
        ValueError, match=r"no table of this result has a column `godput`: did you mean `goodput`"
    ):
        db.plot.sweep(swept, y="godput")
    ax = db.plot.sweep(swept, y="utilisation", table="links", where={DELAY: 0.01, "link": "bottleneck"})
    assert ax.get_ylabel() == "utilisation (%)"
    assert 0 < max(line.get_ydata().max() for line in lines(ax).values()) <= 100


def test_a_single_run_has_no_interval(tidy) -> None:
    one = {name: column[::3] for name, column in tidy.items()}
    ax = db.plot.sweep(one)
    assert not ax.containers and len(lines(ax)) == 2


def test_missing_values_are_left_out(tidy) -> None:
    tidy["goodput"] = [
        None if seed == 2 else y for seed, y in zip(tidy["seed"], tidy["goodput"], strict=True)
    ]
    ax = db.plot.sweep(tidy)
    # Of seeds 1 and 3: 2 + 0.02 Mb/s at the first loss.
    assert lines(ax)["veno"].get_ydata()[0] == pytest.approx(2.02)


def test_intervals_worked_out_by_hand() -> None:
    mean = _means.of([1.0, 2.0, 3.0, 4.0, math.nan])
    # The variance of 1, 2, 3, 4 is 5/3, and t(3) = 3.182446.
    assert (mean.mean, mean.runs) == (2.5, 4)
    assert mean.half == pytest.approx(3.182446 * math.sqrt(5 / 3 / 4), rel=1e-6)
    assert math.isnan(_means.of([7.0]).half) and _means.of([]) is None


@pytest.mark.parametrize(
    ("degrees", "printed"),
    [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (19, 2.093), (30, 2.042), (120, 1.980), (3000, 1.961)],
)
def test_students_quantiles_are_those_of_printed_tables(degrees, printed) -> None:
    assert _means.student_t(degrees) == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize(
    ("unit", "values", "shown", "factor"),
    [
        ("bit/s", [1.9e6, 3e3], "Mb/s", 1e-6),
        ("bit/s", [998e3], "Mb/s", 1e-6),
        ("bit/s", [900e3], "kb/s", 1e-3),
        ("bit/s", [2e9], "Gb/s", 1e-9),
        ("s", [0.2], "ms", 1e3),
        ("s", [5e-6], "µs", 1e6),
        ("s", [12.0], "s", 1.0),
        ("s", [0.0], "s", 1.0),
        ("fraction", [0.5], "%", 100.0),
        ("index", [0.5], None, 1.0),
        ("segments", [20.0], "segments", 1.0),
        (None, [1.0], None, 1.0),
    ],
)
def test_units_are_shown_in_multiples_that_are_easily_read(unit, values, shown, factor) -> None:
    scale = _words.scale(unit, values)
    assert (scale.unit, scale.factor) == (shown, pytest.approx(factor))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("goodput", "goodput"),
        ("rtt_p95", "95th percentile of round-trip time"),
        ("queueing_p50", "median queueing delay"),
        ("bottleneck.delay", "bottleneck delay"),
        ("flow.main.control", "control of main"),
        ("hop2.rate", "hop2 rate"),
        ("bottleneck.queue.droptail", "buffer"),
        ("flow.main.control.beta", "flow main control beta"),
        ("my_own", "my own"),
    ],
)
def test_columns_have_names_in_plain_english(name, text) -> None:
    assert _words.words(name) == text


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([1, 10, 100], True),
        ([0.001, 0.002, 0.005, 0.01], True),
        ([10, 20, 30, 40], False),
        ([1, 2, 4], False),
        ([0, 1, 10, 100], False),
        ([1, 100], False),
        ([1, 2, 3, 4, 5, 6, 7, 8], False),
    ],
)
def test_an_axis_is_logarithmic_if_it_was_swept_by_ratios(values, log) -> None:
    assert _words.is_spaced_by_ratios(values) is log


def test_a_logarithmic_axis_can_be_chosen_if_it_is_possible(tidy) -> None:
    assert db.plot.sweep(tidy, log=False).get_xscale() == "linear"
    tidy["bottleneck.loss.bernoulli"] = [x - 0.001 for x in tidy["bottleneck.loss.bernoulli"]]
    with pytest.raises(ValueError, match="needs numbers above 0"):
        db.plot.sweep(tidy, log=True)


def test_a_map_has_a_cell_for_each_pair(swept) -> None:
    ax = db.plot.map(swept, where={CONTROL: "veno"})
    mesh = ax.collections[0]
    cells = np.asarray(mesh.get_array()).reshape(3, 4)
    means = {
        (row[DELAY], row[LOSS]): row["goodput"] / 1e6
        for row in swept.summary().rows()
        if row[CONTROL] == "veno"
    }
    wanted = [[means[d, x] for x in sorted({x for _, x in means})] for d in sorted({d for d, _ in means})]
    assert cells == pytest.approx(np.array(wanted))
    # The edges are halfway, in the logarithm where the axis is logarithmic.
    edges = mesh.get_coordinates()[0, :, 0]
    losses = sorted({x for _, x in means})
    assert edges[1] == pytest.approx(math.sqrt(losses[0] * losses[1]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("packet loss rate", "bottleneck delay (ms)")
    assert ax.figure.axes[-1].get_ylabel() == "goodput (Mb/s)"
    # Few cells have their numbers.
    assert ax.texts[0].get_text() == f"{wanted[0][0]:.2f}"
    assert not db.plot.map(swept, where={CONTROL: "veno"}, numbers=False).texts


def test_a_map_of_what_is_left_over_has_panels(swept) -> None:
    axes = db.plot.map(swept)
    assert [ax.get_title("left") for ax in axes.flat if ax.get_visible()] == ["veno", "reno", "cubic"]
    limits = {ax.collections[0].get_clim() for ax in axes.flat if ax.get_visible()}
    assert len(limits) == 1


def test_a_map_of_gains_meets_at_zero(swept) -> None:
    ax = db.plot.map(swept, gain=("cubic", "reno"))
    mesh = ax.collections[0]
    summary = {(row[CONTROL], row[DELAY], row[LOSS]): row["goodput"] for row in swept.summary().rows()}
    first = min(loss for _, _, loss in summary)
    gain = summary["cubic", 0.01, first] / summary["reno", 0.01, first] - 1
    assert np.asarray(mesh.get_array()).ravel()[0] == pytest.approx(100 * gain)
    low, high = mesh.get_clim()
    assert low == -high
    assert ax.figure.axes[-1].get_ylabel() == "goodput: cubic over reno (%)"
    with pytest.raises(ValueError, match="no column has both 'cubic' and 'vegas': there are"):
        db.plot.map(swept, gain=("cubic", "vegas"))


def test_cells_without_runs_are_empty(tidy) -> None:
    tidy[DELAY] = [0.01 if loss < 0.05 else 0.1 for loss in tidy[LOSS]]
    names = [DELAY, *(name for name in tidy if name != DELAY)]
    ax = db.plot.map({name: tidy[name] for name in names}, where={CONTROL: "veno"})
    cells = np.ma.asarray(ax.collections[0].get_array()).reshape(2, 4)
    assert cells.mask.tolist() == [[False, False, True, True], [True, True, False, False]]
    assert ax.patch.get_hatch()


def test_a_map_needs_two_paths(tidy) -> None:
    with pytest.raises(
        ValueError, match=r"has `bottleneck.loss.bernoulli` and `flow.main.control`|a map needs"
    ):
        db.plot.map(tidy, where={CONTROL: "veno"})


def test_points_have_intervals_both_ways_and_names(swept) -> None:
    where = {DELAY: 0.04, LOSS: 0.1}
    ax = db.plot.scatter(swept, x="queueing", where=where)
    summary = {
        row[CONTROL]: row
        for row in swept.summary().rows()
        if row[DELAY] == 0.04 and row[LOSS] == pytest.approx(0.1)
    }
    assert sorted(text.get_text() for text in ax.texts) == sorted(summary)
    for container, (name, row) in zip(ax.containers, summary.items(), strict=True):
        point = container.lines[0]
        assert point.get_xdata()[0] == pytest.approx(row["queueing"] * 1e3)
        assert point.get_ydata()[0] == pytest.approx(row["goodput"] / 1e3)
        across, up = (bar.get_segments()[0] for bar in container.lines[2])
        assert (across[1][0] - across[0][0]) / 2 == pytest.approx(row["queueing_ci95"] * 1e3, rel=1e-6)
        assert (up[1][1] - up[0][1]) / 2 == pytest.approx(row["goodput_ci95"] / 1e3, rel=1e-6)
        assert point.get_color() == look(name).colour
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("queueing delay (ms)", "goodput (kb/s)")
    with_legend = db.plot.scatter(swept, x="queueing", where=where, names=False)
    assert not with_legend.texts and len(with_legend.figure.legends[0].get_texts()) == 3


def test_names_of_points_do_not_cover_each_other() -> None:
    names = ["veno", "venodb", "cubic", "vegas", "reno", "westwood"]
    table = {
        "control": names,
        "rtt": [0.1, 0.1002, 0.1004, 0.1001, 0.12, 0.1003],
        "goodput": [1e6, 1.001e6, 1.002e6, 0.999e6, 1.1e6, 1.003e6],
    }
    ax = db.plot.scatter(table, x="rtt")
    ax.figure.draw_without_rendering()
    # The box of an annotation has its line in it.
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            wide = min(one.x1, other.x1) - max(one.x0, other.x0)
            high = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert wide <= 2 or high <= 2, (one, other)


def test_runs_of_one_scenario_can_be_compared_by_group(path) -> None:
    runs = db.run(
        db.dumbbell(
            rate="2 Mb/s", delay="10 ms", buffer=20, loss=0.01, flows=["veno", "cubic"], duration="5 s"
        ),
        seeds=range(3),
    )
    ax = runs.plot.sweep()
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["veno", "cubic"]
