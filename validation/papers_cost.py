"""What the papers' work costs an old and a new program, in turns: a figure, all of `reproduce`, and two jobs at once."""

import sys
import tempfile
from pathlib import Path

import turns

FIGURE = ("tfrc-veno-fig12a", "tfrc-veno-fig12b")
CASE = Path(__file__).resolve().parent.parent / "crates" / "run" / "benches" / "cases" / "tfrc.toml"
# Runs of the case by each process, a tenth of a second each.
RUNS = 60
# Required: how much less a packet of the figure takes, how much faster the reproduction is, what two jobs share.
REQUIRED_FIGURE, REQUIRED_REPRODUCE, REQUIRED_SHARE = 1.7, 2.0, 0.97


def figure(programs, rounds, folder):
    """Returns nanoseconds a data packet of TFRC Veno's figure 12, by program: every curve and some points of the axis."""
    binary = next(iter(programs.values()))  # a newer program reads the files of an older one, not the reverse
    out = Path(folder) / "figure"
    turns.taken([binary, "reproduce", *FIGURE, "--quick", "--out", out], accepted=(0, 1))
    files = sorted(file for name in FIGURE for file in (out / "scenarios" / name).rglob("*.toml"))
    if not files:
        raise turns.SpeedError(f"`reproduce {' '.join(FIGURE)}` wrote no scenario files")
    costs = {name: [] for name in programs}
    for number in range(rounds):
        for name, binary in programs.items():
            # results a file at a time: those of many runs would be long
            runs = [turns.counted(turns.taken([binary, "run", file, "--json", "--jobs", "1"]).tail) for file in files]
            packets, _, seconds = (sum(column) for column in zip(*runs))
            costs[name].append(seconds * 1e9 / packets)
        print(f"figure 12, round {number + 1} of {rounds}", file=sys.stderr)
    return costs


def figure_table(costs):
    rows = [[name, turns.spread(values, digits=1)] for name, values in costs.items()]
    text = turns.markdown(["TFRC Veno, figure 12", "ns a packet"], rows)
    return f"{text}\n\n{times_less(costs)}Median and range of {len(next(iter(costs.values())))} rounds."


def times_less(costs):
    """Returns the ratio of old to new, round by round, as a sentence; nothing without an old program."""
    if len(costs) < 2:
        return ""
    old, new = costs.values()
    return f"Old to new, round by round: {turns.spread([a / b for a, b in zip(old, new)], digits=2)}. "


def jobs(programs, rounds):
    """Returns runs a second by program: of one process with two jobs, and of two processes with one job each."""
    rates = {name: ([], []) for name in programs}
    for number in range(rounds):
        for name, binary in programs.items():
            def command(jobs, seed, repeat):
                return [binary, "run", CASE, "--json", "--jobs", jobs, "--seed", seed, "--repeat", repeat]
            together, apart = rates[name]
            together.append(2 * RUNS / turns.taken(command(2, 1, 2 * RUNS)).wall_s)
            both = [turns.Running(command(1, seed, RUNS)) for seed in (1, 1 + RUNS)]
            apart.append(2 * RUNS / max(process.wait().wall_s for process in both))
        print(f"two jobs, round {number + 1} of {rounds}", file=sys.stderr)
    return rates


def jobs_table(rates):
    rows = []
    for name, (together, apart) in rates.items():
        share = [100 * a / b for a, b in zip(together, apart)]
        rows.append([name, turns.spread(together, digits=1), turns.spread(apart, digits=1), turns.spread(share, digits=1)])
    text = turns.markdown(["program", "runs a second, 2 jobs", "2 processes of 1 job", "share, %"], rows)
    return f"{text}\n\nMedian and range of {len(rows and next(iter(rates.values()))[0])} rounds."


def reproduce(programs, rounds, jobs):
    """Returns what the whole reproduction takes each program: pairs of elapsed and processor time, and the size of its folder."""
    measured = {name: [] for name in programs}
    for number in range(rounds):
        for name, binary in programs.items():
            with tempfile.TemporaryDirectory() as out:
                taken = turns.taken([binary, "reproduce", "--jobs", jobs, "--out", out], accepted=(0, 1))
                size = sum(file.stat().st_size for file in Path(out).rglob("*") if file.is_file())
                measured[name].append((taken.wall_s, taken.cpu_s, size))
            print(f"reproduce, {name}, round {number + 1} of {rounds}", file=sys.stderr)
    return measured


def reproduce_table(measured, jobs):
    rows = []
    for name, values in measured.items():
        wall, cpu, size = zip(*values)
        rows.append([name, turns.spread(wall, digits=1), turns.spread(cpu, digits=1), turns.spread(size, 1e6, 1)])
    text = turns.markdown([f"`dumbbell reproduce --jobs {jobs}`", "elapsed, s", "processor, s", "folder, MB"], rows)
    ratios = times_less({name: [wall for wall, _, _ in values] for name, values in measured.items()})
    return f"{text}\n\n{ratios}Rounds: {len(values)}."


def shortfalls(costs=None, rates=None, measured=None):
    """Returns messages about what the last program misses."""
    found = []
    if costs and len(costs) > 1:
        found += less("figure 12: a packet costs", costs, REQUIRED_FIGURE)
    if measured and len(measured) > 1:
        walls = {name: [wall for wall, _, _ in values] for name, values in measured.items()}
        found += less("reproduce takes", walls, REQUIRED_REPRODUCE)
    if rates:
        together, apart = list(rates.values())[-1]
        share = turns.median(a / b for a, b in zip(together, apart))
        if share < REQUIRED_SHARE:
            found.append(f"2 jobs: {100 * share:.1f} % of the runs a second of two processes, {100 * REQUIRED_SHARE:.0f} % required")
    return found


def less(what, costs, required):
    old, new = costs.values()
    ratio = turns.median(a / b for a, b in zip(old, new))
    return [f"{what} {ratio:.2f} times less than before, {required} required"] if ratio < required else []
