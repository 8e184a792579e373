"""Tables that are wrong, odd, or empty."""

from __future__ import annotations

import io

import numpy as np
import pytest

import dumbbell as db

SAMPLES = {
    "time_s": [0.0, 1.0, 2.0],
    "subject": ["a", "a", "a"],
    "quantity": ["cwnd", "cwnd", "cwnd"],
    "value": [1.0, 2.0, 3.0],
}
OVER_TIME = ["windows", "throughput", "queue", "rtt", "delay", "fairness"]


@pytest.mark.parametrize("draw", OVER_TIME)
@pytest.mark.parametrize("wrong", [None, 3, "text", [1, 2], object()])
def test_what_is_no_table_is_refused(draw, wrong) -> None:
    with pytest.raises(TypeError, match=r"has no table `samples`: pass a result of dumbbell.run"):
        getattr(db.plot, draw)(wrong)


@pytest.mark.parametrize("draw", ["sweep", "map", "scatter"])
@pytest.mark.parametrize("wrong", [None, 3, "text", [1, 2]])
def test_what_is_no_sweep_is_refused(draw, wrong) -> None:
    with pytest.raises(TypeError, match="has no table `groups`"):
        getattr(db.plot, draw)(wrong)


@pytest.mark.parametrize("missing", SAMPLES)
def test_a_missing_column_is_named(missing) -> None:
    table = {name: column for name, column in SAMPLES.items() if name != missing}
    with pytest.raises(ValueError, match=f"there is no column `{missing}`"):
        db.plot.windows(table)


@pytest.mark.parametrize("draw", [*OVER_TIME, "sweep", "scatter", "map", "shares"])
@pytest.mark.parametrize(
    "table", [{}, {name: [] for name in SAMPLES}, {"goodput": [], "seed": [], "flow": []}]
)
def test_empty_tables_are_refused(draw, table) -> None:
    with pytest.raises((ValueError, TypeError)):
        getattr(db.plot, draw)(table)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="different lengths: `value` has 2 values"):
        db.plot.windows({**SAMPLES, "value": [1.0, 2.0]})


@pytest.mark.parametrize("column", [3, "abc", None])
def test_a_column_that_is_no_list_is_refused(column) -> None:
    with pytest.raises((TypeError, ValueError), match="`value`"):
        db.plot.windows({**SAMPLES, "value": column})


def test_words_where_numbers_are_needed_are_refused(tidy) -> None:
    with pytest.raises(ValueError, match="`value` has words"):
        db.plot.windows({**SAMPLES, "value": ["1", "2", "3"]})
    with pytest.raises(ValueError, match="`goodput` has values that are no numbers"):
        db.plot.sweep({**tidy, "goodput": [object()] * 24})


@pytest.mark.parametrize("y", [3, None, ["goodput"], b"goodput"])
def test_a_column_is_named_by_a_text(tidy, y) -> None:
    with pytest.raises(TypeError, match="named by a text"):
        db.plot.sweep(tidy, y=y)


def test_values_without_a_number_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match=r"no samples of `cwnd`|no numbers"):
        db.plot.windows({**SAMPLES, "value": [None, float("nan"), float("inf")]})


@pytest.mark.parametrize("value", [0.0, 1e-300, 1e300, -5.0])
def test_any_number_can_be_drawn(value) -> None:
    for quantity, draw in (("cwnd", db.plot.windows), ("rtt", db.plot.rtt), ("rate", db.plot.throughput)):
        ax = draw({**SAMPLES, "quantity": [quantity] * 3, "value": [value] * 3})
        ax.figure.canvas.draw()


@pytest.mark.parametrize(
    "name",
    [
        "$x_1$",
        r"$\nothing$",
        "$",
        "_hidden",
        "a\nb",
        "\N{GREEK SMALL LETTER BETA}",
        "x" * 200,
        "<b>&amp;",
        "%s {0}",
        "",
        " ",
    ],
)
def test_flows_may_have_any_name(name) -> None:
    table = {
        "time_s": [0.0, 1.0] * 2,
        "subject": [name, name, "other", "other"],
        "quantity": ["cwnd"] * 4,
        "value": [1.0, 2.0, 3.0, 4.0],
    }
    for facet in (False, True):
        axes = db.plot.windows(table, facet=facet)
        figure = axes.flat[0].figure if facet else axes.figure
        for kind in ("svg", "pdf"):
            figure.savefig(io.BytesIO(), format=kind)
        if not facet:
            shown = [
                "".join(text.get_text().replace("\\", "").split()) for text in figure.legends[0].get_texts()
            ]
            assert shown == ["".join(name.replace("\\", "").split()) or "(noname)", "other"]


def test_controls_may_have_any_name(tidy) -> None:
    control = "flow.main.control"
    odd = {"veno": "$beta$", "cubic": "_own"}
    table = {**tidy, control: [odd[each] for each in tidy[control]]}
    for axes in (
        db.plot.sweep(table),
        db.plot.sweep(table, x=control, by="bottleneck.loss.bernoulli"),
        db.plot.map(table, x=control, y="bottleneck.loss.bernoulli"),
        db.plot.sweep(table, facet=control),
    ):
        figure = axes.flat[0].figure if isinstance(axes, np.ndarray) else axes.figure
        figure.savefig(io.BytesIO(), format="svg")


def test_where_says_what_there_is(tidy) -> None:
    with pytest.raises(ValueError, match=r"no row has 'vneo' in `flow.main.control`: did you mean `veno`"):
        db.plot.sweep(tidy, where={"flow.main.control": "vneo"})
    with pytest.raises(
        ValueError, match=r"no row has 0.02 in `bottleneck.loss.bernoulli`: there are 0.001, 0.01, 0.1"
    ):
        db.plot.sweep(tidy, where={"bottleneck.loss.bernoulli": 0.02})
    with pytest.raises(ValueError, match=r"no column `loss`: did you mean `bottleneck.loss.bernoulli`"):
        db.plot.sweep(tidy, where={"loss": 0.1})


def test_too_many_panels_are_refused() -> None:
    many = list(range(101))
    table = {
        "hop.rate": [float(n) for n in many for _ in "ab"],
        "hop.delay": [0.1, 0.2] * 101,
        "seed": [1] * 202,
        "goodput": [1e6] * 202,
    }
    with pytest.raises(ValueError, match="101 panels cannot be read"):
        db.plot.sweep(table, x="hop.delay", facet="hop.rate")
    with pytest.raises(ValueError, match="at most two paths make panels"):
        db.plot.sweep(table, facet=("hop.rate", "hop.delay", "seed"))


def test_wrong_options_are_explained(tidy) -> None:
    with pytest.raises(ValueError, match='"bars", "band" or None'):
        db.plot.sweep(tidy, intervals="whiskers")
    with pytest.raises(ValueError, match="write two values of one column"):
        db.plot.map(tidy, gain="veno")
