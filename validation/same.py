#!/usr/bin/env python3
"""Checks that two builds of Dumbbell give the same outcomes, byte for byte but for the number of events.

It compares all runs of the papers, large scenarios on each side of what the engine chooses by itself, and random ones.
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import catalogue
import large_scenarios
import outcomes
import paper_runs
import random_scenarios
import toml_text
from outcomes import SameError

# Differences that are shown in full.
SHOWN = 20
# No program may take more memory than this, so that a faulty one does not stop the machine.
MOST_BYTES = 6 << 30
# A longer run is not sampled: samples are taken ten times a second.
LONGEST_SAMPLED = 400

EXAMPLES = """examples:
  same.py OLD NEW                        everything: two reproductions, a few minutes each, and the rest
  same.py OLD NEW --papers none          random and large scenarios, two minutes
  same.py OLD NEW --papers quick --keep out/same
                                         fewer points of the papers; what OLD reproduced is kept for the next time
  same.py OLD NEW --papers all --names venodb-fig2 explored
  same.py OLD NEW --papers none --large none --only 17
                                         the random scenario 17 again

exit status: 0 the same, 1 an outcome differs, 2 the comparison failed
"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD", help="a program `dumbbell`")
    parser.add_argument("new", metavar="NEW", help="another build of it")
    parser.add_argument("--papers", choices=("all", "quick", "none"), default="all",
                        help="the runs of `dumbbell reproduce`, with fewer points (quick), or not (default: all)")
    parser.add_argument("--names", nargs="+", default=[], metavar="NAME", help="only these papers or figures, as `reproduce` takes them")
    parser.add_argument("--large", choices=("all", "none"), default="all", help="the scenarios of many flows (default: all)")
    parser.add_argument("--random", type=int, default=1000, metavar="N", help="the number of random scenarios (default 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the random scenarios (default 1)")
    parser.add_argument("--only", type=int, metavar="N", help="only the random scenario of this number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="number of parallel programs (default: one a core)")
    parser.add_argument("--keep", metavar="DIR", help="keep reproductions, and the scenarios that differ, in this folder")
    return parser.parse_args()


class Report:
    """Counts what was compared, and shows what differs."""

    def __init__(self):
        self.compared = 0
        self.refused = 0
        self.differing = 0

    def add(self, what, difference):
        self.compared += 1
        if difference is None:
            return
        self.differing += 1
        if self.differing <= SHOWN:
            print(f"{what}: {difference}", flush=True)


def scenarios(args, names):
    """Returns a name and the text of each scenario that is not of a paper, the long ones first."""
    if args.large == "all":
        large = list(large_scenarios.scenarios())
        for name, table in sorted(large, key=lambda pair: -sum(flow["count"] for flow in pair[1]["flow"])):
            yield name, toml_text.scenario(table)
    for number in range(args.random) if args.only is None else (args.only,):
        yield f"random-{number}", toml_text.scenario(random_scenarios.scenario(args.seed, number, names))


def both(args, file, folder, **how):
    """Returns what both programs made of a scenario, one after the other."""
    return [outcomes.run(binary, file, folder, **how) for binary in (args.old, args.new)]


def compare(args, name, text, folder):
    """Returns where the outcomes of a scenario differ, or None; and whether both programs refuse it."""
    file = Path(folder) / f"{name}.toml"
    file.write_text(text)
    scratch = Path(folder) / f"{name}.files"
    scratch.mkdir()
    old, new = both(args, file, scratch)
    found = outcomes.difference(old, new)
    # samples and traces observe queues and hosts, so the engine runs hops one by one
    if not found and (writes := written(old)):
        found = outcomes.difference(*both(args, file, scratch, writes=writes))
        found = found and f"with {' and '.join(name for _, name in writes)}: {found}"
    scratch.rmdir()
    if not found or not args.keep:
        file.unlink()
    return found, bool(old.refusal)


def written(ran):
    """Returns the files that a second run should write, with the options: those of large scenarios would be long."""
    flows = len(ran.outcomes[0]["flows"]) if ran.outcomes else 0
    if flows == 0 or flows > random_scenarios.SAMPLED or float(ran.outcomes[0]["measured"]["to"]) > LONGEST_SAMPLED:
        return []
    tcp = any("control" in flow for flow in ran.outcomes[0]["flows"])
    traced = flows <= random_scenarios.TRACED and tcp
    return [("--samples", "samples.csv")] + ([("--trace", "trace.csv")] if traced else [])


def compare_scenarios(args, report, folder):
    names = catalogue.read(args.old)

    def one(pair):
        return pair[0], *compare(args, *pair, folder)

    with ThreadPoolExecutor(args.jobs) as pool:
        for name, found, refused in pool.map(one, scenarios(args, names)):
            report.refused += refused
            report.add(name if not args.keep else Path(folder) / f"{name}.toml", found)


def compare_papers(args, report, folder):
    quick = args.papers == "quick"
    old, new = (paper_runs.reproduce(binary, args.names, quick, args.jobs, folder) for binary in (args.old, args.new))
    versions = [paper_runs.version(store) for store, _ in (old, new)]
    before = paper_runs.rows(old[0])
    if versions[0] == versions[1]:
        keys = paper_runs.differing(before, paper_runs.rows(new[0]))
        report.compared += len(before) - len(keys)
        # where they differ is found out only for those that are shown
        for number, key in enumerate(keys):
            where = rerun(args, folder, number, *key) if number < SHOWN else None
            report.add(of_a_paper(*key), where or "its samples differ, or only one of the builds has this run")
    else:
        print(f"the stores have versions {versions[0]} and {versions[1]}: both builds do each run again", flush=True)
        for number, key in enumerate(sorted(before)):
            report.add(of_a_paper(*key), rerun(args, folder, number, *key))
    report.add("papers, claims and matrix", paper_runs.results_differ(old[1], new[1]))


def of_a_paper(text, seed):
    return f"papers, seed {seed}, {text.splitlines()[0]}"


def rerun(args, folder, number, text, seed):
    """Returns where the outcomes of a paper's scenario differ, or None; its file is kept if asked for."""
    file = Path(folder) / f"of-a-paper-{number}.toml"
    file.write_text(text)
    found = outcomes.difference(*both(args, file, folder, seed=seed))
    if found and args.keep:
        return f"{file}: {found}"
    file.unlink()
    return found


def program(binary):
    """Returns the path of a program."""
    path = shutil.which(binary)
    if path is None:
        raise SameError(f"{binary} not found")
    return path


def main():
    args = arguments()
    report = Report()
    try:
        args.old, args.new = (program(binary) for binary in (args.old, args.new))
        with tempfile.TemporaryDirectory() as temporary:
            folder = args.keep or temporary
            Path(folder).mkdir(parents=True, exist_ok=True)
            compare_scenarios(args, report, folder)
            if args.papers != "none":
                compare_papers(args, report, folder)
    except (SameError, OSError) as error:
        print(f"same.py: {error}", file=sys.stderr)
        return 2
    if report.differing > SHOWN:
        print(f"... and {report.differing - SHOWN} more")
    refused = f" ({report.refused} refused by both)" if report.refused else ""
    print(f"{report.compared} compared{refused}, {report.differing} differ")
    return 1 if report.differing else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    sys.exit(main())
