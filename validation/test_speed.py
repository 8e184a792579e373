"""Tests of the comparison of speeds: python3 -m unittest discover validation"""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))

import beside_ns2
import growth
import growth_picture
import misses
import packet_counts
import old_build
import papers_cost
import speed
import toml_text
import turns


def case(letter, ours, theirs, started):
    return beside_ns2.Case(letter, Path("x.toml"), {"name": "a name"}, ours, theirs, started)


class Ns2(unittest.TestCase):
    def test_the_cases_are_the_same_for_ns2(self):
        a = beside_ns2.ns2_options(beside_ns2.read("a").scenario)
        self.assertEqual(a, {
            "proto": "newreno", "n": 1, "loss": 0.01, "bw": 2e6, "delay": 0.01, "abw": 1e7, "adelay": 0.01,
            "buf": 60, "dur": 2000.0, "jitter": 0,
        })
        c = beside_ns2.ns2_options(beside_ns2.read("c").scenario)
        self.assertEqual(c, {
            "proto": "newreno", "n": 100, "loss": 0, "bw": 1e8, "delay": 0.02, "abw": 1e9, "adelay": 0.001,
            "buf": 500, "dur": 60.0, "jitter": 0.1,
        })

    def test_packets_that_open_connections_are_not_data(self):
        # two packets of 40 bytes, three of 1040
        output = "flow=0 sent=3\nlink departures=5 bytes=3200 qdrops=0 end=1\n"
        self.assertEqual(beside_ns2.ns2_packets(output), 3)

    def test_an_unknown_case_is_named(self):
        with self.assertRaisesRegex(turns.SpeedError, "no case 'e'"):
            beside_ns2.read("e")


class Dumbbell(unittest.TestCase):
    def test_packets_of_all_runs_are_counted(self):
        self.assertEqual(beside_ns2.dumbbell_packets('{"packets": 5}\n{"packets": 7}\n'), 12)


def process(code, **how):
    return turns.taken([sys.executable, "-c", code], **how)


class Turns(unittest.TestCase):
    def test_a_program_that_fails_is_named_with_its_reason(self):
        with self.assertRaisesRegex(turns.SpeedError, "-c.*: no such road"):
            process("import sys; sys.exit('no such road')")
        with self.assertRaisesRegex(turns.SpeedError, "/no/such: No such file"):
            turns.taken(["/no/such"])

    def test_processor_time_is_not_elapsed_time(self):
        slept = process("import time; time.sleep(0.4)")
        worked = process("import time\nwhile time.process_time() < 0.4: pass")
        self.assertLess(slept.cpu_s, 0.3)
        self.assertGreaterEqual(slept.wall_s, 0.4)
        self.assertGreaterEqual(worked.cpu_s, 0.4)

    def test_peak_memory_is_that_of_the_process(self):
        small = process("import time; time.sleep(0.1)")
        large = process("held = bytearray(80_000_000); import time; time.sleep(0.1)")
        self.assertGreater(large.peak_bytes - small.peak_bytes, 75e6)
        # this interpreter's own memory does not count, however large
        held = bytearray(80_000_000)
        again = process("import time; time.sleep(0.1)")
        self.assertLess(abs(again.peak_bytes - small.peak_bytes), 8e6)
        del held

    def test_the_end_of_the_output_is_kept(self):
        self.assertEqual(process("print('x' * 100 + 'end')", tail=4).tail, "end\n")

    def test_packets_events_and_times_are_summed(self):
        line = '{{"flows":[{{"packets":"no"}}],"packets":{},"events":{},"version":"0.1.0","wall_s":9.5,"cpu_s":{}}}\n'
        self.assertEqual(turns.counted(line.format(5, 20, 0.25) + line.format(6, 22, 1e-3)), (11, 42, 0.251))
        with self.assertRaisesRegex(turns.SpeedError, "no results"):
            turns.counted("")

    def test_median_and_range(self):
        self.assertEqual(turns.spread([3.0, 1.0, 2.0], digits=1), "2.0 (1.0 to 3.0)")
        self.assertEqual(turns.spread([1500.0, 1500.0]), "1,500")

    def test_a_table(self):
        self.assertEqual(turns.markdown(["a", "b"], [["x", 1]]), "| a | b |\n|---|---:|\n| x | 1 |")


def point(flows, ns_packet, peak, events=4.0):
    return growth.Point(flows, ns_packet, [ns / events for ns in ns_packet], [peak] * len(ns_packet), [1], [2], events)


def points(**programs):
    """Points at 10, 100 and 100,000 flows for each program: three costs and the largest peak."""
    def of(costs, peak):
        return [point(flows, [cost], 8e6 if flows < 1000 else peak) for flows, cost in zip((10, 100, 100_000), costs)]
    measured = {name: of(*values) for name, values in programs.items()}
    return {"alike": measured, "spread": measured}


class Growth(unittest.TestCase):
    def test_each_flow_has_a_megabit_and_the_delays_are_spread(self):
        for flows in growth.SECONDS:
            for curve in growth.CURVES:
                table = growth.scenario(curve, flows, 5)
                self.assertEqual(sum(flow["count"] for flow in table["flow"]), flows)
                self.assertEqual(table["dumbbell"]["bottleneck"]["rate"], f"{flows} Mb/s")
                toml_text.scenario(table)
        delays = [flow["access"]["delay"] for flow in growth.scenario("spread", 100, 5)["flow"]]
        self.assertEqual((len(delays), delays[0], delays[-1]), (51, "10000 us", "60000 us"))

    def test_costs_are_compared_with_the_old_program_at_a_hundred_flows(self):
        text = growth.table(points(old=([100.0, 200.0, 4000.0], 1e9), new=([50.0, 100.0, 600.0], 208e6)), 1)
        self.assertIn("| 100,000 | old | 4,000 | 20.00 | 1,000.0 | 4.00 | 1,000.0 | 9,921 |", text)
        # (208 MB - 8 MB) / 99,990 flows
        self.assertIn("| 100,000 | new | 600 | 3.00 | 150.0 | 4.00 | 208.0 | 2,000 |", text)

    def test_one_program_is_compared_with_itself(self):
        text = growth.table(points(new=([50.0, 100.0, 600.0], 208e6)), 1)
        self.assertIn("| 100,000 | 600 | 6.00 | 150.0 |", text)

    def test_what_is_required(self):
        old = ([100.0, 200.0, 4000.0], 1e9)
        self.assertEqual(growth.shortfalls(points(old=old, new=([50.0, 100.0, 800.0], 250e6))), [])
        found = growth.shortfalls(points(old=old, new=([50.0, 100.0, 820.0], 251e6)))
        self.assertEqual(len(found), 2)
        self.assertIn("4.10 times the old program's cost at 100, 4.0 allowed", found[0])
        self.assertIn("251 MB, 250 allowed", found[1])

    def test_the_picture_is_svg_with_a_line_for_each_curve(self):
        text = growth_picture.svg(points(old=([100.0, 200.0, 4000.0], 1e9), new=([50.0, 100.0, 600.0], 2e8)))
        root = ElementTree.fromstring(text)
        lines = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("stroke-width") == "2"]
        self.assertEqual(len(lines), 4)
        # the least cost is at the step below it, 50; the axis ends at 5,000
        self.assertIn(f'M{growth_picture.LEFT:.1f} {growth_picture.HEIGHT - growth_picture.BOTTOM:.1f}L', text)
        self.assertIn(">5,000</text>", text)

    def test_labels_do_not_cover_each_other(self):
        self.assertEqual([y for y, _ in growth_picture.apart([[50, "b"], [48, "a"], [90, "c"]])], [48, 64, 90])


class Papers(unittest.TestCase):
    def test_ratios_are_those_of_rounds(self):
        text = papers_cost.figure_table({"old": [300.0, 400.0], "new": [150.0, 160.0]})
        self.assertIn("Old to new, round by round: 2.25 (2.00 to 2.50).", text)

    def test_two_jobs_are_compared_with_two_processes(self):
        rates = {"new": ([19.0, 20.0], [20.0, 20.0])}
        self.assertIn("| new | 19.5 (19.0 to 20.0) | 20.0 | 97.5 (95.0 to 100.0) |", papers_cost.jobs_table(rates))
        self.assertEqual(papers_cost.shortfalls(rates=rates), [])
        self.assertEqual(len(papers_cost.shortfalls(rates={"new": ([19.0], [20.0])})), 1)

    def test_what_is_required(self):
        self.assertEqual(papers_cost.shortfalls(costs={"old": [170.0], "new": [100.0]}), [])
        self.assertIn("1.60 times less", papers_cost.shortfalls(costs={"old": [160.0], "new": [100.0]})[0])
        measured = {"old": [(100.0, 1.0, 1)], "new": [(60.0, 1.0, 1)]}
        self.assertIn("1.67 times less", papers_cost.shortfalls(measured=measured)[0])
        self.assertEqual(papers_cost.shortfalls(costs={"new": [100.0]}), [])


# Instead of cargo: the program of a commit is its file `source`.
CARGO = """#!/bin/sh
while [ "$1" != --target-dir ]; do shift; done
mkdir -p "$2/release" && cp source "$2/release/dumbbell" && echo built >> "$2/log"
"""


class OldBuild(unittest.TestCase):
    def test_the_program_of_a_commit_is_built_once_and_its_worktree_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            root.mkdir()
            (Path(folder) / "cargo").write_text(CARGO)
            (Path(folder) / "cargo").chmod(0o755)
            path = f"{folder}:{os.environ['PATH']}"
            with mock.patch.object(old_build, "ROOT", root), mock.patch.dict(os.environ, {"PATH": path}):
                old_build.git("init", "-q")
                for text in ("one", "two"):
                    (root / "source").write_text(text)
                    old_build.git("add", "source")
                    old_build.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", text)
                built = [old_build.build(revision) for revision in ("HEAD~1", "HEAD", "HEAD~1")]
                self.assertEqual([file.read_text() for file in built], ["one", "two", "one"])
                self.assertEqual((root / "target" / "old" / "build" / "log").read_text(), "built\n" * 2)
                self.assertEqual(len(old_build.git("worktree", "list").splitlines()), 1)
                with self.assertRaisesRegex(turns.SpeedError, "git rev-parse .*no-such"):
                    old_build.build("no-such")


# Two functions in two files; main calls work, whose cost is not main's own. Lines are relative to the one before.
PROFILE = """events: Ir D1mr DLmr
fl=(1) /x/crates/a/src/lib.rs
fn=(1) a::main::h0123456789abcdef
10 5 1 0
cfi=(2) /x/crates/b/src/lib.rs
cfn=(2) b::work<core::option::Option<u8>>
calls=1 3
11 100 20 9
+2 4 0 0
fi=(2)
7 1 1 1
fn=(2)
3 60 10 5
* 40 10 4
totals: 110 22 10
"""


class Misses(unittest.TestCase):
    def test_a_profile_is_counted_by_function_and_by_line(self):
        profile = misses.parsed(PROFILE)
        self.assertEqual(profile.total, {"Ir": 110, "D1mr": 22, "DLmr": 10})
        self.assertEqual({name: counts["DLmr"] for name, counts in misses.functions(profile).items()}, {"a::main": 1, "b::work": 9})
        self.assertEqual(
            {place: counts["Ir"] for place, counts in misses.lines(profile).items()},
            {"crates/a/src/lib.rs:10": 5, "crates/a/src/lib.rs:13": 4, "crates/b/src/lib.rs:7": 1, "crates/b/src/lib.rs:3": 100})

    def test_misses_are_those_of_an_event(self):
        text = misses.table(misses.parsed(PROFILE), 5, 20, (1 << 19, 16, 64))
        self.assertIn("6 instructions an event, 1.10 misses of the first level and 0.500 of the last", text)
        self.assertIn("a last level of 0.5 MiB (16 ways", text)
        self.assertIn("| `b::work` | 0.450 | 90.0 | 1.000 |", text)

    def test_counters_that_the_machine_lacks_are_named(self):
        counts = misses.parsed_counters("1234,,page-faults,1,100.00,,\n<not supported>,,cycles,0,100.00,,\n7,,context-switches:u,1,100,,\n")
        self.assertEqual(counts, {"cycles": None, "instructions": None, "cache-misses": None, "page-faults": 1234, "context-switches": 7})
        text = misses.counters_text(counts)
        self.assertIn("1,234 page faults, 7 context switches.", text)
        self.assertIn("does not count cycles, instructions, cache misses", text)

    def test_the_last_level_has_a_power_of_two_of_sets(self):
        size, ways, line = misses.cache()
        sets = size // (ways * line)
        self.assertEqual(sets & (sets - 1), 0)


class Counts(unittest.TestCase):
    PROFILE = "desc: I1 cache: 32768 B\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\nfl=a\nfn=b\n1 9 9 9\nsummary: "

    def test_a_packet_has_what_a_longer_run_has_more(self):
        shorter = packet_counts.totals(self.PROFILE + "1000 10 0 0 20 5 0 30 5 0 7 0 3\n")
        jumps = "jump=30 +7 *\n1 2\njcnd=10/50 -3 +1\n2 3\n"
        longer = packet_counts.totals(jumps + self.PROFILE + "5000 30 0 0 40 6 0 70 8 0 17 0 4\n")
        counts = packet_counts.difference((10, shorter), (30, longer))
        self.assertEqual(list(counts.values()), [200, 1, 3, 0.2, 2, 0.55])
        text = packet_counts.table({"(a)": (counts, 20)}, 4)
        self.assertIn("| instructions | 200 |\n| ns, the fastest | 20 |\n| instructions a nanosecond | 10.0 |\n", text)
        self.assertIn("| misses of the second level, data | 0.2 |", text)

    def test_a_file_without_counts_is_an_error(self):
        with self.assertRaisesRegex(turns.SpeedError, "counted nothing"):
            packet_counts.totals("events: Ir\n")


class Report(unittest.TestCase):
    def test_median_and_range_of_a_case(self):
        rows = beside_ns2.table([case("a", [12e6, 10e6, 15e6], [1e6, 0.5e6, 1e6], [2e6, 1e6, 1e6])], "a command")
        self.assertIn("| (a) a name | 1.00 (0.50 to 1.00) | 1.00 (1.00 to 2.00) | 12.00 (10.00 to 15.00) "
                      "| 15.0 (12.0 to 20.0) | 10.0 (6.0 to 15.0) |", rows)
        self.assertIn("of 3 rounds, made with `a command`", rows)

    def test_a_case_without_ns2_has_no_ratio(self):
        self.assertIn("| (d) a name | - | - | 2.00 | - | - |", beside_ns2.table([case("d", [2e6], [], [])], ""))

    def test_the_required_ratios_of_the_cases(self):
        self.assertEqual(beside_ns2.shortfalls([case("a", [12e6], [1e6], []), case("b", [1e6], [1e6], [])]), [])
        (line,) = beside_ns2.shortfalls([case("c", [19e6], [1e6], [])])
        self.assertIn("19.0 times ns-2, 20 required", line)

    def test_only_text_between_the_markers_is_replaced(self):
        old = "head\n<!-- begin:speed -->\nold\n<!-- end:speed -->\ntail\n"
        new = speed.replaced(old, "speed", "new")
        self.assertEqual(new, "head\n<!-- begin:speed -->\n\nnew\n\n<!-- end:speed -->\ntail\n")
        self.assertEqual(speed.replaced(new, "speed", "new"), new)
        with self.assertRaisesRegex(turns.SpeedError, "must each stand once"):
            speed.replaced("nothing", "speed", "new")

    def test_tables_go_where_their_markers_are(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.md"
            file.write_text("<!-- begin:growth -->\n<!-- end:growth -->\n")
            speed.write(file, {"speed": "s", "growth": lambda: "g"})
            self.assertEqual(file.read_text(), "<!-- begin:growth -->\n\ng\n\n<!-- end:growth -->\n")
            with self.assertRaisesRegex(turns.SpeedError, "page.md has no markers for speed"):
                speed.write(file, {"speed": "s"})


if __name__ == "__main__":
    unittest.main()
