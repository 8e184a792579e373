"""TFRC and Sack over a wired bottleneck and lossy wireless links: TFRC Veno, figure 6."""

import csv
import math
from dataclasses import dataclass

# Seconds: the duration, the bins of the coefficient of variation, and the beginning of the first bin.
DURATION = 300
BIN, WARM = 0.1, 20
PROTOCOLS = {
    "tfrc": ("TFRC", 'rate_control = { name = "tfrc", profile = "ns2" }\noverhead = "32 B"'),
    "sack1": ("Sack", 'control = "sack"\npayload = "1000 B"\nmin_rto = "0.2 s"'),
}
RATE, VARIATION = "kb/s sent", "variation"


@dataclass(frozen=True)
class Case:
    """Numbers of flows of each protocol, and a loss model."""

    protocols: tuple
    model: str
    loss: float
    seeds: int = 20
    script: str = "tfrc.tcl"

    @property
    def name(self):
        flows = " + ".join(f"{count} {PROTOCOLS[protocol][0]}" for protocol, count in self.protocols)
        model = {"exp": "independent losses", "twostate": "two states, bad"}[self.model]
        return f"{flows}, {model} {self.loss}"

    @property
    def quick(self):
        return len(self.protocols) == 1 and self.model == "exp"

    @property
    def options(self):
        protocols = " ".join(protocol for protocol, count in self.protocols for _ in range(count))
        return {"protos": protocols, "loss": self.loss, "model": self.model, "dur": DURATION}

    def bound(self, quantity):
        if quantity == VARIATION or self.model == "twostate" or len(self.protocols) > 1:
            return 0.15
        return 0.15 if self.loss > 0.05 else 0.08

    def theirs(self, lines):
        found = {}
        for protocol, _ in self.protocols:
            flows = [line for line in lines if line["proto"] == protocol]
            name = PROTOCOLS[protocol][0]
            found[name, RATE] = _mean(int(flow["sent"]) * 8 / DURATION for flow in flows)
            found[name, VARIATION] = _mean(
                _variation(float(flow["kw"]), float(flow["w1"]), float(flow["w2"])) for flow in flows)
        return found

    def ours(self, flows, samples):
        bins = {}
        with open(samples, newline="") as stream:
            for time, subject, quantity, value, _ in list(csv.reader(stream))[1:]:
                if quantity == "sending" and float(time) > WARM + BIN / 2:
                    bins.setdefault(subject, []).append(float(value))
        found = {}
        for protocol, _ in self.protocols:
            name = PROTOCOLS[protocol][0]
            those = [flow for flow in flows if flow["name"].startswith(name)]
            found[name, RATE] = _mean(flow["sent"] * 8 / DURATION for flow in those)
            found[name, VARIATION] = _mean(
                _variation(len(values), sum(values), sum(value * value for value in values))
                for values in (bins[flow["name"]] for flow in those))
        return found

    def scenario(self):
        # ns-2 compares an exponential random number of mean 1 with p
        loss = f"bernoulli = {1 - math.exp(-self.loss):.9f}"
        if self.model == "twostate":
            loss = (f'two_state = {{ good = 0.00001, good_period = "8 s", bad = {self.loss}, bad_period = "4 s", '
                    "switch = 0.95 }")
        flows = "".join(
            f'\n[[flow]]\nname  = "{PROTOCOLS[protocol][0]}"\ncount = {count}\n{PROTOCOLS[protocol][1]}\n'
            'start = { uniform = ["0 s", "1 s"] }\n' for protocol, count in self.protocols)
        return f"""duration = "{DURATION} s"

[dumbbell]
bottleneck = {{ rate = "12 Mb/s", delay = "80 ms", queue = {{ droptail = 20 }} }}

[dumbbell.access]
sender   = {{ rate = "10 Mb/s", delay = "1 ms", queue = {{ droptail = 50 }} }}
receiver = {{ rate = "10 Mb/s", delay = "1 ms", queue = {{ droptail = 50 }}, loss = {{ {loss}, on = "all" }} }}

[probe]
interval = "{1000 * BIN:.0f} ms"
values   = ["sending"]
{flows}
[[flow]]
name   = "background"
count  = 8
source = {{ pareto = {{ rate = "300 kb/s", on = "100 ms", off = "100 ms", shape = 1.5 }} }}
packet = "512 B"
start  = {{ uniform = ["0 s", "1 s"] }}
"""


def _mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def _variation(count, total, squares):
    """Returns the population standard deviation divided by the mean."""
    mean = total / count
    return math.sqrt(max(0.0, squares / count - mean * mean)) / mean


_FLOWS = ((("tfrc", 8),), (("sack1", 8),), (("tfrc", 4), ("sack1", 4)))
CASES = (
    *(Case(flows, "exp", loss) for flows in _FLOWS for loss in (1e-4, 1e-3, 1e-2, 3e-2, 1e-1)),
    *(Case(flows, "twostate", loss) for flows in _FLOWS for loss in (1e-3, 1e-2, 1e-1)),
)
