"""Where an event misses the caches: Callgrind with a model of this machine's caches, at ten thousand flows."""

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import growth
import toml_text
import turns

FLOWS = 10_000
# Callgrind is a hundred times slower than the program. All flows have started by then.
SECONDS = 1.2
ROWS = 15
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
# If the system does not tell: 32 MiB, 16 ways, lines of 64 bytes.
USUAL = (32 << 20, 16, 64)
# Counted are this function and what it calls: the events, without building the network and summing up.
COUNTED = "*simulation::Engine*::run_to*"
HARDWARE = ("cycles", "instructions", "cache-misses", "page-faults", "context-switches")
LAST_LEVEL = ("ILmr", "DLmr", "DLmw")
FIRST_LEVEL = ("I1mr", "D1mr", "D1mw")


@dataclass
class Profile:
    """Counts of Callgrind's events: of the whole run, by function, and by line of a file."""

    total: Counter
    functions: dict
    lines: dict


def cache(level=None):
    """Returns size, ways and line of this level of cache (default: the last), with a power of two of sets, as Callgrind requires."""
    try:
        levels = [folder for folder in CACHES.glob("index*") if (folder / "type").read_text().strip() != "Instruction"]
        levels = {int((folder / "level").read_text()): folder for folder in levels}
        chosen = levels[level or max(levels)]
        number, unit = re.fullmatch(r"(\d+)([KM])\s*", (chosen / "size").read_text()).groups()
        size = int(number) << {"K": 10, "M": 20}[unit]
        found = size, int((chosen / "ways_of_associativity").read_text()), int((chosen / "coherency_line_size").read_text())
    except (OSError, ValueError, KeyError, AttributeError):
        return USUAL
    sets = found[0] // (found[1] * found[2]) if found[1] else 0
    return found if sets and sets & (sets - 1) == 0 else (1 << (found[0].bit_length() - 1), 16, 64)


def measure(binary, folder, level=None):
    """Returns the profile of a run, its data packets and its events, and the cache that was modelled."""
    file, profile = Path(folder) / "misses.toml", Path(folder) / "misses.callgrind"
    file.write_text(toml_text.scenario(growth.scenario("alike", FLOWS, SECONDS)))
    modelled = cache(level)
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--LL={','.join(map(str, modelled))}",
               f"--toggle-collect={COUNTED}", f"--callgrind-out-file={profile}", binary, "run", file, "--json", "--jobs", "1"]
    packets, events, _ = turns.counted(turns.taken(command, tail=4096).tail)
    found = parsed(profile.read_text())
    if not found.total["Ir"]:
        raise turns.SpeedError(f"valgrind counted nothing: is there a function {COUNTED} in {binary}?")
    return found, packets, events, modelled


def parsed(text):
    """Returns the profile that a file of Callgrind holds."""
    names, events, total = {}, [], Counter()
    functions, lines = {}, {}
    file, function, number, is_call = "", "", 0, False

    def name(kind, given):
        # `(3) name` defines a number, `(3)` repeats it
        key, rest = re.fullmatch(r"\((\d+)\)(?: (.*))?", given).groups()
        if rest is not None:
            names[kind, key] = rest
        return names[kind, key]

    for line in text.splitlines():
        key, equals, given = line.partition("=")
        if line.startswith("events:"):
            events = line.split()[1:]
        elif equals and key in ("fl", "fi", "fe", "cfi", "cfl"):
            known = name("file", given)
            file = known if key in ("fl", "fi", "fe") else file
        elif equals and key in ("fn", "cfn"):
            known = name("fn", given)
            function = known if key == "fn" else function
        elif equals and key in ("ob", "cob"):
            pass
        elif equals and key == "calls":
            is_call = True
        elif line[:1] in "0123456789+-*" and line:
            words = line.split()
            position = words[0]
            number = number if position == "*" else number + int(position) if position[0] in "+-" else int(position)
            # the line after `calls` has what the called function took, which is counted there
            if not is_call:
                counts = Counter(dict(zip(events, map(int, words[1:]))))
                total.update(counts)
                functions.setdefault(function, Counter()).update(counts)
                lines.setdefault((file, number), Counter()).update(counts)
            is_call = False
    return Profile(total, functions, lines)


def misses(counts, level):
    return sum(counts[event] for event in level)


def table(profile, packets, events, modelled):
    """Returns the misses of an event, and the functions and lines with the most of them, as Markdown."""
    size, ways, line = modelled
    total = profile.total
    parts = [
        f"{FLOWS:,} flows for {SECONDS} s, a last level of {size / (1 << 20):g} MiB ({ways} ways, lines of {line} bytes): "
        f"{packets:,} data packets, {events:,} events, {total['Ir'] / events:,.0f} instructions an event, "
        f"{misses(total, FIRST_LEVEL) / events:.2f} misses of the first level and {misses(total, LAST_LEVEL) / events:.3f} of the last."]
    for title, found in (("function", functions(profile)), ("line", lines(profile))):
        top = sorted(found.items(), key=lambda item: -misses(item[1], LAST_LEVEL))[:ROWS]
        every = max(1, misses(total, LAST_LEVEL))
        rows = [[f"`{name}`", f"{misses(counts, LAST_LEVEL) / events:.3f}", f"{100 * misses(counts, LAST_LEVEL) / every:.1f}",
                 f"{misses(counts, FIRST_LEVEL) / events:.3f}"] for name, counts in top]
        parts.append(turns.markdown([title, "last-level misses an event", "share, %", "first-level misses an event"], rows))
    return "\n\n".join(parts)


def functions(profile):
    """Returns counts by function, without hashes and the types of generic parameters, which are long."""
    found = {}
    for name, counts in profile.functions.items():
        found.setdefault(short(name), Counter()).update(counts)
    return found


def lines(profile):
    """Returns counts by line, with the part of the file's path from its crate on."""
    found = {}
    for (file, number), counts in profile.lines.items():
        place = re.sub(r"^.*?/(?=crates/|library/)|^.*/registry/src/[^/]*/", "", file)
        found.setdefault(f"{place}:{number}", Counter()).update(counts)
    return found


def short(name):
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    while (simpler := re.sub(r"<[^<>]*>", "", name)) != name:
        name = simpler
    return name.replace("|", "/")[:100] or "?"


def counters(binary, folder):
    """Returns what `perf stat` counts at ten thousand flows, by name; None where the machine has no such counter."""
    file = Path(folder) / "counters.toml"
    file.write_text(toml_text.scenario(growth.scenario("alike", FLOWS, SECONDS)))
    command = ["perf", "stat", "-x,", "-e", ",".join(HARDWARE), "--", binary, "run", str(file), "--json", "--jobs", "1"]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError:
        return dict.fromkeys(HARDWARE)
    return parsed_counters(done.stderr)


def parsed_counters(text):
    found = dict.fromkeys(HARDWARE)
    for line in text.splitlines():
        words = line.split(",")
        if len(words) > 2 and words[0].isdigit():
            name = words[2].split(":")[0]
            if name in found:
                found[name] = int(words[0])
    return found


def counters_text(counts):
    """Returns the counters as a sentence."""
    known = ", ".join(f"{count:,} {name.replace('-', ' ')}" for name, count in counts.items() if count is not None)
    missing = ", ".join(name.replace("-", " ") for name, count in counts.items() if count is None)
    return f"`perf stat` of that run: {known or 'nothing'}." + (f" This machine does not count {missing}." if missing else "")
