"""The comparison as Markdown, and its verdicts."""

from dataclasses import dataclass

import intervals

# The bound on the difference of mean goodputs, for loss rates up to MAX_LOSS; None means no bound.
BOUNDS = {"tahoe": None, "reno": 0.05, "newreno": 0.05, "sack": 0.05, "vegas": 0.08, "vegas, int_diff": 0.08}
MAX_LOSS = 0.03
# "Of the same order": within half a decade in either direction, if both sides have at least ENOUGH.
SAME_ORDER = 10**0.5
ENOUGH = 20
# A lean is reported if chance would produce one as large less often than this.
SIGNIFICANT = 0.01

BEGIN, END = "<!-- begin:comparison -->", "<!-- end:comparison -->"


@dataclass
class Row:
    """One path and variant: the runs of both sides; `ours` is None before the simulator has run."""

    path: object
    variant: str
    theirs: list
    ours: list | None

    def ratio(self, key):
        if self.ours is None:
            return None
        return intervals.ratio([run[key] for run in self.ours], [run[key] for run in self.theirs])

    def total(self, key, side):
        return sum(run[key] for run in side) * self.path.flows

    def breaches(self):
        """Returns messages about the values of this row that are outside their bounds."""
        bound = BOUNDS[self.variant]
        if self.ours is None or self.path.information or self.path.loss > MAX_LOSS or bound is None:
            return []
        found = []
        goodput = self.ratio("goodput_bps")
        if goodput is None or abs(goodput[0] - 1.0) > bound:
            got = "is zero on one side" if goodput is None else f"differs by {100 * (goodput[0] - 1):+.1f} %"
            found.append(f"{self.path.name}, {self.variant}: goodput {got}, bound {100 * bound:.0f} %")
        for key in ("retransmits", "timeouts"):
            if min(self.total(key, self.ours), self.total(key, self.theirs)) < ENOUGH:
                continue
            value = self.ratio(key)[0]
            if not 1 / SAME_ORDER <= value <= SAME_ORDER:
                found.append(f"{self.path.name}, {self.variant}: {key} are not of the same order: ratio {value:.2f}")
        return found


def _mean(runs, key):
    return intervals.mean([run[key] for run in runs])


def _goodput(runs):
    values = [run["goodput_bps"] / 1e3 for run in runs]
    m = intervals.mean(values)
    return f"{m:.1f} ± {100 * intervals.half_width(values) / m:.1f} %" if m > 0 else "0"


def _count(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _ratio(row, key):
    if row.ours is None:
        return ""
    value = row.ratio(key)
    return "-" if value is None else f"{value[0]:.2f}"


def table(rows):
    """Returns a table with one line per path and variant."""
    lines = [
        "| path | variant | ns-2, kb/s per flow | Dumbbell, kb/s per flow | goodput ratio | retransmissions, ns-2 "
        "| ratio | timeouts, ns-2 | ratio | |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        ours = goodput = verdict = ""
        if row.ours is not None:
            ours = _goodput(row.ours)
            value = row.ratio("goodput_bps")
            goodput = "-" if value is None else f"{value[0]:.3f} ± {value[1]:.3f}"
            bound = BOUNDS[row.variant]
            free = row.path.information or row.path.loss > MAX_LOSS or bound is None
            verdict = "information" if free else "outside" if row.breaches() else "within"
        lines.append(
            f"| {row.path.name} | {row.variant} | {_goodput(row.theirs)} | {ours} | {goodput} "
            f"| {_count(_mean(row.theirs, 'retransmits'))} | {_ratio(row, 'retransmits')} "
            f"| {_count(_mean(row.theirs, 'timeouts'))} | {_ratio(row, 'timeouts')} | {verdict} |")
    return "\n".join(lines)


def leans(rows):
    """Returns a table with one line per variant: the geometric mean of its ratios over the paths with bounds."""
    lines = [
        "| variant | paths | goodput | p | retransmissions | timeouts | |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for variant in BOUNDS:
        mine = [r for r in rows if r.variant == variant and r.ours and not r.path.information and r.path.loss <= MAX_LOSS]
        cells = []
        for key in ("goodput_bps", "retransmits", "timeouts"):
            enough = [r for r in mine if key == "goodput_bps"
                      or min(r.total(key, r.ours), r.total(key, r.theirs)) >= ENOUGH]
            ratios = [r.ratio(key) for r in enough]
            cells.append(intervals.lean([value[0] for value in ratios if value]))
        goodput, retransmits, timeouts = cells
        if goodput is None:
            continue
        side = "high" if goodput[0] > 1 else "low"
        verdict = f"leans {side}" if goodput[1] < SIGNIFICANT else "no lean"
        others = " | ".join("-" if cell is None else f"{cell[0]:.2f}" for cell in (retransmits, timeouts))
        lines.append(f"| {variant} | {len(mine)} | {goodput[0]:.3f} | {goodput[1]:.2f} | {others} | {verdict} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def text(rows):
    """Returns the whole report."""
    parts = [table(rows)]
    lean = leans(rows)
    if lean:
        parts += ["Lean over the paths with bounds (geometric mean of the ratios; p by a t-test of their logarithms):", lean]
    breaches = [breach for row in rows for breach in row.breaches()]
    if any(row.ours is not None for row in rows):
        parts.append("Outside the bounds:\n\n" + "\n".join(f"- {b}" for b in breaches) if breaches
                     else "Every bound on goodput, retransmissions and timeouts holds.")
    return "\n\n".join(parts)


def write_docs(file, report, begin=BEGIN, end=END):
    """Replaces the text between the two markers of a file."""
    old = file.read_text()
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(begin) > old.index(end):
        raise ValueError(f"{file}: the markers {begin} and {end} must each stand once, in this order")
    head, rest = old.split(begin)
    tail = rest.split(end)[1]
    file.write_text(f"{head}{begin}\n\n{report}\n\n{end}{tail}")
