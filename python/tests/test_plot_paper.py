"""The papers' figures, why windows were cut, and how results show themselves."""

from __future__ import annotations

import pickle
import re
import xml.etree.ElementTree
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

import dumbbell as db
from dumbbell.plot import _paper
from dumbbell.plot._style import look


@pytest.fixture(scope="module")
def venodb() -> db.Reproduction:
    return db.reproduce("venodb-fig2", "venodb-fig6", quick=True)


def lines(ax) -> dict:
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def test_a_papers_figure_has_its_curves_with_intervals(venodb) -> None:
    ax = venodb.plot("venodb-fig2")
    drawn = lines(ax)
    rows = list(venodb.drawings["venodb-fig2"].table.rows())
    assert list(drawn) == ["VenoDB", "Veno", "WestwoodNR", "NewReno"]
    for name, line in drawn.items():
        own = [row for row in rows if row["curve"] == name]
        assert line.get_xdata().tolist() == [row["x"] for row in own]
        assert line.get_ydata().tolist() == [row["mean"] for row in own]
        assert line.get_color() == look(name).colour
    wide = sorted(row["high"] - row["low"] for row in rows if row["high"] > row["low"])
    segments = [segment for bar in ax.containers for segment in bar.lines[2][0].get_segments()]
    assert sorted(high - low for (_, low), (_, high) in segments) == pytest.approx(wide)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("packet loss rate", "throughput (kb/s)")
    assert ax.get_xscale() == "log"


def test_printed_gains_stand_over_the_curves_that_they_compare(venodb) -> None:
    ax = venodb.plot("venodb-fig2")
    at = 0.02
    mean = {
        row["curve"]: row["mean"] for row in venodb.drawings["venodb-fig2"].table.rows() if row["x"] == at
    }
    printed = [line for line in ax.get_lines() if line.get_label() == "_VenoDB printed"]
    # The paper's section 4.1: 35.7, 38.6 and 76.8 % over Veno, WestwoodNR and NewReno.
    gains = {"Veno": 35.7, "WestwoodNR": 38.6, "NewReno": 76.8}
    found = {line.get_markeredgecolor(): (line.get_xdata()[0], line.get_ydata()[0]) for line in printed}
    for name, gain in gains.items():
        assert found[look(name).colour] == (at, pytest.approx(mean[name] * (1 + gain / 100)))
    assert len(printed) == 3
    assert ax.get_ylim()[1] > max(line.get_ydata()[0] for line in printed)
    assert "VenoDB by the printed gains" in [text.get_text() for text in ax.figure.legends[0].get_texts()]
    without = venodb.plot("venodb-fig2", printed=False)
    assert not [line for line in without.get_lines() if "printed" in line.get_label()]


def test_a_wrong_name_is_answered_with_the_nearest(venodb) -> None:
    with pytest.raises(ValueError, match="no figure `venodb-fig3`: did you mean `venodb-fig"):
        venodb.plot("venodb-fig3")
    with pytest.raises(TypeError, match=r"has no drawings: pass a result of dumbbell.reproduce"):
        db.plot.figure({})


def test_every_drawing_of_the_papers_can_be_drawn() -> None:
    # Curves, bars, maps, samples over time, epochs, named places, no x axis.
    names = [
        "dynamics-fig4a",
        "dynamics-fig9",
        "tfrc-veno-fig3a",
        "rovegas-fig8",
        "sarbe-fig3b",
        "venodb-ablation",
    ]
    papers = db.reproduce(*names, quick=True)
    kinds = set()
    for drawing in papers.drawings.values():
        if drawing.kind == "table":
            continue
        kinds.add(drawing.kind)
        axes = papers.plot(drawing.name)
        ax = axes if not isinstance(axes, np.ndarray) else axes.flat[0]
        ax.figure.canvas.draw()
        assert ax.has_data(), drawing.name
        plt.close(ax.figure)
    assert kinds >= {"curves", "samples"}


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("throughput, kb/s", "throughput (kb/s)"),
        ("bandwidth, Mb/s", "bandwidth (Mb/s)"),
        ("packet loss rate", "packet loss rate"),
        ("goodput, % of the bottleneck's capacity", "goodput, % of the bottleneck's capacity"),
        ("time, s", "time (s)"),
    ],
)
def test_units_stand_in_brackets(label, shown) -> None:
    assert _paper.with_unit(label) == shown


def a_map() -> SimpleNamespace:
    table = {
        "curve": ["0.1", "0.1", "0.2", "0.2"],
        "x": [1.0, 2.0, 1.0, 2.0],
        "place": [None] * 4,
        "mean": [1.0, 2.0, 3.0, 4.0],
        "low": [1.0, 2.0, 3.0, 4.0],
        "high": [1.0, 2.0, 3.0, 4.0],
    }
    drawing = SimpleNamespace(
        figure="f",
        name="f",
        title="t",
        kind="map",
        x_label="beta, s",
        y_label="goodput, kb/s",
        log_x=False,
        table=table,
    )
    figures = {"f": SimpleNamespace(about={"y": "theta"})}
    return SimpleNamespace(drawings={"f": drawing}, claims={}, figures=figures)


def test_a_map_of_a_paper_has_rows_and_columns() -> None:
    ax = db.plot.figure(a_map())
    assert np.asarray(ax.collections[0].get_array()).ravel().tolist() == [1, 2, 3, 4]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("beta (s)", "theta")
    assert ax.figure.axes[-1].get_ylabel() == "goodput (kb/s)"


EVENTS = {
    "time_s": [1.0, 2.0, 3.0, 3.5],
    "name": ["a", "a", "a", "b"],
    "kind": ["reduction", "spared", "reduction", "reduction"],
    "branch": ["random loss", "random loss", "timeout", "loss"],
    "cwnd_before": [10.0, 9.0, 12.0, 5.0],
    "cwnd_after": [8.0, 9.0, 1.0, 2.5],
}


def test_reductions_are_marked_by_their_branch() -> None:
    ax = db.plot.why(EVENTS)
    drawn = lines(ax)
    assert list(drawn) == ["random loss (1)", "timeout (1)"]
    assert (drawn["timeout (1)"].get_xdata()[0], drawn["timeout (1)"].get_ydata()[0]) == (3, 12)
    # The curve goes from each window after a reduction to the next one before.
    assert ax.get_lines()[0].get_xdata().tolist() == [1, 1, 3, 3]
    assert ax.get_lines()[0].get_ydata().tolist() == [10, 8, 12, 1]
    assert ax.get_ylabel() == "window of a (segments)"
    cuts = [segment.tolist() for one in ax.collections for segment in one.get_segments()]
    assert cuts == [[[1, 8], [1, 10]], [[3, 1], [3, 12]]]


def test_an_explanation_of_another_flow_or_time_is_refused() -> None:
    with pytest.raises(ValueError, match="no flow `c`: there are a, b"):
        db.plot.why(EVENTS, flow="c")
    with pytest.raises(ValueError, match="no window was reduced between 10"):
        db.plot.why(EVENTS, between=(10, 20))
    with pytest.raises(ValueError, match="no column `time_s`"):
        db.plot.why({"a": [1]})


def test_results_have_the_figures_that_fit_them(path, venodb) -> None:
    runs = db.run(path, seeds=range(2))
    assert type(runs.plot).__name__ == "RunPlots" and "windows" in repr(runs.plot)
    assert runs.plot().get_ylabel() == runs.plot.windows().get_ylabel()
    for name in ("throughput", "queue", "rtt", "delay", "shares", "scatter"):
        assert hasattr(runs.plot, name)
    sweep = db.sweep(path, {"bottleneck.delay": ["5 ms", "10 ms", "20 ms"]}, repeat=2)
    assert type(sweep.plot).__name__ == "SweepPlots"
    assert sweep.plot(y="rtt").get_ylabel() == "round-trip time (ms)"
    assert type(venodb.plot).__name__ == "ReproductionPlots"
    assert pickle.loads(pickle.dumps(db.plot.sweep(sweep).figure)).axes
    with pytest.raises(TypeError, match="has no figures"):
        db.plot.accessor(3)


def test_a_notebook_shows_a_small_picture(path, venodb) -> None:
    many = db.dumbbell(
        rate="10 Mb/s",
        delay="20 ms",
        buffer=50,
        loss=0.001,
        flows=[db.flow("veno", count=40)],
        duration="300 s",
        probe={"interval": "10 ms", "values": ["cwnd"]},
    )
    busy = db.run(many)
    assert len(busy.samples) > 1_000_000
    before = plt.get_fignums()
    for result in (
        db.run(path),
        busy,
        db.sweep(
            path,
            {
                "bottleneck.delay": ["5 ms", "10 ms"],
                "bottleneck.loss.bernoulli": [0.01, 0.02, 0.03],
                "flow.main.control": ["veno", "reno"],
            },
            repeat=2,
        ),
        venodb,
    ):
        svg = db.plot.picture(result)
        assert 1000 < len(svg) < 80_000
        root = xml.etree.ElementTree.fromstring(svg)
        assert root.tag.endswith("svg")
        texts = [text for text in root.itertext() if text.strip()]
        assert any("(" in text for text in texts), "an axis has a unit"
        assert svg in db.plot.html(result) and "<table" in db.plot.html(result)
    # pyplot would show its figures once more.
    assert plt.get_fignums() == before
    assert "the first 6 of 40 flows" in db.plot.picture(busy)


def test_a_picture_is_the_same_each_time(path) -> None:
    runs = db.run(path)
    assert db.plot.picture(runs) == db.plot.picture(runs)
    assert not re.search(r"\d\.\d\d", db.plot.picture(runs).split("<path", 1)[1].split("/>")[0])


def test_a_result_without_a_picture_is_a_table(path) -> None:
    assert db.plot.picture(db.run(path, samples=False)) == ""
