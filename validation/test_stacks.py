"""Tests of stacks_report.py, and of what docs/parity.md says of the stored runs."""

import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import stacks
import stacks_report as report

HERE = Path(__file__).parent
STORED = HERE / "reference" / "stacks"
PAGE = HERE.parent / "docs" / "parity.md"
# The controls whose order is the same everywhere, where the intervals tell them apart.
ORDERED = ["reno", "veno", "venodb", "westwood+"]
# Where they do not, with the hosts on which it is the other way round (docs/parity.md says why): on a path without random
# losses runs of the simulator have no interval, so that they tell 0.1 % apart.
OTHERWISE = {
    ("shallow", "veno", "venodb"): ["simulated QUIC", "quinn"],
    ("shallow", "veno", "westwood+"): ["simulated QUIC", "quinn"],
}


def run(control, host, goodput, **more):
    usual = {"seed": 1, "segments": 100, "retransmits": 1, "cuts": 2, "rtt_mean_s": 0.1, "elapsed_s": 10.0, "doubts": 0}
    return {"control": control, "host": host, "goodput_bps": goodput, **usual, **more}


def several(control, host, goodputs):
    return [run(control, host, goodput * 1e6, seed=seed) for seed, goodput in enumerate(goodputs)]


class Report(unittest.TestCase):
    def test_runs_are_read_as_they_were_written(self):
        runs = several("reno", "quinn", [1.5, 2.5]) + [run("veno", "kernel", 3e6, rtt_mean_s=None, doubts=1)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "radio.csv"
            self.assertEqual(report.read(file), [])
            report.write(file, runs)
            self.assertEqual(report.read(file), runs)

    def test_a_row_has_the_ratio_of_each_real_host_and_its_doubted_runs(self):
        runs = several("reno", "quinn", [1.0, 1.0]) + several("reno", "simulated QUIC", [1.0, 1.0])
        runs += several("reno", "kernel", [2.0, 2.0]) + several("reno", "simulated Linux", [1.0, 1.0])
        runs[4]["doubts"] = 1
        self.assertEqual(
            report.row("radio", runs, "reno"),
            "| radio, reno | 1.000 ± 0.000 | 1.000 ± 0.000 | 1.000 | 2.000 ± 0.000 | 1.000 ± 0.000 | **2.000** | 1 of 4 |",
        )
        self.assertEqual(report.misses(runs), [("reno", "kernel")])

    def test_a_run_is_doubted_if_the_emulator_or_the_connection_was_limited(self):
        counts = {"goodput_bps": 1e6, "segments": 9, "retransmits": 1, "cuts": 1, "rtt_mean_s": 0.1, "elapsed_s": 10.0}
        real = [
            {"seed": seed, "measured": {**counts, "limits": limits}, "network": {"faults": faults}}
            for seed, limits, faults in ((1, [], []), (2, ["window"], []), (3, [], ["late"]))
        ]
        sides = [{"host": "kernel", "runs": real}, {"host": "simulated Linux", "simulated": [{**counts, "seed": 1}]}]
        found = report.of_json({"rows": [{"label": "reno", "sides": sides}]})
        self.assertEqual([(of["host"], of["seed"], of["doubts"]) for of in found],
                         [("kernel", 1, 0), ("kernel", 2, 1), ("kernel", 3, 1), ("simulated Linux", 1, 0)])

    def test_what_is_saved_is_not_measured_again(self):
        asked = []

        def measured(args, folder, name, controls):
            asked.append(controls)
            return {"rows": []}

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(stacks, "measured", measured):
            report.write(Path(folder) / "radio.csv", several("reno", "quinn", [1.5, 2.5]))
            args = argparse.Namespace(controls="reno", save=Path(folder))
            self.assertEqual(len(stacks.of_path(args, Path(folder), "radio")[0]), 2)
            args.controls = "reno,veno"
            stacks.of_path(args, Path(folder), "radio")
        self.assertEqual(asked, [["veno"]])

    def test_a_prediction_replaces_the_simulated_runs_alone_and_a_check_replaces_none(self):
        before = several("reno", "simulated QUIC", [1.0, 1.1]) + several("reno", "quinn", [2.0, 2.1])
        before += several("veno", "simulated QUIC", [3.0, 3.1])
        for number, run in enumerate(before):
            run["seed"] = number % 2 + 1
        asked = []

        def parity(program, folder, name, controls, seeds, time, more):
            asked.append((name, controls, seeds, time, more))
            simulated = [{**run, "goodput_bps": 5e6} for run in before[:2]]
            return {"rows": [{"label": "reno", "sides": [{"host": "simulated QUIC", "simulated": simulated}]}]}

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(stacks, "parity", parity):
            file = Path(folder) / "radio-100s.csv"
            report.write(file, before)
            args = argparse.Namespace(program=Path("it"), predict=Path(folder), paths="radio-100s", controls="reno", check=True)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                self.assertEqual(stacks.predict_all(args), 1)
            self.assertIn("radio-100s, reno, simulated QUIC: 1.050 ± 0.635 Mb/s before, 5.000 ± 0.000 now", out.getvalue())
            self.assertEqual(report.read(file), before)
            args.check = False
            args.paths = None
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(stacks.predict_all(args), 0)
                self.assertEqual([run["goodput_bps"] for run in report.read(file)], [5e6, 5e6, 2.0e6, 2.1e6, 3.0e6, 3.1e6])
                args.check = True
                self.assertEqual(stacks.predict_all(args), 0)
        self.assertEqual(asked, 3 * [("radio-100s", ["reno"], 2, 10, ["--predict"])])

    def test_the_simulated_linux_is_held_to_the_kept_runs_where_the_tick_is_theirs(self):
        before = [run("reno", host, 1e6, seed=1) for host in ("simulated Linux", "kernel")]

        def parity(*_):
            return {"rows": [{"label": "reno", "sides": [{"host": "simulated Linux", "simulated": [{**before[0], "goodput_bps": 2e6}]}]}]}

        for tick, code, goodput, told in ((0.004, 1, 2e6, "1 goodputs"), (0.001, 0, 1e6, "is left out")):
            with (
                tempfile.TemporaryDirectory() as folder,
                mock.patch.object(stacks, "parity", parity),
                mock.patch.object(stacks.time, "clock_getres", return_value=tick),
                contextlib.redirect_stdout(io.StringIO()) as out,
            ):
                file = Path(folder) / "radio.csv"
                report.write(file, before)
                args = argparse.Namespace(program=Path("it"), predict=Path(folder), paths=None, controls="reno", check=True)
                self.assertEqual(stacks.predict_all(args), code)
                self.assertEqual(report.read(file), before)
                args.check = False
                self.assertEqual(stacks.predict_all(args), 0)
                self.assertEqual([run["goodput_bps"] for run in report.read(file)], [goodput, 1e6])
            self.assertIn(told, out.getvalue())

    def test_an_order_needs_intervals_that_are_apart(self):
        runs = several("reno", "quinn", [1.0, 1.01]) + several("veno", "quinn", [2.0, 2.01])
        runs += several("reno", "kernel", [2.0, 2.01]) + several("veno", "kernel", [1.0, 1.01])
        runs += several("reno", "noq", [1.0, 9.0]) + several("veno", "noq", [2.0, 9.0])
        self.assertEqual(report.orders(runs), [("reno", "veno", ["kernel"], ["quinn"])])
        only = [of for of in runs if of["host"] != "kernel"]
        self.assertEqual(report.orders(only), [("veno", "reno", ["quinn"], [])])


class Stored(unittest.TestCase):
    """The standing report."""

    def runs(self, path):
        return report.read(STORED / f"{path}.csv")

    def test_the_page_has_the_tables_of_the_stored_runs(self):
        page = PAGE.read_text(encoding="utf-8").splitlines()
        for path, name in [*zip(stacks.PATHS, stacks.PATHS), ("radio-100s", "radio, 100 s")]:
            runs = self.runs(path)
            self.assertTrue(runs, path)
            for control in report.controls(runs):
                row = report.row(name, runs, control)
                self.assertIn(row, page, f"`python3 validation/stacks.py --from {STORED}` prints the table")

    def test_each_control_that_all_three_can_run_is_there_on_each_path(self):
        for path in stacks.PATHS:
            for control in stacks.OURS:
                hosts = {run["host"] for run in self.runs(path) if run["control"] == control}
                self.assertIn("kernel", hosts, f"{path}, {control}")
                self.assertTrue(hosts & {"quinn", "noq"}, f"{path}, {control}")

    def test_hosts_that_tell_reno_veno_venodb_and_westwood_apart_agree(self):
        against = {}
        for path in stacks.PATHS:
            for faster, slower, _, other in report.orders(self.runs(path), ORDERED):
                if other:
                    against[path, faster, slower] = other
        self.assertEqual(against, OTHERWISE)

    def test_veno_in_quinn_beats_reno_by_a_tenth_at_losses_of_2_percent(self):
        runs = report.read(STORED / "radio-100s.csv")
        reno, veno = (report.of(runs, control, "quinn") for control in ("reno", "veno"))
        for of in (reno, veno):
            self.assertEqual(len(of), 6)
            self.assertTrue(all(run["elapsed_s"] > 99 and not run["doubts"] for run in of))
        (a, a_half), (b, b_half) = (report.quantity("goodput", of) for of in (veno, reno))
        # Also if both means are at the worst ends of their intervals.
        self.assertGreaterEqual((a - a_half) / (b + b_half), 1.1)


if __name__ == "__main__":
    unittest.main()
