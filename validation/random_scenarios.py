"""Random scenarios: any topology, flows, queues and losses, small enough to run in a fraction of a second."""

import random

# Seconds; a rate and a number of packets decide between them.
SHORTEST, LONGEST = 0.2, 300.0
# The bits of a data packet with its header.
PACKET = 1040 * 8
# Beyond these numbers of flows, samples and traces are left out: they would be long.
SAMPLED, TRACED = 100, 12


def scenario(seed, number, names):
    """Returns a scenario of this number as a dict; `names` is the catalogue of what it may use."""
    return Draw(random.Random(f"{seed}/{number}"), names).scenario()


class Draw:
    """Draws one scenario."""

    def __init__(self, rng, names):
        self.rng = rng
        self.names = names

    def chance(self, probability):
        return self.rng.random() < probability

    def near(self, low, high):
        """Draws a number whose logarithm is uniform."""
        return low * (high / low) ** self.rng.random()

    def whole(self, low, high):
        """Draws a whole number whose logarithm is uniform."""
        return min(high, int(self.near(low, high + 1)))

    def scenario(self):
        rate = self.near(3e5, 1e9)
        packets = self.near(300, 60_000)
        self.rate = rate
        self.duration = min(LONGEST, max(SHORTEST, packets * PACKET / rate))
        shape = self.rng.choices(("dumbbell", "parking_lot", "graph"), (6, 2, 2))[0]
        self.flows = self.whole(1, 150)
        table = {"duration": time(self.duration), "seed": self.rng.randrange(2**32)}
        if self.chance(0.2):
            table["warmup"] = time(self.duration * self.rng.uniform(0.05, 0.9))
        if self.chance(0.2):
            table["variation"] = {"bin": time(self.duration / 50), "from": time(self.duration * self.rng.random() / 2)}
        table[shape] = getattr(self, shape)()
        table["flow"] = self.all_flows(shape)
        if any("rovegas" in str(flow.get("control")) for flow in table["flow"]):
            table[shape]["aqt"] = "all"
        if self.chance(0.4):
            table["probe"] = self.probe()
        return table

    # links

    def dumbbell(self):
        table = {"bottleneck": self.link(self.rate), "access": self.access()}
        if self.chance(0.3):
            table["reverse"] = self.reverse()
        if self.chance(0.3):
            table["aqt"] = self.rng.choice(("all", ["left"], ["left", "right"]))
        return table

    def parking_lot(self):
        self.hops = self.rng.randint(1, 4)
        table = {"access": self.access()}
        if self.chance(0.5):
            table |= {"hops": self.hops, "bottleneck": self.link(self.rate)}
        else:
            table["hops"] = [self.link(self.rate * self.rng.uniform(0.5, 2)) for _ in range(self.hops)]
        if self.chance(0.3):
            table["aqt"] = "all"
        return table

    def graph(self):
        self.nodes = [f"n{number}" for number in range(self.rng.randint(2, 7))]
        pairs = [(self.rng.choice(self.nodes[:i]), self.nodes[i]) for i in range(1, len(self.nodes))]
        for _ in range(self.rng.randint(0, 3)):
            pairs.append(tuple(self.rng.sample(self.nodes, 2)))
        links = []
        for here, there in pairs:
            link = {"from": here, "to": there} | self.link(self.rate * self.rng.choice((1, 1, 2, 10)))
            if self.chance(0.3):
                link["reverse"] = self.reverse()
            links.append(link)
        table = {"link": links}
        if self.chance(0.3):
            table["aqt"] = "all"
        return table

    def link(self, rate):
        link = {"rate": self.link_rate(rate), "delay": self.delay(), "queue": self.queue(rate)}
        if self.chance(0.5):
            link["loss"] = self.loss()
        return link

    def link_rate(self, rate):
        # a schedule of opportunities of 1500 bytes; at most a few thousand, in whole milliseconds
        if rate > 2e7 or not self.chance(0.15):
            return f"{int(rate)} b/s"
        period = self.rng.randint(20, 2000)
        count = max(1, int(rate * period / 12e6))
        return {"opportunities": sorted(self.rng.randint(0, period) for _ in range(count)) + [period]}

    def reverse(self):
        reverse = {}
        if self.chance(0.6):
            rate = self.rate * self.near(0.02, 2)
            reverse |= {"rate": f"{int(rate)} b/s", "queue": self.queue(rate)}
        if self.chance(0.3):
            reverse["delay"] = self.delay()
        if self.chance(0.3):
            reverse["loss"] = self.loss()
        return reverse

    def access(self):
        access = {"rate": f"{int(self.rate * self.near(0.1, 100))} b/s", "delay": self.delay()}
        if self.chance(0.2):
            access["queue"] = {"droptail": self.whole(2, 200)}
        if self.chance(0.15):
            access["loss"] = self.loss()
        if self.chance(0.15):
            access["receiver"] = {"delay": self.delay(), "loss": self.loss()}
        return access

    def delay(self):
        return self.rng.choice((
            "0 s", "1 ms", "10 ms", "20 ms", time(self.near(1e-6, 1e-3)), time(self.near(1e-3, 0.3))))

    def queue(self, rate):
        limit = self.whole(1, 500)
        kind = self.rng.choices(("droptail", "red", "unlimited", "ack_filter"), (6, 2, 1, 2))[0]
        if kind == "droptail":
            return {"droptail": limit}
        if kind == "unlimited":
            return "unlimited"
        if kind == "ack_filter":
            on = self.rng.choice((True, {"replace_head": True}, {"threshold": self.rng.randint(0, 8)}))
            return {"droptail": limit, "ack_filter": on}
        low = self.rng.uniform(0, 20)
        return {"red": {
            "limit": limit + 20, "min": low, "max": low + self.rng.uniform(1, 30), "weight": self.near(1e-4, 0.5),
            "pmax": self.rng.uniform(0.01, 1), "gentle": self.chance(0.5), "ecn": self.chance(0.5),
        }}

    def loss(self):
        kind = self.rng.choice(("bernoulli", "geometric", "two_state", "gilbert_elliott"))
        p = self.near(1e-4, 0.1)
        if kind == "two_state":
            period = [time(self.duration * self.near(0.01, 0.5)) for _ in range(2)]
            loss = {kind: {"good": p / 10, "good_period": period[0], "bad": p, "bad_period": period[1], "switch": self.rng.random()}}
        elif kind == "gilbert_elliott":
            loss = {kind: {"to_bad": p, "to_good": self.rng.uniform(0.05, 1), "bad": self.rng.uniform(0.1, 1)}}
        else:
            loss = {kind: p}
        if self.chance(0.3):
            loss["on"] = "all"
        return loss

    # flows

    def all_flows(self, shape):
        kinds = self.rng.randint(1, min(5, self.flows))
        counts = [1 + (self.flows - kinds) // kinds] * kinds
        flows = []
        for count in counts:
            kind = self.rng.choices((self.tcp, self.media, self.udp), (6, 2, 2))[0]
            flow = kind(count) | {"count": count} | self.place(shape)
            if self.chance(0.3):
                # flows that begin at one moment show the order of simultaneous events
                flow["start"] = self.rng.choice(("0 s", time(self.duration / 10)))
            elif self.chance(0.5):
                flow["start"] = {"uniform": ["0 s", time(self.duration * self.rng.uniform(0.01, 0.8))]}
            if self.chance(0.2):
                flow["group"] = "a"
            flows.append(flow)
        if self.chance(0.1):
            flows[0]["name"] = "relayed"
            flows.append(self.relay(shape, flows[0]))
        return flows

    def relay(self, shape, before):
        """Returns a flow that begins where another ends."""
        flow = self.tcp(1) | {"relays": "relayed", "count": before["count"]}
        flow.pop("size", None)
        if shape == "dumbbell":
            return flow | {"direction": {"right": "left", "left": "right"}[before["direction"]]}
        every = self.nodes if shape == "graph" else [f"r{number}" for number in range(1, self.hops + 2)]
        end = before.get("to", every[-1])
        return flow | {"from": end, "to": self.rng.choice([node for node in every if node != end])}

    def place(self, shape):
        if shape == "graph":
            here, there = self.rng.sample(self.nodes, 2)
            return {"from": here, "to": there}
        place = {}
        if shape == "dumbbell":
            place["direction"] = self.rng.choices(("right", "left"), (4, 1))[0]
        elif self.chance(0.6):
            here, there = self.rng.sample(range(1, self.hops + 2), 2)
            place |= {"from": f"r{here}", "to": f"r{there}"}
        if self.chance(0.3):
            place["access"] = {"delay": self.delay()}
        return place

    def named(self, entry):
        """Returns a control or rate control, with some of its choices set."""
        chosen = {key: self.rng.choice(values) for key, values in entry.choices.items() if self.chance(0.15)}
        return {"name": entry.name} | chosen if chosen else entry.name

    def tcp(self, _):
        entry = self.rng.choice(self.names["control"])
        flow = {"control": self.named(entry)}
        if self.chance(0.4):
            flow["recovery"] = self.rng.choice(entry.recoveries)
        options = {
            "payload": lambda: f"{self.whole(100, 9000)} B",
            "header": lambda: "52 B",
            "size": lambda: f"{self.whole(1, 2000)} segments",
            "initial_window": lambda: self.rng.choice((1, 10, "rfc3390")),
            "min_rto": lambda: self.rng.choice(("1 ms", "50 ms", "1 s")),
            "rto_tick": lambda: self.rng.choice(("1 ms", "100 ms", "500 ms")),
            "handshake": lambda: False,
            "limited_transmit": lambda: False,
            "delayed_ack": lambda: self.rng.choice((True, "200 ms")),
            "timestamps": lambda: {"granularity": self.rng.choice(("1 us", "1 ms", "10 ms"))},
            "receiver_window": lambda: self.whole(1, 200),
            "ssthresh": lambda: self.whole(2, 100),
            "ecn": lambda: "accurate" if "counts of ECN marks" in entry.needs else True,
            "probe_every": lambda: self.whole(1, 20),
            "ack_control": lambda: self.rng.choice((True, {"max": 4})),
            "adaptation": lambda: True,
            "classify": lambda: [e.name for e in self.rng.sample(self.names["classifier"], 2)],
        }
        for key, draw in options.items():
            if self.chance(0.08):
                flow[key] = draw()
        if "ack_control" in flow:
            flow.pop("delayed_ack", None)
        if "measurements of the rate of delivery" in entry.needs:
            # such a control sets its window by itself
            flow.pop("adaptation", None)
        return flow

    def media(self, _):
        flow = {"rate_control": self.named(self.rng.choice(self.names["rate control"]))}
        if self.chance(0.3):
            flow["segment"] = f"{self.whole(100, 1500)} B"
        return flow

    def udp(self, count):
        # all flows together offer up to one and a half times the bottleneck's rate
        rate = max(1000, self.rate / count * self.near(0.01, 1.5))
        bursts = {"rate": f"{int(rate)} b/s", "on": time(self.near(1e-3, 1)), "off": time(self.near(1e-3, 1))}
        source = self.rng.choice((
            {"cbr": f"{int(rate)} b/s"}, {"exponential": bursts}, {"pareto": bursts | {"shape": self.rng.uniform(1.1, 3)}}))
        flow = {"source": source, "packet": f"{self.whole(200, 1500)} B"}
        if self.chance(0.1):
            flow["stop"] = time(self.duration)
        return flow

    def probe(self):
        values = ("cwnd", "inflation", "ssthresh", "rtt", "explain", "queue", "rate", "sequence", "losses", "sending")
        probe = {"interval": time(self.duration / self.whole(3, 60))}
        if self.chance(0.5):
            probe["values"] = self.rng.sample(values, self.rng.randint(1, 5))
        if self.chance(0.3):
            probe["estimate"] = [e.name for e in self.rng.sample(self.names["estimator"], 2)]
        if self.chance(0.3):
            probe["equation"] = self.rng.choice(("reno", "veno"))
        return probe


def time(seconds):
    """Returns a time in whole nanoseconds."""
    return f"{max(1000, int(seconds * 1e9))} ns"
