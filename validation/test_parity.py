"""Tests of the arithmetic of parity.py."""

import argparse
import contextlib
import io
import json
import math
import re
import tempfile
import tomllib
import unittest
from pathlib import Path

import parity


def run(goodput=1e6, rtt=0.1, resent=1, cuts=2):
    return {
        "goodput_bps": goodput,
        "rtt_mean_s": rtt,
        "retransmits": resent,
        "segments": 100,
        "cuts": cuts,
        "elapsed_s": 10.0,
    }


class Parity(unittest.TestCase):
    def test_times_between_cuts_are_those_of_all_runs_together(self):
        runs = [run(cuts=1), run(cuts=4)]
        self.assertEqual(parity.quantity("between_cuts", runs)[0], 4.0)
        self.assertTrue(math.isnan(parity.quantity("between_cuts", [run(cuts=0)])[0]))

    def test_an_interval_is_that_of_student(self):
        # 1 % and 3 %: a mean of 2 with a standard error of 1, 12.706 times.
        mean, half = parity.quantity("resent", [run(resent=1), run(resent=3)])
        self.assertEqual(mean, 2.0)
        self.assertAlmostEqual(half, 12.706)

    def test_a_quantity_agrees_within_its_bound_and_both_intervals(self):
        # 5 % of 10, and intervals of 0.2 and 0.3: up to 11.
        self.assertTrue(parity.agrees("goodput", (11.0, 0.2), (10.0, 0.3)))
        self.assertFalse(parity.agrees("goodput", (11.01, 0.2), (10.0, 0.3)))
        self.assertTrue(parity.agrees("between_cuts", (12.0, 0.0), (10.0, 0.0)))
        self.assertIsNone(parity.agrees("rtt", (12.0, math.nan), (10.0, 0.0)))

    def test_scenarios_are_toml_and_turn_off_what_is_not_on(self):
        for path in parity.PATHS.values():
            whole = tomllib.loads(parity.scenario(path, "cubic", 9))
            flow = whole["flow"][0]
            self.assertEqual((flow["control"], flow["stack"], "tso" in flow), ("cubic", "linux", False))
            self.assertEqual(len(whole["flow"]), 2 if path[5] else 1)
            without = tomllib.loads(parity.scenario(path, "cubic", 9, on=set()))["flow"][0]
            self.assertEqual(without["control"]["whole_segments"], False)
            self.assertTrue(all(without[key] is False for key in ("rack", "tlp", "undo", "frto", "exit_growth", "tso")))

    def test_the_ladder_has_every_switch_of_linux(self):
        page = (Path(__file__).parents[1] / "docs" / "scenario.md").read_text()
        table = page.split('With `stack = "linux"`, these keys have other defaults')[1].split("\n\n")[1]
        keys = {key for row in table.splitlines() for key in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
        # Those of the first row of the ladder, and one for controls that are paced; then names of controls.
        keys -= {"payload", "header", "ack", "initial_window", "recovery", "delayed_ack", "counting", "abc_limit", "pacing_credit"}
        keys -= {"cubic", "reno"}
        self.assertEqual(keys, set(parity.EVERY))
        self.assertEqual(set(parity.OFF) - set(parity.EVERY), set())

    def test_the_simulated_side_is_that_of_the_first_flow(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()) as printed:
            program = Path(name) / "dumbbell"
            outcomes = [
                json.dumps({"flows": [{"goodput_bps": goodput, "retransmits": 3, "sent": 300}, {"goodput_bps": 9e9}]})
                for goodput in (2e6, 4e6)
            ]
            program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in outcomes))
            program.chmod(0o755)
            args = argparse.Namespace(binary=program, paths=["far"], controls=["bbr"], duration=9, seeds=2)
            parity.predicted(args, Path(name))
        # 12.706 standard errors of 1 Mb/s.
        self.assertEqual(
            printed.getvalue().splitlines()[2:],
            ["| far | bbr | goodput Mb/s | 3.000 ± 12.706 |", "| far | bbr | resent % | 1.00 ± 0.00 |"],
        )

    def test_kept_runs_of_the_kernel_are_predicted_anew(self):
        flow = {"goodput_bps": 2e6, "retransmits": 3, "sent": 300, "fast_recoveries": 2, "timeouts": 1, "start_s": 0.5}
        samples = "time_s,subject,quantity,value,word\\n0.1,a,srtt,0.04,\\n0.1,b,srtt,9,\\n0.2,a,srtt,0.06,\\n"
        kept = {"duration_s": 9.0, "interval_s": 0.1, "explanations": [1]}
        kept["rows"] = [{"runs": ["the kernel's"], "predicted": [{"seed": 4}]}]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = folder / "dumbbell"
            program.write_text(f"#!/bin/sh\nprintf '{samples}' > \"$7\"\necho '{json.dumps({'flows': [flow]})}'\n")
            program.chmod(0o755)
            (folder / "far.json").write_text(json.dumps(kept))
            args = argparse.Namespace(binary=program, kept=folder, controls=["bbr"], duration=15)
            found = parity.compared(args, folder, "far")
            self.assertIn("bbr1", (folder / "path.toml").read_text())
        expected = {"seed": 4, "goodput_bps": 2e6, "segments": 300, "retransmits": 3, "cuts": 3, "rtt_mean_s": 0.05, "elapsed_s": 8.5}
        self.assertEqual(found["rows"], [{"runs": ["the kernel's"], "predicted": [expected]}])
        self.assertNotIn("explanations", found)


if __name__ == "__main__":
    unittest.main()
