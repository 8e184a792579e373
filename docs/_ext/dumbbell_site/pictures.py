"""A picture for the page of each algorithm: its window, or its rate, on one path."""

from __future__ import annotations

from io import StringIO
from typing import Any

PATH = "2 Mb/s, 20 ms each way, room for 20 packets, 1 % of the packets lost"
"""The path of all pictures, in words."""


def window(control: str) -> str:
    """The congestion window of a control that is alone on the path, as SVG."""
    return _svg(_runs({"control": control}).plot.windows(size=(7.0, 2.2)))


def rate(control: str) -> str:
    """The rate of a media flow at its receiver, as SVG."""
    runs = _runs({"name": control, "rate_control": control})
    return _svg(runs.plot.throughput(every=0.5, size=(7.0, 2.2)))


def _runs(flow: dict[str, Any]) -> Any:
    import dumbbell as db

    bottleneck = {
        "rate": "2 Mb/s",
        "delay": "20 ms",
        "queue": {"droptail": 20},
        "loss": {"bernoulli": 0.01},
    }
    network = {
        "access": {"rate": "100 Mb/s", "delay": "0 ms"},
        "bottleneck": bottleneck,
        # RoVegas wants the routers to report queueing times; the others do not look at them.
        "aqt": "all",
    }
    path = db.Scenario({"duration": "30 s", "dumbbell": network, "flow": [flow]})
    return db.run(path, seeds=1, progress=False)


def _svg(axes: Any) -> str:
    from matplotlib import pyplot, rc_context

    text = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "dumbbell"}):
        axes.figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(axes.figure)
    return text.getvalue()
