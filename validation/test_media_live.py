"""Tests of what `media_live.py` makes of cases and of rates, without a network."""

import unittest

import media_live


class Judged(unittest.TestCase):
    def test_rates_agree_within_a_tenth_and_both_intervals(self):
        row = lambda live, simulated: media_live.Row("5.1", "nada", live, simulated)
        self.assertTrue(row([891.0], [990.0]).agrees())
        self.assertFalse(row([889.0], [990.0]).agrees())
        # Of 90 and 110 the mean is known to 12.706 * 10 = 127.
        self.assertTrue(row([236.0], [90.0, 110.0]).agrees())
        self.assertFalse(row([238.0], [90.0, 110.0]).agrees())
        self.assertTrue(row([227.0, 247.0], [100.0]).agrees())

    def test_all_flows_of_the_case_have_the_control_and_its_headers(self):
        self.assertEqual(
            media_live.settings("5.2", "nada", "udp"),
            ["--set", "flow.0.rate_control=nada", "--set", "flow.0.overhead=66 B",
             "--set", "flow.1.rate_control=nada", "--set", "flow.1.overhead=66 B"],
        )
        overheads = {("tfrc-veno", "udp"): 88, ("tfrc-veno", "quic"): 118, ("gcc", "udp"): 66, ("gcc", "quic"): 96}
        for (control, over), overhead in overheads.items():
            options = ["--set", f"flow.0.rate_control={control}", "--set", f"flow.0.overhead={overhead} B"]
            self.assertEqual(media_live.settings("5.6", control, over), options)

    def test_scenarios_are_those_of_the_study(self):
        for case in media_live.KNOWN.values():
            self.assertTrue((media_live.CASES / f"{case.scenario}.scenario.toml").exists(), case)


if __name__ == "__main__":
    unittest.main()
