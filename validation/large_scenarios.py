"""Scenarios on each side of what the engine chooses by itself, up to twenty thousand flows.

The engine takes a tree or a wheel by the number of its links and timers (six a flow of a dumbbell) and by the length of
the run, shares lists of packets among links that are alike, and runs hops together where nothing observes it.
"""

# From one flow to more than the tree can hold, with the numbers at which a choice may change.
FLOWS = (1, 2, 10, 15, 16, 17, 64, 100, 255, 256, 1000, 4000, 10_000, 10_900, 10_950, 20_000)
PACKET = 1040 * 8


def scenarios():
    """Returns pairs of a name and a scenario as a dict."""
    for flows in FLOWS:
        yield f"alike-{flows}", alike(flows)
    for flows in (10, 64, 100, 1000, 10_000):
        yield f"spread-{flows}", spread(flows)
        yield f"two-way-{flows}", two_way(flows)
        yield f"mixed-{flows}", mixed(flows)
        yield f"short-{flows}", short(flows)
    for flows in (16, 100, 1000):
        yield f"classified-{flows}", classified(flows)
        yield f"parking-{flows}", parking(flows)
        yield f"graph-{flows}", graph(flows)
    for flows in (1, 600, 1500, 3000):
        yield f"month-{flows}", month(flows)


def dumbbell(flows, rate=1e6, **links):
    """Returns a dumbbell with this rate for each flow, for as long as some tens of packets a flow take."""
    packets = max(40 * flows, 20_000)
    seconds = packets * PACKET / (rate * flows)
    bottleneck = {"rate": f"{int(rate * flows)} b/s", "delay": "20 ms", "queue": {"droptail": max(20, 5 * flows)}}
    return {
        "duration": f"{int(seconds * 1e9)} ns",
        "dumbbell": {"access": {"rate": "1 Gb/s", "delay": "1 ms"}, "bottleneck": bottleneck | links},
    }, seconds


def tcp(count, seconds, control="newreno", **keys):
    start = {"uniform": ["0 s", f"{int(seconds * 0.3 * 1e9)} ns"]}
    return {"control": control, "count": count, "start": start} | keys


def alike(flows):
    table, seconds = dumbbell(flows)
    return table | {"flow": [tcp(flows, seconds)]}


def spread(flows):
    """More delays than there are lists of packets."""
    table, seconds = dumbbell(flows)
    delays = [f"{delay} ms" for delay in range(1, 41, 4)]
    return table | {"flow": [tcp(flows // 10, seconds, access={"delay": delay}) for delay in delays]}


def two_way(flows):
    table, seconds = dumbbell(flows)
    return table | {"flow": [
        tcp(flows // 2, seconds, "sack"),
        tcp(flows // 2, seconds, "veno", direction="left", delayed_ack=True, access={"delay": "5 ms"}),
    ]}


def mixed(flows):
    """TCP, media and background through RED, with losses."""
    red = {"red": {"limit": 5 * flows + 20, "min": flows / 2 + 5, "max": 2.0 * flows + 20, "ecn": True}}
    table, seconds = dumbbell(flows, queue=red, loss={"bernoulli": 0.002}, aqt=True)
    fifth = flows // 5
    bursts = {"rate": "500 kb/s", "on": "100 ms", "off": "100 ms", "shape": 1.5}
    return table | {"flow": [
        tcp(fifth, seconds, "sack"),
        tcp(fifth, seconds, "rovegas", start="0 s"),
        tcp(fifth, seconds, "venodb", ecn=True),
        {"rate_control": "tfrc-veno", "count": fifth},
        {"source": {"pareto": bursts}, "packet": "512 B", "count": fifth, "start": "0 s"},
    ]}


def short(flows):
    """Transfers of a few segments, whose ACKs are filtered on a slow way back."""
    back = {"rate": f"{20_000 * flows} b/s", "queue": {"droptail": 2 * flows + 10, "ack_filter": True}}
    table, seconds = dumbbell(flows, reverse=back)
    return table | {"flow": [
        tcp(flows // 2, seconds, "cubic", size="12 segments", handshake=False),
        tcp(flows // 2, seconds, "westwood+", initial_window=10),
    ]}


def classified(flows):
    """Judged losses, for which no hops are run together."""
    table, seconds = dumbbell(flows, loss={"geometric": 0.01})
    return table | {"flow": [tcp(flows, seconds, "veno", classify=["veno", "lded"])]}


def parking(flows):
    table, seconds = dumbbell(flows)
    network = table.pop("dumbbell") | {"hops": 3}
    return table | {"parking_lot": network, "flow": [
        tcp(flows // 2, seconds), tcp(flows // 4, seconds, "sack", **{"from": "r2", "to": "r3"}),
        tcp(flows // 4, seconds, "vegas", **{"from": "r4", "to": "r1"}),
    ]}


def graph(flows):
    """Flows that share their hosts, so that links lead to several."""
    table, seconds = dumbbell(flows)
    link = table.pop("dumbbell")["bottleneck"] | {"delay": "5 ms"}
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("b", "e"), ("e", "d"), ("d", "f")]
    links = [{"from": here, "to": there} | link for here, there in pairs]
    ends = [("a", "f"), ("f", "a"), ("e", "c"), ("a", "b")]
    return table | {"graph": {"link": links}, "flow": [
        tcp(flows // 4, seconds, "sarbe", **{"from": here, "to": there}) for here, there in ends]}


def month(flows):
    """Short transfers over thirty days: times so long that keys of the tree have no room for many links."""
    table, _ = dumbbell(flows)
    start = {"uniform": ["0 s", "29 min"]} if flows == 1 else {"uniform": ["0 s", "700 h"]}
    return table | {"duration": "720 h", "flow": [
        {"control": "reno", "count": flows, "start": start, "size": "10 segments"}]}
