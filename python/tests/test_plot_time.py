"""Figures over time: windows, rates, queues, round-trip times, their distribution, and fairness."""

from __future__ import annotations

import time

import matplotlib.pyplot as plt
import numpy as np
import pytest

import dumbbell as db
from dumbbell.plot._decimate import decimated
from dumbbell.plot._delay import quantiles
from dumbbell.plot._fairness import over_time
from dumbbell.plot._style import look
from dumbbell.plot._time import means_over


@pytest.fixture(scope="module")
def runs() -> db.Runs:
    """Two flows on a lossy path, three seeds."""
    path = db.dumbbell(
        rate="2 Mb/s",
        delay="20 ms",
        buffer=12,
        loss=0.005,
        flows=[db.flow("venodb", name="long"), db.flow("reno", recovery="newreno", name="other")],
        duration="20 s",
    )
    return db.run(path, seeds=[3, 4, 5], samples="all")


def lines(ax) -> dict:
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def of(runs: db.Runs, quantity: str, subject: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rows = [
        (row["time_s"], row["value"])
        for row in runs.samples.rows()
        if (row["quantity"], row["subject"], row["seed"]) == (quantity, subject, seed)
        and row["value"] is not None
    ]
    return tuple(np.array(rows).T)


def test_windows_are_the_samples_of_the_first_run(runs) -> None:
    ax = db.plot.windows(runs)
    drawn = lines(ax)
    assert list(drawn) == ["long", "other"]
    for name, line in drawn.items():
        x, y = of(runs, "cwnd", name, 3)
        assert np.array_equal(line.get_xdata(), x) and np.array_equal(line.get_ydata(), y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "congestion window (segments)")
    assert drawn["long"].get_color() == look("venodb").colour
    assert drawn["other"].get_color() == look("reno").colour
    assert ax.get_ylim()[0] == 0
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["long", "other"]


def test_a_seed_and_a_flow_can_be_chosen(runs) -> None:
    drawn = lines(db.plot.windows(runs, "other", seed=5))
    _, y = of(runs, "cwnd", "other", 5)
    assert list(drawn) == ["other"]
    assert np.array_equal(drawn["other"].get_ydata(), y)
    with pytest.raises(ValueError, match=r"no row has 9 in `seed`: there are 3, 4, 5"):
        db.plot.windows(runs, seed=9)


def test_a_part_of_the_time_can_be_cut_out(runs) -> None:
    x = lines(db.plot.windows(runs, between=(5, 8)))["long"].get_xdata()
    assert x[0] == pytest.approx(5) and x[-1] == pytest.approx(8) and len(x) == 31
    for wrong in [(8, 5), (5, 5), 5, (1, 2, 3), ("a", "b")]:
        with pytest.raises(ValueError, match="between = "):
            db.plot.windows(runs, between=wrong)
    with pytest.raises(ValueError, match="no samples of `cwnd` between"):
        db.plot.windows(runs, between=(100, 200))


def test_each_flow_can_have_a_panel(runs) -> None:
    axes = db.plot.windows(runs, facet=True, threshold=True)
    assert axes.shape == (2, 1) and [ax.get_title("left") for ax in axes.flat] == ["long", "other"]
    assert all(len(ax.get_lines()) == 2 for ax in axes.flat)
    assert axes[0, 0].figure.get_supxlabel() == "time (s)"
    _, threshold = of(runs, "ssthresh", "long", 3)
    assert np.array_equal(axes[0, 0].get_lines()[1].get_ydata(), threshold)


def test_given_axes_are_drawn_into(runs) -> None:
    figure, ax = plt.subplots()
    assert db.plot.windows(runs, ax=ax) is ax
    assert ax.get_legend() is not None and not figure.legends
    with pytest.raises(ValueError, match="leave ax out"):
        db.plot.windows(runs, facet=True, ax=ax)
    with pytest.raises(TypeError, match="matplotlib Axes"):
        db.plot.windows(runs, ax=figure)


def test_throughput_is_the_mean_rate_in_readable_units(runs) -> None:
    ax = db.plot.throughput(runs, every=1.0)
    assert ax.get_ylabel() == "rate at the receiver (Mb/s)"
    line = lines(ax)["long"]
    _, y = of(runs, "rate", "long", 3)
    # The samples of the first second are those at 0.1 to 1.0 s, each of the time before it.
    assert line.get_ydata()[0] == pytest.approx(y[:10].mean() / 1e6, rel=1e-12)
    assert line.get_xdata()[0] == pytest.approx(0, abs=1e-9)
    # What arrived in all is what is below the curve.
    area = np.sum(np.diff(line.get_xdata()) * line.get_ydata()[:-1])
    assert area == pytest.approx(y.sum() * 0.1 / 1e6, rel=1e-9)
    assert line.get_drawstyle() == "steps-post"


def test_means_over_steps_worked_out_by_hand() -> None:
    x, y = means_over(np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 4, 6, 8, 100]), 2)
    assert x.tolist() == [0, 2, 4, 5] and y.tolist() == [3, 7, 100, 100]


@pytest.mark.parametrize("every", [0, -1, float("nan"), float("inf")])
def test_a_step_without_length_is_refused(runs, every) -> None:
    for draw in (db.plot.throughput, db.plot.fairness):
        with pytest.raises(ValueError, match="every = "):
            draw(runs, every=every)


def test_queues_are_those_in_which_packets_wait(runs) -> None:
    ax = db.plot.queue(runs)
    _, y = of(runs, "queue", "bottleneck", 3)
    assert np.array_equal(ax.get_lines()[0].get_ydata(), y) and y.max() == 12
    assert ax.get_ylabel() == "queue (packets)"
    both = lines(db.plot.queue(runs, ["bottleneck", "bottleneck.reverse"]))
    assert list(both) == ["bottleneck", "bottleneck.reverse"]


def test_round_trip_times_are_in_milliseconds(runs) -> None:
    ax = db.plot.rtt(runs, "long")
    _, y = of(runs, "rtt", "long", 3)
    assert ax.get_ylabel() == "round-trip time (ms)"
    assert ax.get_lines()[0].get_ydata() == pytest.approx(y * 1000)


def test_an_unknown_flow_is_answered_with_the_nearest(runs) -> None:
    with pytest.raises(ValueError, match="no `lonk` with samples of `cwnd`: did you mean `long`"):
        db.plot.windows(runs, "lonk")
    with pytest.raises(ValueError, match=r"no samples of `rate`.*\[probe\] samples cwnd"):
        few = {"time_s": [0], "subject": ["a"], "quantity": ["cwnd"], "value": [1]}
        db.plot.throughput(few)


def test_runs_without_samples_say_how_to_get_them(path) -> None:
    with pytest.raises(ValueError, match=r"empty|samples="):
        db.plot.windows(db.run(path, samples=False))


def test_all_kinds_of_tables_give_the_same_curve(runs) -> None:
    wanted = lines(db.plot.windows(runs))["long"].get_ydata()
    samples = runs.samples
    for table in (samples, samples.to_pandas(), samples.to_polars(), samples.to_arrow(), samples.to_dict()):
        drawn = lines(db.plot.windows(table))["long"]
        assert np.array_equal(drawn.get_ydata(), wanted), type(table)


def test_fewer_points_have_the_same_peaks() -> None:
    random = np.random.default_rng(1)
    x = np.sort(random.uniform(0, 100, 100_000))
    y = random.normal(size=100_000)
    y[12_345] = 99
    fewer_x, fewer_y = decimated(x, y, 500)
    assert len(fewer_x) <= 2000 and np.all(np.diff(fewer_x) >= 0)
    assert (fewer_x[0], fewer_x[-1]) == (x[0], x[-1])
    places = np.minimum(((x - x[0]) / (x[-1] - x[0]) * 500).astype(int), 499)
    fewer = np.minimum(((fewer_x - x[0]) / (x[-1] - x[0]) * 500).astype(int), 499)
    for column in range(500):
        here, kept = y[places == column], fewer_y[fewer == column]
        assert (kept.min(), kept.max()) == (here.min(), here.max())
    # Every point that is kept is one of those that were given.
    assert set(zip(fewer_x, fewer_y, strict=True)) <= set(zip(x, y, strict=True))


def test_fewer_points_are_the_same_picture() -> None:
    random = np.random.default_rng(2)
    x, y = np.arange(300_000.0), np.cumsum(random.normal(size=300_000))

    def pixels(x, y):
        figure = plt.figure(figsize=(3, 2), dpi=100)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.plot(x, y, linewidth=1, antialiased=False)
        ax.set_xlim(0, 3e5)
        figure.canvas.draw()
        seen = np.asarray(figure.canvas.buffer_rgba())[..., 0] < 128
        plt.close(figure)
        return seen

    all_of_them, fewer = pixels(x, y), pixels(*decimated(x, y, 900))
    assert all_of_them.sum() > 1000
    assert (all_of_them != fewer).sum() <= 0.01 * all_of_them.sum()


def test_ten_million_samples_are_drawn_in_seconds() -> None:
    count = 10_000_000
    names = np.array(["a", "b"], dtype=object)
    table = {
        "time_s": np.repeat(np.arange(count // 2) / 1e4, 2),
        "subject": np.tile(names, count // 2),
        "quantity": np.full(count, "cwnd", dtype=object),
        "value": np.random.default_rng(3).uniform(1, 100, count),
    }
    table["value"][1_234_567] = 1000.0
    start = time.perf_counter()
    ax = db.plot.windows(table)
    ax.figure.canvas.draw()
    took = time.perf_counter() - start
    assert sum(len(line.get_xdata()) for line in ax.get_lines()) <= 2 * 4 * 1050
    assert max(line.get_ydata().max() for line in ax.get_lines()) == 1000
    # It takes about 3 s on one core of the year 2020; the rest is for busy machines.
    assert took < 20


def test_samples_that_are_out_of_order_or_missing_are_drawn_in_order() -> None:
    table = {
        "time_s": [2.0, 0.0, 1.0, 3.0],
        "subject": ["a"] * 4,
        "quantity": ["cwnd"] * 4,
        "value": [3.0, 1.0, None, float("inf")],
    }
    line = db.plot.windows(table).get_lines()[0]
    assert line.get_xdata().tolist() == [0, 2] and line.get_ydata().tolist() == [1, 3]


def test_a_distribution_worked_out_by_hand() -> None:
    delays, fraction = quantiles(np.array([1.0, 2.0, 2.0, 5.0]))
    assert delays.tolist() == [1, 1, 2, 2, 5]
    assert fraction.tolist() == [0, 0.25, 0.5, 0.75, 1]
    delays, fraction = quantiles(np.array([1.0, 2.0, 2.0, 5.0]), tail=True)
    assert delays.tolist() == [1, 2, 2] and fraction.tolist() == [0.75, 0.5, 0.25]


@pytest.mark.parametrize("tail", [False, True])
def test_a_long_distribution_keeps_its_quantiles_and_its_ends(tail) -> None:
    y = np.sort(np.random.default_rng(4).exponential(size=100_000))
    delays, fraction = quantiles(y, tail)
    assert len(delays) <= 1001
    for delay, part in zip(delays[1::50], fraction[1::50], strict=True):
        assert part == pytest.approx((y > delay).mean() if tail else (y <= delay).mean(), abs=1e-12)
    assert delays[-1] == (y[-2] if tail else y[-1])


def test_delays_are_drawn_as_a_distribution(runs) -> None:
    ax = db.plot.delay(runs)
    _, y = of(runs, "rtt", "long", 3)
    line = lines(ax)["long"]
    assert line.get_xdata()[-1] == pytest.approx(y.max() * 1000) and line.get_ydata()[-1] == 1
    half = line.get_xdata()[np.argmax(line.get_ydata() >= 0.5)]
    assert half == pytest.approx(np.sort(y)[(len(y) + 1) // 2 - 1] * 1000)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round-trip time (ms)", "fraction of samples")
    assert db.plot.delay(runs, tail=True).get_yscale() == "log"


def test_any_table_of_delays_has_a_distribution() -> None:
    packets = {"flow": ["a", "a", "b"], "wait": [0.001, 0.003, None]}
    ax = db.plot.delay(packets, "a", value="wait")
    assert ax.get_xlabel() == "waiting time (ms)"
    assert ax.get_lines()[0].get_xdata().tolist() == [1, 1, 3]
    with pytest.raises(ValueError, match="`wait` has no numbers"):
        db.plot.delay(packets, "b", value="wait")


def test_jains_index_over_time_worked_out_by_hand() -> None:
    x = np.array([1.0, 2, 3, 4])
    one, other = np.array([1.0, 1, 2, 0]), np.array([1.0, 3, 2, 0])
    edges, index = over_time([(x, one), (x, other)], 1.0)
    assert edges.tolist() == [0, 1, 2, 3, 4]
    # Shares of 1 and 3 have (1 + 3)^2 / (2 (1 + 9)) = 0.8; where nothing is sent, there is no index.
    assert index[:3].tolist() == [1, 0.8, 1] and np.isnan(index[3])
    # A flow that starts later does not count before: 1 alone is fair to itself.
    _, index = over_time([(x, one), (x[2:], other[2:])], 1.0)
    assert index[:3].tolist() == [1, 1, 1]
    # Over two seconds, the means are 1 and 2: 9 / (2 * 5).
    _, index = over_time([(x, one), (x, other)], 2.0)
    assert index[0] == pytest.approx(0.9)


def test_fairness_needs_two_flows(runs) -> None:
    ax = db.plot.fairness(runs)
    assert ax.get_ylabel() == "Jain's index of 2 flows" and ax.get_ylim()[1] == pytest.approx(1.02)
    with pytest.raises(ValueError, match="only one with samples"):
        db.plot.fairness(runs, "long")


def test_shares_are_means_with_intervals_and_the_fair_share(runs) -> None:
    ax = db.plot.shares(runs)
    goodput = {
        name: [row["goodput"] / 1e6 for row in runs.flows.rows() if row["flow"] == name]
        for name in ("long", "other")
    }
    for bar, values in zip(ax.containers, goodput.values(), strict=True):
        assert bar.lines[0].get_ydata()[0] == pytest.approx(np.mean(values))
        ((low, high),) = (segment[:, 1] for segment in bar.lines[2][0].get_segments())
        # t(2) = 4.302653 from printed tables.
        half = 4.302653 * np.std(values, ddof=1) / np.sqrt(3)
        assert (high - low) / 2 == pytest.approx(half, rel=1e-6)
    fair = np.mean([np.mean(values) for values in goodput.values()])
    assert any(line.get_ydata()[0] == pytest.approx(fair) for line in ax.get_lines())
    assert ax.get_ylabel() == "goodput (Mb/s)"
