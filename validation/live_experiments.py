"""The experiments of `live_papers.py`: their paths, what runs on the hosts, and what is measured."""

import csv
import json
import shlex
import sys
import tomllib
from collections import namedtuple
from dataclasses import asdict, dataclass, field
from pathlib import Path

import intervals
import live_capture
from toml_text import value as toml

PAPERS = Path(__file__).parent.parent / "crates/papers/src"
VENO, DYNAMICS = PAPERS / "tfrc-veno", PAPERS / "dynamics"
HOST = f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(Path(__file__).parent / 'live_host.py'))}"
MEDIA, BULK = 4500, 5001
# The source always has something to send: a packet of 500 bytes in each frame, 200 a second.
ALWAYS = {"fps": 200, "floor": "800 kb/s", "ceiling": "800 kb/s", "start": "800 kb/s", "key_factor": 1}
# 28 bytes of UDP and IPv4, and what `dumbbell stream` adds.
OVERHEAD = "88 B"
# Linux, as the hosts are set: without timestamps.
LINUX = {"tcp.stack": "linux", "tcp.recovery": "sack", "tcp.header": "40 B", "tcp.ack": "40 B"}
# The file's second flow is real here, so the simulated one must never begin. It starts after the test, and since a file's
# flows start within its duration, that is longer, too; an emulation ends when its commands do.
NEVER = {"flow.1.start": '"100000 s"', "duration": '"100001 s"'}

Size = namedtuple("Size", "tests seconds bin slots1 slots2 interval count samples files apart")
FULL = Size(3, 60, 4, range(6), range(5), 20, 36, 2, (20, 8), 20)
SHORT = Size(2, 12, 4, (4,), (1,), 4, 4, 2, (2, 0.8), 2)


@dataclass
class Row:
    """A quantity: what the paper prints, and the values of the live and of the simulated tests."""

    label: str
    paper: float | None
    live: list
    simulated: list
    decimals: int = 2


@dataclass
class Claim:
    """A sentence of the paper: at each place, the mean of the values is at least `least`. Each side has the values by place."""

    text: str
    least: float
    live: list
    simulated: list


@dataclass
class Table:
    title: str
    note: str
    rows: list = field(default_factory=list)
    claims: list = field(default_factory=list)

    def plain(self):
        return asdict(self)


def texts(sets):
    """Returns values for `--set`."""
    return {key: toml(item) for key, item in sets.items()}


def places(file):
    """Returns the settings of each place of a figure."""
    return tomllib.loads(file.read_text())["x"]["places"]


def command(program, *parts):
    return shlex.join([str(program), *map(str, parts)])


def options(sets):
    """Returns `--set` options."""
    return [part for key, text in sets.items() for part in ("--set", f"{key}={text}")]


def media(machine, path, sets, seconds, seed):
    """Returns the shell commands of the receiver and the sender of the file's media flow."""
    program = ["chrt", "--fifo", "1", machine.program] if machine.realtime else [machine.program]
    receive = command(*program, "stream", "receive", path, *options(sets), "--listen", f"0.0.0.0:{MEDIA}", "--json", "--quiet")
    send = command(*program, "stream", "send", path, *options(sets), "--for", f"{seconds} s", "--seed", seed, "--json", "--quiet")
    to = f'"$DUMBBELL_PEER:{MEDIA}"'
    # The packets that announce the end may be lost. Without them the receiver ends after 5 s of silence: wait up to 8 s for it.
    wait = "for n in $(seq 80); do [ -s received.json ] && break; sleep 0.1; done"
    return f"{receive} > received.json", f"{send} {to} > sent.json; {wait}"


def flows(specs):
    return f"{HOST} sink {BULK}", f"{HOST} send {BULK} {shlex.quote(json.dumps(specs))} > tcp.json"


def read(folder, name):
    return json.loads((folder / name).read_text())


def within(times, seconds):
    """Returns the times in the first seconds, from the first on."""
    return [it - times[0] for it in times if it - times[0] < seconds] if times else []


def variation(times, seconds, span):
    """Returns the coefficient of variation of the numbers of packets in bins."""
    bins = [0] * (seconds // span)
    for it in times:
        bins[min(int(it / span), len(bins) - 1)] += 1
    mean = intervals.mean(bins)
    return (intervals.mean([(it - mean) ** 2 for it in bins])) ** 0.5 / mean


def of_flow(run, name):
    return next(it for it in run["flows"] if it["name"] == name)


def divided(above, below):
    """Returns the quotients of tests with the same seeds."""
    return [a / b for a, b in zip(above, below)]


def table1(machine, pool, size, seeds, _):
    """TFRC Veno, table I: TFRC and TFRC Veno, one at a time."""
    path, controls = VENO / "table1.scenario.toml", ("tfrc", "tfrc-veno")
    slots = [places(VENO / "table1.toml")[slot] for slot in size.slots1]

    def sets(slot, control):
        more = {"duration": f"{size.seconds} s", "flow.0.rate_control": control, "flow.0.segment": "500 B"}
        more |= {"flow.0.encoder": ALWAYS, "flow.0.overhead": OVERHEAD, "variation": {"bin": f"{size.bin} s"}}
        return texts(slot | more)

    def live(slot, control, seed):
        its = sets(slots[slot], control)
        receiver, sender = media(machine, path, its, size.seconds, seed)
        name = f"table1-{slot}-{control}"
        folder = machine.emulated(name, seed, path, its, receiver, MEDIA, sender, "flow")
        times = within(live_capture.sent_to(live_capture.read(folder / "sender.pcap"), MEDIA, 500), size.seconds)
        return {
            "sent": len(times),
            "ratio": read(folder, "received.json")["received"] / read(folder, "sent.json")["packets"],
            "cov": variation(times, size.seconds, size.bin),
        }

    def simulated(slot, control):
        runs = [of_flow(it, "flow") for it in machine.simulated(path, sets(slots[slot], control), seeds)]
        return [{"sent": it["sent"], "ratio": 1 - it["lost"] / it["sent"], "cov": it["sending_variation"]} for it in runs]

    keys = [(slot, control) for slot in range(len(slots)) for control in controls]
    real = {key: [pool.submit(live, *key, seed) for seed in range(1, size.tests + 1)] for key in keys}
    ours = {key: pool.submit(simulated, *key) for key in keys}
    printed = [(2916.8, 4128.6, .83, .83, .33, .37), (2458.3, 3249.7, .84, .83, .27, .22), (2037.3, 2981.3, .78, .81, .19, .24)]
    printed += [(2165.3, 2640.0, .80, .81, .25, .31), (3471.2, 3507.4, .90, .88, .13, .11), (1058.3, 1812.7, .71, .73, .34, .29)]

    def finish():
        got = {key: [it.result() for it in real[key]] for key in keys}
        made = {key: ours[key].result() for key in keys}
        pick = lambda side, slot, control, what: [it[what] for it in side[slot, control]]
        gain = lambda side, slot: divided(pick(side, slot, "tfrc-veno", "sent"), pick(side, slot, "tfrc", "sent"))
        table = Table("TFRC Veno, table I: packets sent, TFRC Veno over TFRC", note(size, "5 tests of 300 s in each slot"))
        names = ["9-10 h", "11-12 h", "13-14 h", "15-16 h", "17-18 h", "22-23 h"]
        for slot, place in enumerate(size.slots1):
            paper = printed[place]
            table.rows.append(Row(f"{names[place]}: sent, over TFRC", round(paper[1] / paper[0], 3), gain(got, slot), gain(made, slot)))
            for n, control in enumerate(controls):
                what = f"{names[place]}, {control}"
                scaled = round(paper[n] * size.seconds / 300, 1)
                table.rows.append(Row(f"{what}: packets sent", scaled, *(pick(it, slot, control, "sent") for it in (got, made)), 0))
                table.rows.append(Row(f"{what}: arrived of those sent", paper[2 + n], *(pick(it, slot, control, "ratio") for it in (got, made)), 3))
                table.rows.append(Row(f"{what}: variation", paper[4 + n], *(pick(it, slot, control, "cov") for it in (got, made))))
        gains = [[gain(side, slot) for slot in range(len(slots))] for side in (got, made)]
        table.claims.append(Claim("TFRC Veno sends more than TFRC in every slot", 1.0, *gains))
        most = [[[-max(intervals.mean(it) for it in side)]] for side in gains]
        table.claims.append(Claim("the largest gain is the printed 71 %, within a fifth of the ratio", -1.2 * 1.713, *most))
        even = [[[-abs(intervals.mean(pick(side, slot, "tfrc", "ratio")) - intervals.mean(pick(side, slot, "tfrc-veno", "ratio")))]
                 for slot in range(len(slots))] for side in (got, made)]
        table.claims.append(Claim("both have the same receiving ratio, within 0.03", -0.03, *even))
        return table

    return finish


def table2(machine, pool, size, seeds, _):
    """TFRC Veno, table II: TFRC Veno, TFRC or Sack beside the kernel's Sack."""
    path, controls = VENO / "table2.scenario.toml", ("tfrc-veno", "tfrc", "sack")
    slots = [places(VENO / "table2.toml")[slot] for slot in size.slots2]
    beside = {"control": "reno", "segment": 500, "start": 0, "until": size.seconds + 0.5, "min_rto_us": 1_000_000}

    def sets(slot, control):
        more = {"duration": f"{size.seconds} s"} | LINUX
        if control != "sack":
            more |= {"flow.0.rate_control": control, "flow.0.segment": "500 B", "flow.0.encoder": ALWAYS, "flow.0.overhead": OVERHEAD}
        return texts(slot | more)

    def live(slot, control, seed):
        its = sets(slots[slot], control) | NEVER
        sink, tcp = flows([beside] * (2 if control == "sack" else 1))
        sender = f"{tcp} && sleep 1"
        if control != "sack":
            receiver, source = media(machine, path, its, size.seconds, seed)
            sink, sender = f"{receiver} & {sink}", f"({source}) & {tcp} && wait"
        folder = machine.emulated(f"table2-{slot}-{control}", seed, path, its, sink, BULK, sender, "flow")
        packets = list(live_capture.read(folder / "sender.pcap"))
        ports = [it["port"] for it in read(folder, "tcp.json")]
        sent = [len(within(live_capture.trace(packets, port).sent, size.seconds)) for port in ports]
        if control != "sack":
            sent.insert(0, len(within(live_capture.sent_to(packets, MEDIA, 500), size.seconds)))
        return sent

    def simulated(slot, control):
        runs = machine.simulated(path, sets(slots[slot], control), seeds)
        return [[of_flow(it, name)["sent"] for name in ("flow", "Sack")] for it in runs]

    keys = [(slot, control) for slot in range(len(slots)) for control in controls]
    real = {key: [pool.submit(live, *key, seed) for seed in range(1, size.tests + 1)] for key in keys}
    ours = {key: pool.submit(simulated, *key) for key in keys}
    printed = [(1469.8, 1462.3, 1132.3, 0.939), (1657.5, 1159.3, 1253.3, 0.937), (2038.7, 1496.8, 1202.5, 0.868)]
    printed += [(2212.3, 1609.8, 1357.8, 1.040), (1762.5, 1435.5, 1224.5, 0.912)]

    def finish():
        got = {key: [it.result() for it in real[key]] for key in keys}
        made = {key: ours[key].result() for key in keys}
        sent = lambda side, slot, control, n: [it[n] for it in side[slot, control]]
        gain = lambda side, slot: divided(sent(side, slot, "tfrc-veno", 0), sent(side, slot, "tfrc", 0))
        pairs = lambda side, slot: [sum(it) / 2 for it in side[slot, "sack"]]
        left = lambda side, slot: divided(sent(side, slot, "tfrc-veno", 1), pairs(side, slot))
        table = Table("TFRC Veno, table II: beside a Sack flow", note(size, "4 tests of 300 s in each slot"))
        names = ["10.30 h", "13.30 h", "16.30 h", "19.30 h", "21.30 h"]
        for slot, place in enumerate(size.slots2):
            veno, tfrc, sack, part = printed[place]
            scale = size.seconds / 300
            table.rows.append(Row(f"{names[place]}: TFRC Veno sent, over TFRC", round(veno / tfrc, 3), gain(got, slot), gain(made, slot)))
            both = [sent(side, slot, "tfrc-veno", 0) for side in (got, made)]
            table.rows.append(Row(f"{names[place]}: TFRC Veno, packets", round(veno * scale, 1), *both, 0))
            both = [sent(side, slot, "tfrc", 0) for side in (got, made)]
            table.rows.append(Row(f"{names[place]}: TFRC, packets", round(tfrc * scale, 1), *both, 0))
            both = [sent(side, slot, "tfrc-veno", 1) for side in (got, made)]
            table.rows.append(Row(f"{names[place]}: Sack beside TFRC Veno, packets", round(sack * scale, 1), *both, 0))
            table.rows.append(Row(f"{names[place]}: Sack beside TFRC Veno, over Sack beside Sack", part, left(got, slot), left(made, slot)))
        everywhere = range(len(slots))
        gains = [[gain(side, slot) for slot in everywhere] for side in (got, made)]
        table.claims.append(Claim("TFRC Veno sends more than TFRC in every slot", 1.0, *gains))
        parts = [[left(side, slot) for slot in everywhere] for side in (got, made)]
        table.claims.append(Claim("Sack keeps at least 0.85 of what it has beside Sack, in every slot", 0.85, *parts))
        return table

    return finish


def note(size, paper):
    return f"Live: {size.tests} tests of {size.seconds} s a row. The paper: {paper}; its numbers of packets are scaled to that time."


def figure4(machine, pool, size, seeds, veno):
    """TFRC Veno, figure 4: Veno's equation beside Veno in the kernel, interval by interval."""
    path, seconds = VENO / "live.scenario.toml", size.interval * size.count
    sets = texts({"duration": f"{seconds} s", "probe.interval": f"{size.interval} s"} | LINUX)
    spec = {"control": veno, "segment": 512, "start": 0, "until": seconds + 0.5, "min_rto_us": 200_000}

    def live(seed):
        sink, sender = flows([spec])
        folder = machine.emulated("fig4", seed, path, sets, sink, BULK, f"{sender} && sleep 1", "Veno")
        flow = read(folder, "tcp.json")[0]
        trace = live_capture.trace(list(live_capture.read(folder / "sender.pcap")), flow["port"])
        return agreement(list(measured(machine, trace, flow["looks"], size)))

    def simulated(seed):
        samples = machine.folder / f"fig4-{seed}.csv"
        machine.simulated(path, sets | {"seed": str(seed)}, 1, samples)
        found = {}
        with samples.open(newline="") as lines:
            for row in csv.DictReader(lines):
                if row["quantity"] in ("equation.measured", "equation.approximate"):
                    found.setdefault(row["time_s"], {})[row["quantity"]] = float(row["value"]) * size.interval
        pairs = [(it["equation.measured"], it["equation.approximate"]) for it in found.values() if len(it) == 2]
        return agreement(pairs)

    real = [pool.submit(live, seed) for seed in range(1, size.samples + 1)]
    ours = [pool.submit(simulated, seed) for seed in range(1, seeds // 2 + 1)]

    def finish():
        got, made = [it.result() for it in real], [it.result() for it in ours]
        about = f"Live: {size.samples} samples of {size.count} intervals of {size.interval} s. The paper: 36 of 100 s, drawn without numbers."
        table = Table("TFRC Veno, figure 4: equation (16) and TCP Veno, interval by interval", about)
        columns = ("packets in an interval", 0), ("mean relative error of the equation, %", 1), ("correlation over the intervals", 2)
        for n, (label, decimals) in enumerate(columns):
            table.rows.append(Row(label, None, *([it[n] for it in side] for side in (got, made)), decimals))
        error, correlation = ([[[sign * it[n] for it in side]] for side in (got, made)] for n, sign in ((1, -1), (2, 1)))
        table.claims.append(Claim("the equation models the throughput fairly well: a mean relative error of at most 25 %", -25, *error))
        table.claims.append(Claim("it follows the intervals: a correlation of at least 0.5", 0.5, *correlation))
        return table

    return finish


def measured(machine, trace, looks, size):
    """Yields, for each interval with a loss, the packets sent and those that equation (16) predicts."""
    zero, base = trace.sent[0], None
    begin = looks[0][0]
    for n in range(size.count):
        span = lambda times, first, index=lambda it: it[0]: [it for it in times if n <= (index(it) - first) / size.interval < n + 1]
        sent = len(span([(it,) for it in trace.sent], zero))
        lost, rtts, seen = span(trace.indications, zero), span(trace.rtts, zero), span(looks, begin)
        bases = [it for _, it in lost if it is not None]
        base = intervals.mean(bases) if bases else base
        if not (lost and rtts and seen and base):
            continue
        rtt = intervals.mean([it for _, it in rtts])
        known = {"rtt": f"{rtt:.6f} s", "base-rtt": f"{min(base, rtt):.6f} s", "rto": f"{intervals.mean([it[2] for it in seen]):.6f} s"}
        known |= {"wmax": max(it[1] for it in seen), "loss": len(lost) / sent, "b": 2}
        asked = ["equation", "veno", *(str(part) for key, it in known.items() for part in (f"--{key}", it)), "--json"]
        yield sent, machine.asked(asked)["points"][0]["approximate"] * size.interval


def agreement(pairs):
    """Returns the mean number of packets, the mean relative error in percent, and the correlation."""
    real, predicted = ([it[n] for it in pairs] for n in (0, 1))
    error = intervals.mean([abs(p - r) / r for r, p in pairs])
    a, b = intervals.mean(real), intervals.mean(predicted)
    products = intervals.mean([(r - a) * (p - b) for r, p in pairs])
    squares = intervals.mean([(r - a) ** 2 for r in real]) * intervals.mean([(p - b) ** 2 for p in predicted])
    return a, 100 * error, products / squares**0.5 if squares > 0 else 0.0


def dynamics(machine, pool, size, seeds, veno):
    """Dynamics of Veno and Reno, table I: a transfer of 20 MB, and one of 8 MB from 20 s on."""
    path, pairs = DYNAMICS / "late.scenario.toml", (("reno", "reno"), ("reno", "veno"), ("veno", "reno"))
    duration = {"duration": f"{200 if size.apart == 20 else 60} s"}
    kernel = {"reno": "reno", "veno": veno}

    def live(pair, seed):
        # Nothing on this path is random: the second flow begins at another time in each test.
        later = size.apart + (0.37 * (seed - 1)) % 1
        starts = (0, later)
        specs = [{"control": kernel[control], "segment": 1000, "start": start, "bytes": int(megabytes * 1e6), "min_rto_us": 1_000_000}
                 for control, start, megabytes in zip(pair, starts, size.files)]
        its = texts(duration | LINUX) | NEVER
        sink, sender = flows(specs)
        folder = machine.emulated(f"dynamics-{'-'.join(pair)}", seed, path, its, sink, BULK, f"{sender} && sleep 1", "first")
        return [(it["seconds"], it["resent"]) for it in read(folder, "tcp.json")]

    def simulated(pair):
        control = lambda name: {"name": "veno", "rtt_mode": "last"} if name == "veno" else name
        starts = {"flow.0.start": {"uniform": ["0 s", "1 s"]}, "flow.1.start": {"uniform": [f"{size.apart} s", f"{size.apart + 1} s"]}}
        sizes = {f"flow.{n}.size": f"{megabytes} MB" for n, megabytes in enumerate(size.files)}
        more = {f"flow.{n}.control": control(name) for n, name in enumerate(pair)}
        runs = machine.simulated(path, texts(duration | LINUX | starts | sizes | more), seeds)
        both = [[of_flow(it, name) for name in ("first", "second")] for it in runs]
        return [[(it["finish_s"] - it["start_s"], it["retransmits"]) for it in run] for run in both]

    real = {pair: [pool.submit(live, pair, seed) for seed in range(1, size.tests + 1)] for pair in pairs}
    ours = {pair: pool.submit(simulated, pair) for pair in pairs}
    printed = {pairs[0]: ((124.66, 105), (73.52, 56)), pairs[1]: ((124.28, 103), (71.47, 45)), pairs[2]: ((123.89, 90), (73.73, 54))}

    def finish():
        got = {pair: [it.result() for it in real[pair]] for pair in pairs}
        made = {pair: ours[pair].result() for pair in pairs}
        pick = lambda side, pair, flow, what: [it[flow][what] for it in side[pair]]
        about = f"Live: {size.tests} tests; {size.files[0]:g} MB from the start, {size.files[1]:g} MB from {size.apart} s on. The paper: 20 MB and 8 MB, one run."
        table = Table("Dynamics of Veno and Reno, table I: two transfers", about)
        for pair in pairs:
            for flow, megabytes in enumerate(size.files):
                what = f"{'/'.join(pair)}, {megabytes:g} MB ({pair[flow]})"
                paper = printed[pair][flow] if size.apart == 20 else (None, None)
                table.rows.append(Row(f"{what}: time, s", paper[0], *(pick(side, pair, flow, 0) for side in (got, made))))
                table.rows.append(Row(f"{what}: segments sent again", paper[1], *(pick(side, pair, flow, 1) for side in (got, made)), 1))
        less = lambda pair, flow, what: [[divided(pick(side, pairs[0], flow, what), [max(it, 1) for it in pick(side, pair, flow, what)])] for side in (got, made)]
        table.claims.append(Claim("Veno's first transfer is no slower than Reno's", 0.99, *less(pairs[2], 0, 0)))
        table.claims.append(Claim("Veno's second transfer is faster than Reno's", 1.0, *less(pairs[1], 1, 0)))
        table.claims.append(Claim("Veno's first transfer sends less again than Reno's", 1.0, *less(pairs[2], 0, 1)))
        table.claims.append(Claim("Veno's second transfer sends less again than Reno's", 1.0, *less(pairs[1], 1, 1)))
        return table

    return finish


ALL = {"table1": table1, "table2": table2, "figure4": figure4, "dynamics": dynamics}
# Those that have Dumbbell's Veno in the kernel.
IN_KERNEL = {"figure4", "dynamics"}
