"""Tests of the check of stalls: python3 -m unittest discover validation"""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import stalls
from stalls import Run


class Judged(unittest.TestCase):
    PLAIN = [Run("a", (), goodput, []) for goodput in (9.9, 10.0, 10.1)]

    def right(self, *stopped, plain=PLAIN):
        return stalls.judged(plain, list(stopped))[1]

    def test_what_changes_a_result_must_not_be_believed(self):
        self.assertTrue(self.right(Run("a", (20,), 9.6, [])))
        self.assertTrue(self.right(Run("a", (500,), 9.0, ["stalled"])))
        self.assertFalse(self.right(Run("a", (500,), 9.4, [])))
        self.assertFalse(self.right(Run("a", (500,), 10.7, [])))

    def test_what_plain_runs_have_too_is_not_changed(self):
        plain = [Run("b", (), goodput, []) for goodput in (3.1, 4.2, 4.6)]
        self.assertTrue(self.right(Run("b", (25,), 3.0, []), Run("b", (25,), 4.7, []), plain=plain))
        self.assertFalse(self.right(Run("b", (25,), 2.9, []), plain=plain))
        self.assertAlmostEqual(stalls.beyond(2.48, [3.1, 4.6]), -0.2)

    def test_two_of_a_hundred_plain_runs_may_be_doubted(self):
        def plain(doubted):
            return [Run("a", (), 10.0, ["late"] if number < doubted else []) for number in range(100)]

        self.assertTrue(self.right(plain=plain(2)))
        self.assertFalse(self.right(plain=plain(3)))


class Moments(unittest.TestCase):
    def test_stops_do_not_overlap_and_fit(self):
        for seed in range(200):
            found, end = stalls.moments(random.Random(seed), 6), 0.0
            self.assertTrue(1 <= len(found) <= 4)
            for _, stop in found:
                self.assertTrue(20 <= stop <= 500)
                end += stop / 1e3
            self.assertTrue(found[-1][0] + end <= stalls.START_S + 6 + 1e-9)


if __name__ == "__main__":
    unittest.main()
