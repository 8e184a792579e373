"""Tests of the comparison of speeds: python3 -m unittest discover validation"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import speed


def case(letter, ours, theirs, started):
    return speed.Case(letter, Path("x.toml"), {"name": "a name"}, ours, theirs, started)


class Ns2(unittest.TestCase):
    def test_the_cases_are_the_same_for_ns2(self):
        a = speed.ns2_options(speed.read("a").scenario)
        self.assertEqual(a, {
            "proto": "newreno", "n": 1, "loss": 0.01, "bw": 2e6, "delay": 0.01, "abw": 1e7, "adelay": 0.01,
            "buf": 60, "dur": 2000.0, "jitter": 0,
        })
        c = speed.ns2_options(speed.read("c").scenario)
        self.assertEqual(c, {
            "proto": "newreno", "n": 100, "loss": 0, "bw": 1e8, "delay": 0.02, "abw": 1e9, "adelay": 0.001,
            "buf": 500, "dur": 60.0, "jitter": 0.1,
        })

    def test_packets_that_open_connections_are_not_data(self):
        # two packets of 40 bytes, three of 1040
        output = "flow=0 sent=3\nlink departures=5 bytes=3200 qdrops=0 end=1\n"
        self.assertEqual(speed.ns2_packets(output), 3)

    def test_an_unknown_case_is_named(self):
        with self.assertRaisesRegex(speed.SpeedError, "no case 'e'"):
            speed.read("e")


class Dumbbell(unittest.TestCase):
    def test_packets_of_all_runs_are_counted(self):
        self.assertEqual(speed.dumbbell_packets('{"packets": 5}\n{"packets": 7}\n'), 12)

    def test_a_program_that_fails_is_named_with_its_reason(self):
        with self.assertRaisesRegex(speed.SpeedError, "-c.*: no such road"):
            speed.timed([sys.executable, "-c", "import sys; sys.exit('no such road')"])

    def test_processor_time_is_not_elapsed_time(self):
        _, slept = speed.timed([sys.executable, "-c", "import time; time.sleep(0.4)"])
        _, worked = speed.timed([sys.executable, "-c", "import time\nwhile time.process_time() < 0.4: pass"])
        self.assertLess(slept, 0.3)
        self.assertGreaterEqual(worked, 0.4)


class Report(unittest.TestCase):
    def test_median_and_range_of_a_case(self):
        rows = speed.table([case("a", [12e6, 10e6, 15e6], [1e6, 0.5e6, 1e6], [2e6, 1e6, 1e6])], "a command")
        self.assertIn("| (a) a name | 1.00 (0.50 to 1.00) | 1.00 (1.00 to 2.00) | 12.00 (10.00 to 15.00) "
                      "| 15.0 (12.0 to 20.0) | 10.0 (6.0 to 15.0) |", rows)
        self.assertIn("of 3 rounds, made with `a command`", rows)

    def test_a_case_without_ns2_has_no_ratio(self):
        self.assertIn("| (d) a name | - | - | 2.00 (2.00 to 2.00) | - | - |", speed.table([case("d", [2e6], [], [])], ""))

    def test_the_required_ratios_of_the_cases(self):
        self.assertEqual(speed.shortfalls([case("a", [12e6], [1e6], []), case("b", [1e6], [1e6], [])]), [])
        (line,) = speed.shortfalls([case("c", [19e6], [1e6], [])])
        self.assertIn("19.0 times ns-2, 20 required", line)

    def test_only_text_between_the_markers_is_replaced(self):
        old = "head\n<!-- begin:speed -->\nold\n<!-- end:speed -->\ntail\n"
        new = speed.replaced(old, "speed", "new")
        self.assertEqual(new, "head\n<!-- begin:speed -->\n\nnew\n\n<!-- end:speed -->\ntail\n")
        self.assertEqual(speed.replaced(new, "speed", "new"), new)
        with self.assertRaisesRegex(speed.SpeedError, "must each stand once"):
            speed.replaced("nothing", "speed", "new")


if __name__ == "__main__":
    unittest.main()
