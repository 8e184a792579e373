"""Tests of the comparison of two builds: python3 -m unittest discover validation"""

import contextlib
import io
import sqlite3
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import catalogue
import large_scenarios
import outcomes
import paper_runs
import random_scenarios
import same
import toml_text

SORTS = [
    {"sort": "control", "entries": [
        {"name": "reno", "recoveries": ["reno", "sack"], "parameters": [
            {"name": "counting", "range": "one of `ack` and `segment`"}, {"name": "repeat", "range": "true or false"},
            {"name": "factor", "range": "a number from 0 to 1"}]},
        {"name": "rovegas", "recoveries": ["vegas"]}]},
    {"sort": "rate control", "entries": [{"name": "tfrc"}]},
    {"sort": "classifier", "entries": [{"name": "veno"}, {"name": "lded"}]},
    {"sort": "estimator", "entries": [{"name": "sarbe"}, {"name": "ewma"}]},
]
NAMES = catalogue.of(SORTS)

# A program that behaves like `dumbbell`: its outcome depends on the scenario and on BUILD.
PROGRAM = f'''#!{sys.executable}
import hashlib, json, pathlib, sys
words = sys.argv[1:]
if words[0] == "list":
    print(json.dumps({SORTS!r}))
    sys.exit()
if words[0] == "reproduce":
    import sqlite3
    with sqlite3.connect(pathlib.Path(words[words.index("--out") + 1]) / "runs.sqlite") as store:
        store.executescript("""PRAGMA user_version = VERSION; CREATE TABLE scenario (id INTEGER, text TEXT);
            CREATE TABLE words (id INTEGER, bytes BLOB); INSERT INTO words VALUES (1, x'0131');
            CREATE TABLE run (scenario INTEGER, seed INTEGER, words INTEGER, outcome BLOB, series BLOB);""")
        for number, text in enumerate(("# plain\\n", "# veno\\n")):
            numbers = bytes([5, EVENTS, 7 + (SENT if "veno" in text else 0)])
            store.execute("INSERT INTO scenario VALUES (?, ?)", (number, text))
            store.execute("INSERT INTO run VALUES (?, 3, 1, ?, NULL)", (number, numbers))
    print(json.dumps({{"claim": "a", "mean": 0.5 + SENT}}))
    sys.exit(1)
text = pathlib.Path(words[1]).read_text()
if "refused" in text:
    sys.exit(print("error: BUILD", file=sys.stderr) or 2)
if "--samples" in words:
    pathlib.Path(words[words.index("--samples") + 1]).write_text("time,value\\n1,SAMPLE\\n")
if "--trace" in words:
    pathlib.Path(words[words.index("--trace") + 1]).write_text("x\\n")
sent = int(hashlib.sha256(text.encode()).hexdigest()[:4], 16) + (SENT if "veno" in text else 0)
flows = [{{"name": "a", "control": "x", "sent": sent}}]
print(json.dumps({{"flows": flows, "measured": {{"to": 9.0}}, "packets": 5, "events": EVENTS, "cpu_s": EVENTS / 7}}))
'''


class Outcomes(unittest.TestCase):
    def test_the_first_place_that_differs_is_named(self):
        old = {"flows": [{"sent": "5", "rtt": "0.10"}, {"sent": "6", "rtt": None}], "packets": "1"}
        new = {"flows": [{"sent": "5", "rtt": "0.10"}, {"sent": "7", "rtt": None}], "packets": "2"}
        self.assertEqual(outcomes.place(old, new), "flows[1].sent: 6 -> 7")
        self.assertIsNone(outcomes.place(old, old))
        self.assertEqual(outcomes.place({"a": []}, {"a": ["1"]}), "a: 0 -> 1 of them")
        self.assertEqual(outcomes.place({"a": None}, {"a": "1"}), "a: None -> 1")
        self.assertEqual(outcomes.place({"a": "1"}, {"b": "1"}), ": keys ['a'] -> ['b']")

    def test_numbers_are_compared_as_they_are_written(self):
        self.assertEqual(outcomes.place({"a": "0.1"}, {"a": "0.10"}), "a: 0.1 -> 0.10")

    def test_events_and_times_may_differ(self):
        ran = [outcomes.Ran(({"packets": "1", "events": events, "wall_s": events},), {}, "") for events in "12"]
        self.assertIsNone(outcomes.difference(*ran))

    def test_files_and_refusals_are_compared(self):
        def with_file(text):
            return outcomes.Ran((), {"t.csv": text}, "")
        self.assertEqual(outcomes.difference(with_file("a\nb\n"), with_file("a\nc\n")), "t.csv: line 2: b -> c")
        self.assertEqual(outcomes.difference(with_file("a\n"), with_file("a\nc\n")), "t.csv: 1 -> 2 lines")
        refused = outcomes.Ran((), {}, "error: no\nmore")
        self.assertEqual(outcomes.difference(outcomes.Ran((), {}, ""), refused), "refused: it runs -> error: no")


class Scenarios(unittest.TestCase):
    def test_toml_is_read_back(self):
        table = {"a": {"b": [1, "x y", True], "c": 0.25}, "flow": [{"count": 3}, {"name": "z"}]}
        self.assertEqual(tomllib.loads(toml_text.scenario(table)), table)

    def test_a_random_scenario_is_a_function_of_its_seed_and_number(self):
        texts = [toml_text.scenario(random_scenarios.scenario(seed, number, NAMES))
                 for seed, number in ((1, 1), (1, 1), (1, 2), (2, 1))]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len(set(texts)), 3)

    def test_random_scenarios_have_every_topology_traffic_queue_and_loss(self):
        text = "".join(toml_text.scenario(random_scenarios.scenario(1, number, NAMES)) for number in range(200))
        for word in ("dumbbell", "parking_lot", "graph", "rate_control", "cbr", "pareto", "exponential", "relays", "classify",
                     "red =", "ack_filter", "unlimited", "opportunities", "bernoulli", "two_state", "gilbert_elliott",
                     "warmup", "variation", "probe =", "aqt", "size", "recovery", "counting", "repeat"):
            self.assertIn(word, text, word)

    def test_parameters_with_values_that_cannot_be_listed_stay_at_their_defaults(self):
        self.assertEqual(NAMES["control"][0].choices, {"counting": ("ack", "segment"), "repeat": (True, False)})

    def test_large_scenarios_stand_on_each_side_of_the_tree(self):
        # a tree holds 65,536 entries; a flow has four access links and two ends
        flows = [sum(flow["count"] for flow in table["flow"]) for _, table in large_scenarios.scenarios()]
        self.assertTrue(any(60_000 < 6 * count <= 65_536 for count in flows))
        self.assertTrue(any(65_536 < 6 * count < 70_000 for count in flows))
        # lanes begin at 64 links that are alike
        self.assertTrue({15, 16, 17} <= set(flows))

    def test_large_scenarios_have_names_of_their_own(self):
        names = [name for name, _ in large_scenarios.scenarios()]
        self.assertEqual(len(names), len(set(names)))


class Papers(unittest.TestCase):
    def store(self, folder, name, rows):
        file = Path(folder) / name
        with sqlite3.connect(file) as connection:
            connection.executescript("""
                CREATE TABLE scenario (id INTEGER, text TEXT); CREATE TABLE words (id INTEGER, bytes BLOB);
                CREATE TABLE run (scenario INTEGER, seed INTEGER, words INTEGER, outcome BLOB, series BLOB);""")
            for number, (text, seed, words, numbers, series) in enumerate(rows):
                connection.execute("INSERT INTO scenario VALUES (?, ?)", (number, text))
                connection.execute("INSERT INTO words VALUES (?, ?)", (number, words))
                connection.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?)", (number, seed, number, numbers, series))
        return file

    def test_events_are_the_second_number(self):
        # 300 packets in two bytes, 128 events in two bytes, then the rest
        self.assertEqual(paper_runs.without_events(b"\xac\x02\x80\x01rest"), b"\xac\x02rest")
        self.assertEqual(paper_runs.without_events(b"\x05\x06rest"), b"\x05rest")

    def test_the_version_is_the_first_word(self):
        self.assertEqual(paper_runs.without_version(b"\x050.1.0rest"), b"rest")

    def test_runs_that_differ_in_events_and_version_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            old = self.store(folder, "old", [("s", 1, b"\x011w", b"\x01\x02n", None), ("s", 2, b"\x011w", b"\x01\x02n", b"a")])
            new = self.store(folder, "new", [("s", 2, b"\x022 w", b"\x01\xff\x01n", b"b"), ("s", 1, b"\x022 w", b"\x01\xff\x01n", None),
                                             ("s", -1, b"\x011w", b"\x01\x02n", None)])
            found = paper_runs.differing(paper_runs.rows(old), paper_runs.rows(new))
        # another sample, and a run that one store does not have; seeds have 64 bits without a sign
        self.assertEqual(found, [("s", 2), ("s", 2**64 - 1)])

    def test_what_a_program_reproduces_has_its_own_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two = (Path(folder) / name for name in ("one", "two"))
            one.write_text("a")
            two.write_text("b")
            names = {paper_runs.digest(*key) for key in ((one, [], True), (one, [], False), (one, ["x"], True), (two, [], True))}
        self.assertEqual(len(names), 4)

    def test_results_that_differ_are_named(self):
        self.assertEqual(
            paper_runs.results_differ('{"claim": "a"}\n{"mean": 0.5}\n', '{"claim": "a"}\n{"mean": 0.25}\n'), "[1].mean: 0.5 -> 0.25")


class Same(unittest.TestCase):
    def build(self, folder, name, **values):
        file = Path(folder) / name
        text = PROGRAM
        for key, value in ({"SENT": 0, "EVENTS": 1, "SAMPLE": 1, "VERSION": 3, "BUILD": "no"} | values).items():
            text = text.replace(key, str(value))
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def same(self, *words, papers="none"):
        """Returns the exit status and the output of the command."""
        argv, sys.argv = sys.argv, ["same.py", *words, "--papers", papers, "--large", "none", "--jobs", "2"]
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                return same.main(), output.getvalue()
        finally:
            sys.argv = argv

    def test_builds_that_differ_in_events_are_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            builds = self.build(folder, "old"), self.build(folder, "new", EVENTS=2)
            self.assertEqual(self.same(*builds, "--random", "8"), (0, "8 compared, 0 differ\n"))

    def test_an_outcome_that_differs_is_named_and_its_scenario_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            builds = self.build(folder, "old"), self.build(folder, "new", SENT=3)
            kept = Path(folder) / "kept"
            status, output = self.same(*builds, "--random", "16", "--keep", str(kept))
            self.assertEqual(status, 1)
            # only scenarios with Veno differ
            files = sorted(kept.iterdir())
            self.assertTrue(files)
            for file in files:
                self.assertIn("veno", file.read_text())
                self.assertRegex(output, f"{file}: flows\\[0\\].sent: \\d+ -> \\d+")
            self.assertIn(f"16 compared, {len(files)} differ", output)

    def test_samples_that_differ_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            builds = self.build(folder, "old"), self.build(folder, "new", SAMPLE=2)
            status, output = self.same(*builds, "--only", "3")
        self.assertEqual(status, 1)
        self.assertIn("random-3: with samples.csv and trace.csv: samples.csv: line 2: 1,1 -> 1,2", output)

    def test_runs_of_the_papers_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            old, alike, differs, later = (
                self.build(folder, name, **values) for name, values in (
                    ("old", {}), ("alike", {"EVENTS": 2}), ("differs", {"SENT": 3}), ("later", {"SENT": 3, "VERSION": 4})))
            kept = ["--random", "0", "--keep", str(Path(folder) / "kept")]
            # two runs, and the results
            self.assertEqual(self.same(old, alike, *kept, papers="quick"), (0, "3 compared, 0 differ\n"))
            status, output = self.same(old, differs, *kept, papers="quick")
            self.assertEqual(status, 1)
            self.assertRegex(output, r"papers, seed 3, # veno: .*of-a-paper-0.toml: flows\[0\].sent: \d+ -> \d+")
            self.assertIn("papers, claims and matrix: [0].mean: 0.5 -> 3.5", output)
            self.assertIn("3 compared, 2 differ", output)
            status, output = self.same(old, later, *kept, papers="quick")
            self.assertIn("the stores have versions 3 and 4: both builds do each run again", output)
            self.assertIn("3 compared, 2 differ", output)

    def test_a_missing_program_is_named(self):
        self.assertEqual(self.same("/no/such", "/no/other"), (2, "same.py: /no/such not found\n"))


if __name__ == "__main__":
    unittest.main()
