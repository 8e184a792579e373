"""Tests of the comparison: python3 -m unittest discover validation"""

import math
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))

import backward
import baselines
import beside_ns2
import epochs
import intervals
import ns2
import paths
import report
import simulator
import synchronisation
import units


def path(**changes):
    table = {
        "name": "p", "rate": "2 Mb/s", "delay": "10 ms", "access_rate": "10 Mb/s", "access_delay": "10 ms",
        "buffer": 60, "loss": 0.01, "flows": 1, "payload": "1000 B", "duration": "100 s", "seeds": 2,
    }
    return paths.Path(**(table | changes))


def runs(*goodputs):
    return [{"goodput_bps": g, "sent": 100.0, "retransmits": 30.0, "timeouts": 0.0} for g in goodputs]


class Speed(unittest.TestCase):
    def test_every_case_has_its_scenario(self):
        for case in beside_ns2.RUNS_A_PROCESS:
            self.assertTrue((beside_ns2.CASES / f"{case}.toml").is_file(), case)


class Quantities(unittest.TestCase):
    def test_units(self):
        self.assertEqual(units.rate("0.5 Mb/s"), 500_000.0)
        self.assertAlmostEqual(units.time("140 ms"), 0.14)
        self.assertEqual(units.size("512 B"), 512)

    def test_an_unknown_unit_is_named(self):
        with self.assertRaisesRegex(ValueError, "'5 Mbit' is no rate"):
            units.rate("5 Mbit")

    def test_bandwidth_delay_product(self):
        # 2 Mb/s times 60 ms is 15000 B: 14.4 packets of 1040 B
        self.assertAlmostEqual(path().bdp, 14.423, places=3)


class Statistics(unittest.TestCase):
    def test_student_quantiles_of_the_printed_tables(self):
        for degrees, value in ((1, 12.706), (4, 2.776), (9, 2.262), (19, 2.093), (120, 1.980)):
            self.assertAlmostEqual(intervals.t_quantile(degrees), value, places=3)

    def test_half_width(self):
        # 1, 2, 3: s = 1, s/sqrt(3) = 0.57735, t_2 = 4.3027
        self.assertAlmostEqual(intervals.half_width([1.0, 2.0, 3.0]), 2.4841, places=4)

    def test_a_ratio_of_zero_is_undefined(self):
        self.assertIsNone(intervals.ratio([0.0], [1.0]))

    def test_lean(self):
        # logs 0.01, 0.02, 0.03: mean 0.02, error 0.01/sqrt(3), t = 3.4641, p = 0.0742 with 2 degrees
        mean, p = intervals.lean([math.exp(x) for x in (0.01, 0.02, 0.03)])
        self.assertAlmostEqual(mean, 1.020201, places=6)
        self.assertAlmostEqual(p, 0.0742, places=4)


class Verdicts(unittest.TestCase):
    def test_goodput_within_and_outside(self):
        inside = report.Row(path(), "reno", runs(100.0, 100.0), runs(104.0, 104.0))
        outside = report.Row(path(), "reno", runs(100.0, 100.0), runs(106.0, 106.0))
        self.assertEqual(inside.breaches(), [])
        self.assertEqual(outside.breaches(), ["p, reno: goodput differs by +6.0 %, bound 5 %"])

    def test_vegas_may_differ_more(self):
        self.assertEqual(report.Row(path(), "vegas", runs(100.0), runs(93.0)).breaches(), [])
        self.assertEqual(len(report.Row(path(), "vegas", runs(100.0), runs(91.0)).breaches()), 1)

    def test_heavy_loss_and_information_have_no_bound(self):
        for free in (path(loss=0.05), path(information=True)):
            self.assertEqual(report.Row(free, "sack", runs(100.0), runs(50.0)).breaches(), [])

    def test_retransmissions_of_another_order(self):
        many = [run | {"retransmits": 100.0} for run in runs(100.0)]
        row = report.Row(path(), "sack", runs(100.0), many)
        self.assertEqual(row.breaches(), ["p, sack: retransmits are not of the same order: ratio 3.33"])

    def test_no_bound_is_exceeded_before_the_simulator_has_run(self):
        self.assertEqual(report.Row(path(), "sack", runs(100.0), None).breaches(), [])


class Files(unittest.TestCase):
    def test_the_paths_are_valid(self):
        every = paths.read(Path(__file__).parent / "paths.toml")
        self.assertEqual(len({p.name for p in every}), len(every))
        self.assertTrue(any(p.quick for p in every))

    def test_a_wrong_key_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "paths.toml"
            file.write_text('[[path]]\nname = "x"\nbufer = 3\n')
            with self.assertRaisesRegex(ValueError, "path x: .*buffer is missing.*bufer is unknown"):
                paths.read(file)

    def test_the_reference_is_complete_and_current(self):
        rows = ns2.load(Path(__file__).parent / "reference" / "ns2.csv")
        for p in paths.read(Path(__file__).parent / "paths.toml"):
            for protocol in ns2.PROTOCOLS:
                self.assertEqual(len(ns2.select(rows, p, protocol)), p.seeds, f"{p.name} {protocol}")

    def test_a_stale_reference_is_refused(self):
        row = dict.fromkeys(ns2.COLUMNS, "1") | {"path": "p", "protocol": "reno", "settings": "old"}
        with self.assertRaisesRegex(ns2.Ns2Error, "other settings"):
            ns2.select([row], path(), "reno")

    def test_flows_of_a_run_are_averaged(self):
        row = dict.fromkeys(ns2.COLUMNS, "1") | {"path": "p", "protocol": "reno", "settings": path().settings}
        got = ns2.select([row | {"goodput_bps": "10"}, row | {"flow": "2", "goodput_bps": "30"}], path(), "reno")
        self.assertEqual([run["goodput_bps"] for run in got], [20.0])

    def test_only_text_between_the_markers_is_replaced(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "validation.md"
            file.write_text(f"head\n{report.BEGIN}\nold\n{report.END}\ntail\n")
            report.write_docs(file, "new")
            self.assertEqual(file.read_text(), f"head\n{report.BEGIN}\n\nnew\n\n{report.END}\ntail\n")
            file.write_text("no markers")
            with self.assertRaises(ValueError):
                report.write_docs(file, "new")


class Synchronisation(unittest.TestCase):
    def test_counters_that_rise_are_cuts(self):
        # cuts before 10 s are left out, but the counters start from their values at 10 s
        lines = [(9.0, 1, 0), (10.5, 1, 0), (11.0, 2, 0), (11.5, 2, 1), (12.0, 2, 1)]
        self.assertEqual(epochs.rises(lines), ([11.0], [11.5]))

    def test_cuts_within_a_quarter_of_a_second_are_one_epoch(self):
        # a chain of small gaps is one epoch, however long it is
        self.assertEqual(epochs.epochs(([11.0, 20.0], [11.2, 11.4])), [{0, 1}, {0}])
        self.assertEqual(epochs.epochs(([11.0], [11.5])), [{0}, {1}])
        self.assertEqual(epochs.epochs(([], [])), [])

    def test_the_summary_of_a_run(self):
        cuts = ([11.0, 20.0], [11.2, 11.4])
        self.assertEqual(epochs.summary(cuts), {"epochs": 2, "both": 1, "cuts_1": 2, "cuts_2": 2})

    def test_both_sides_have_the_same_conditions(self):
        for place, runs in synchronisation.PLACES.items():
            drawn = [synchronisation.conditions(place, seed) for seed in range(1, runs + 1)]
            self.assertEqual(len(set(drawn)), runs)
            self.assertTrue(all(0 <= start < 1 for _, *starts in drawn for start in starts))
            self.assertTrue(all(45 <= delay <= 55 for delay, *_ in drawn))

    def test_the_reference_is_complete_current_and_has_the_known_numbers(self):
        found = synchronisation.load()
        theirs = {pair: intervals.mean(synchronisation.together(runs))
                  for (pair, place), runs in found.items() if place == "printed"}
        self.assertAlmostEqual(theirs["Reno, Reno"], 0.998, delta=0.002)
        self.assertAlmostEqual(theirs["Linux's Veno, Linux's Veno"], 0.61, delta=0.05)
        self.assertAlmostEqual(theirs["Reno, Linux's Veno"], 0.61, delta=0.05)

    def test_an_exceeded_bound_is_named_unless_it_is_known(self):
        reno, *_, mixed = synchronisation.PAIRS
        theirs = [{"epochs": "100", "both": "90"}] * 2
        ours = [{"epochs": 100, "both": 72}] * 2
        self.assertEqual(
            synchronisation.breaches([(reno, "printed", ours, theirs), (mixed, "printed", ours, theirs)]),
            ["Reno, Reno, printed: differs by -0.180, bound 0.02"])
        # A known difference must not grow.
        worse = [{"epochs": 100, "both": 50}] * 2
        self.assertEqual(
            synchronisation.breaches([(mixed, "printed", worse, theirs)]),
            ["Reno, Linux's Veno, printed: differs by -0.400, bound 0.1"])
        self.assertEqual(synchronisation.breaches([(reno, "printed", theirs, theirs)]), [])

    def test_a_scenario_has_the_starts_and_the_delay_of_the_reference(self):
        row = {"delay_ms": "47.125", "start_1": "0.25", "start_2": "0.5"}
        text = synchronisation.scenario(synchronisation.PAIRS[-1], row)
        self.assertIn('delay = "47.125 ms"', text)
        self.assertLess(text.index('start = "0.25 s"'), text.index('start = "0.5 s"'))


class Scenarios(unittest.TestCase):
    def test_missing_programs_say_what_to_install(self):
        with self.assertRaisesRegex(simulator.SimulatorError, "cargo build --release"):
            simulator.run("/nowhere/dumbbell", path(), '"reno"', "reno", 1, 1, "/tmp")
        with self.assertRaisesRegex(ns2.Ns2Error, "apt install ns2"):
            ns2.run("/nowhere/ns", [path()], ["reno"], 1, lambda _: None)

    def test_ns2_gets_every_setting(self):
        extra = path(delayed_ack="100 ms", backward={"rate": "4 Mb/s", "on": "20 ms", "off": "40 ms", "packet": "500 B"})
        command = ns2._command("ns", extra, "vegas", 7)
        options = SimpleNamespace(**{k[1:]: v for k, v in zip(command[2::2], command[3::2])})
        self.assertEqual((options.bw, options.buf, options.seed), ("2000000.0", "60", "7"))
        self.assertEqual((options.delack, options.backoff, options.backpkt), ("0.1", "0.04", "500"))


class Baselines(unittest.TestCase):
    def test_a_load_is_the_mean_rate_of_the_bursts(self):
        # 10 ms out of 50 ms at 2 Mb/s is 0.4 Mb/s
        text = backward.Case("single", 0.4, True).scenario()
        self.assertIn('on = "10 ms", off = "40.000000 ms"', text)
        self.assertEqual(backward.Case("parking", 0.4, True).scenario().count("exponential"), 3)

    def test_a_difference_beyond_the_bound_is_a_breach(self):
        case = backward.Case("single", 0.8, True)
        far, near = [600.0, 602.0], [510.0, 512.0]
        found = baselines.breaches([(case, "Vegas", "kb/s", far, near)])
        self.assertEqual(len(found), 1)
        self.assertIn("+17.6 %", found[0])
        self.assertEqual(baselines.breaches([(case, "Vegas", "kb/s", near, near)]), [])

    def test_the_stored_reference_is_that_of_the_cases(self):
        found = baselines.load()
        for case in baselines.CASES:
            values = [rows for (name, *_), rows in found.items() if name == case.name]
            self.assertTrue(values, case.name)
            self.assertTrue(all(len(rows) == case.seeds for rows in values), case.name)


if __name__ == "__main__":
    unittest.main()
