"""Vegas with bursts in the direction of its ACKs: RoVegas, figures 2 and 5, and its parking lot, figures 3 and 7."""

from dataclasses import dataclass

# Seconds.
DURATION = 200
ON, PEAK, BOTTLENECK = 0.010, 2e6, 1e6
LOADS = (0.0, 0.2, 0.4, 0.6, 0.8)
BOUND = 0.08


@dataclass(frozen=True)
class Case:
    """One load, on one bottleneck or on three in a row, with ns-2's rounded backlog or the paper's exact one."""

    topology: str
    load: float
    rounded: bool
    seeds: int = 20
    script: str = "vegas_backward.tcl"

    @property
    def quick(self):
        return self.topology == "single"

    @property
    def name(self):
        where = {"single": "one bottleneck", "parking": "three bottlenecks"}[self.topology]
        return f"Vegas{', int_diff' if self.rounded else ''}, {where}, backward load {self.load}"

    @property
    def options(self):
        return {"topo": self.topology, "load": self.load, "dur": DURATION}

    def bound(self, quantity):
        return BOUND if self.rounded else None

    def theirs(self, lines):
        return {("Vegas", "kb/s"): int(lines[0]["inorder_pkts"]) * 8 / DURATION}

    def ours(self, flows, samples):
        # Packets of 1000 bytes carry 960 bytes of payload; ns-2's have no headers.
        return {("Vegas", "kb/s"): flows[0]["goodput_bps"] / 960}

    def scenario(self):
        # The mean OFF time for which the mean rate is this part of the bottleneck's.
        silence = ON * (PEAK / (self.load * BOTTLENECK) - 1) if self.load > 0 else 24 * 3600.0
        single = self.topology == "single"
        places = ['direction = "left"'] if single else [f'from = "r{hop + 1}"\nto = "r{hop}"' for hop in (1, 2, 3)]
        return f"""duration = "{DURATION} s"

[{"dumbbell" if single else "parking_lot"}]
access     = {{ rate = "2 Mb/s", delay = "10 ms" }}
bottleneck = {{ rate = "1 Mb/s", delay = "20 ms", queue = {{ droptail = 50 }} }}
{"" if single else "hops = 3"}

[[flow]]
control = {{ name = "vegas", int_diff = {str(self.rounded).lower()} }}
payload = "960 B"
header  = "40 B"
min_rto = "1 s"
start   = "0 s"
""" + "".join(f"""
[[flow]]
{place}
source = {{ exponential = {{ rate = "2 Mb/s", on = "10 ms", off = "{1000 * silence:.6f} ms" }} }}
packet = "1000 B"
start  = "0 s"
""" for place in places)


CASES = tuple(
    Case(topology, load, rounded) for topology in ("single", "parking") for rounded in (True, False) for load in LOADS)
