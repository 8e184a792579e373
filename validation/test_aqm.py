"""Tests of the comparison with ns-3: python3 -m unittest discover validation"""

import argparse
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import aqm
import ns3

PATH = {"name": "p", "rate": "10 Mb/s", "rtt": "44 ms", "flows": 2, "loss": 0.01, "duration": "20 s"}
OUTPUT = """flow=0 start=0.5 bytes=1000 sent=9 timeouts=1 cuts=0
flow=1 start=10 bytes=2000 sent=9 timeouts=2 cuts=0
link sent=18 drops=7 lost=0 sojourn_s=0.0125
"""


def runs(**means):
    usual = {"goodput_bps": 1e6, "sojourn_s": 0.01, "drops": 100, "timeouts": 0}
    return [usual | means] * 2


def row(sender="udp", **ours):
    return aqm.Row(PATH, "codel", sender, runs(), runs(**ours))


class Ns3(unittest.TestCase):
    def test_the_output_of_a_run_is_read(self):
        # 8,000 bits in 19.5 s and 16,000 in 10 s
        found = ns3.quantities(OUTPUT, PATH)
        self.assertAlmostEqual(found.pop("goodput_bps"), 8000 / 19.5 + 1600)
        self.assertEqual(found, {"sojourn_s": 0.0125, "drops": 7, "timeouts": 3})

    def test_both_simulators_have_the_same_path(self):
        self.assertEqual(float(ns3.options(PATH)["delay"]), 0.020)
        bottleneck = tomllib.loads(aqm.scenario(PATH, "pie"))["dumbbell"]["bottleneck"]
        self.assertEqual(bottleneck["delay"], "20000 us")
        self.assertEqual(bottleneck["queue"], {"pie": {"limit": 1000, "burst": "0 s"}})
        self.assertEqual(bottleneck["loss"], {"bernoulli": 0.01, "on": "all"})

    def test_both_simulators_have_the_same_queue(self):
        path = PATH | {"limit": 50, "target": "2 ms", "interval": "30 ms"}
        found = ns3.options(path)
        self.assertEqual((found["limit"], found["target"], found["interval"]), (50, 0.002, 0.03))
        for queue, expected in (
            ("codel", {"limit": 50, "target": "2 ms", "interval": "30 ms"}),
            ("fq_codel", {"limit": 50, "target": "2 ms", "interval": "30 ms", "ecn": False, "quantum": 1502}),
            ("pie", {"limit": 50, "target": "2 ms", "burst": "0 s"}),
        ):
            bottleneck = tomllib.loads(aqm.scenario(path, queue))["dumbbell"]["bottleneck"]
            self.assertEqual(bottleneck["queue"], {queue: expected})

    def test_more_keys_are_those_of_one_queue(self):
        more = aqm.queue_keys("codel.mtu = '1 kB'")
        for queue, expected in (("codel", "1 kB"), ("fq_codel", None)):
            bottleneck = tomllib.loads(aqm.scenario(PATH, queue, more))["dumbbell"]["bottleneck"]
            self.assertEqual(bottleneck["queue"][queue].get("mtu"), expected)
        for wrong in ("red.limit = 3", "codel = 3", "codel"):
            self.assertRaises(argparse.ArgumentTypeError, aqm.queue_keys, wrong)

    def test_udp_has_packets_of_the_same_size_and_rate(self):
        path = PATH | {"udp": 1.5}
        (flow,) = tomllib.loads(aqm.scenario(path, "codel"))["flow"]
        self.assertEqual((flow["source"], flow["packet"], flow["count"]), ({"cbr": "7500000 b/s"}, "1502 B", 2))
        self.assertEqual(ns3.options(path)["payload"] + 30, ns3.PACKET)
        self.assertEqual(ns3.senders(path), ("udp",))

    def test_a_reference_with_other_settings_is_refused(self):
        stored = {"path": "p", "settings": ns3.settings(PATH), "queue": "pie", "sender": "strict", "seed": "1",
                  "goodput_bps": "1", "sojourn_s": "2", "drops": "3", "timeouts": "4"}
        self.assertEqual(ns3.select([stored], PATH, "pie", "strict")[0]["drops"], 3)
        for wrong in (PATH | {"rtt": "45 ms"}, PATH | {"name": "q"}):
            with self.assertRaises(ns3.Ns3Error):
                ns3.select([stored], wrong, "pie", "strict")

    def test_new_runs_replace_those_of_their_path_and_queue(self):
        def one(path, queue, seed, drops):
            return dict.fromkeys(ns3.COLUMNS, "0") | {
                "path": path, "queue": queue, "sender": "udp", "seed": seed, "drops": drops}
        old = [one("a", "pie", "1", "1"), one("b", "codel", "2", "2"), one("b", "codel", "1", "3"), one("gone", "pie", "1", "4")]
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "ns3.csv"
            ns3.save(file, old, [one("a", "pie", "1", "5")], ["b", "a"])
            self.assertEqual([row["drops"] for row in ns3.load(file)], ["3", "2", "5"])

    def test_every_path_has_its_reference(self):
        stored = ns3.load(aqm.REFERENCE)
        for path in aqm.read(aqm.PATHS):
            for queue in ns3.QUEUES:
                for sender in ns3.senders(path):
                    self.assertEqual(len(ns3.select(stored, path, queue, sender)), ns3.seeds(path, sender), path["name"])

    def test_a_missing_compiler_is_named(self):
        with self.assertRaisesRegex(ns3.Ns3Error, "no-such-compiler"):
            ns3.build("no-such-compiler", "/")


class Bounds(unittest.TestCase):
    def test_each_quantity_has_its_own(self):
        self.assertEqual(row(goodput_bps=1.029e6, sojourn_s=0.0109, drops=114).outside(), [])
        self.assertEqual(
            row(goodput_bps=0.969e6, sojourn_s=0.0111, drops=116).outside(), ["goodput_bps", "sojourn_s", "drops"])

    def test_few_drops_are_not_compared(self):
        self.assertEqual(row(drops=19).outside(), [])
        self.assertIsNone(row(drops=19).difference("drops"))

    def test_what_is_outside_is_bold_and_counted(self):
        text = aqm.text([row(), row(sojourn_s=0.02)])
        self.assertIn("**+100.0 ± 0.0 %**", text)
        self.assertIn("Within the bounds, of 2: goodput in 2, sojourn in 1, drops in 2.", text)

    def test_only_queues_alone_that_are_not_known_decide_about_the_exit_status(self):
        self.assertEqual(row(drops=150).unexplained(), ["drops"])
        self.assertEqual(row(sender="strict", drops=150).unexplained(), [])
        known = row(drops=150, sojourn_s=0.02)
        known.path = PATH | {"known": {"codel": ["drops"], "pie": ["sojourn_s"]}}
        self.assertEqual(known.unexplained(), ["sojourn_s"])

    def test_a_single_run_of_ns3_has_no_interval(self):
        one = aqm.Row(PATH, "codel", "strict", runs()[:1], [*runs(drops=90), *runs(drops=110)])
        apart, half = one.difference("drops")
        # 90, 90, 110, 110: standard error 5.77, times t(3) = 3.18, of 100
        self.assertAlmostEqual(apart, 0)
        self.assertAlmostEqual(half, 0.1837, 3)


if __name__ == "__main__":
    unittest.main()
