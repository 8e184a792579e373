"""Processes that are run in turns, what each took, and medians with ranges."""

import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass


# Seconds between two readings of the memory of a process.
POLL_S = 0.01


class SpeedError(Exception):
    """A program is missing, or failed."""


@dataclass(frozen=True)
class Taken:
    """What a process took, as the kernel counted it."""

    # processor time, user and system, and elapsed time, in seconds
    cpu_s: float
    wall_s: float
    # the peak of resident memory
    peak_bytes: int
    page_faults: int
    switches: int
    # the end of what it printed
    tail: str


class Running:
    """A process that has been started. Its output goes to a file, because that of many flows is long."""

    def __init__(self, command):
        self.command = [str(word) for word in command]
        self.output, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.start = time.monotonic()
        try:
            self.process = subprocess.Popen(self.command, stdout=self.output, stderr=self.errors)
        except OSError as error:
            self.close()
            raise SpeedError(f"{command[0]}: {error.strerror}") from None

    def wait(self, accepted=(0,), tail=1 << 20):
        """Waits for the end, and returns what the process took and the last bytes that it printed."""
        peak = self.watched_peak()
        _, status, used = os.wait4(self.process.pid, 0)
        wall_s = time.monotonic() - self.start
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.output.seek(max(0, self.output.seek(0, os.SEEK_END) - tail))
        self.errors.seek(0)
        printed, errors = (file.read().decode(errors="replace") for file in (self.output, self.errors))
        self.close()
        if self.process.returncode not in accepted:
            raise SpeedError(f"{' '.join(self.command)}: {errors.strip()}")
        # the kernel counts the memory that this interpreter had when it started the process as the process's own
        if used.ru_maxrss > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            peak = used.ru_maxrss * 1024
        return Taken(
            used.ru_utime + used.ru_stime, wall_s, peak, used.ru_minflt + used.ru_majflt, used.ru_nvcsw + used.ru_nivcsw, printed)

    def close(self):
        self.output.close()
        self.errors.close()

    def watched_peak(self):
        """Reads the peak of resident memory until the process ends; returns the last one in bytes."""
        peak, status = 0, f"/proc/{self.process.pid}/status"
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            try:
                with open(status) as lines:
                    found = re.search(r"VmHWM:\s*(\d+) kB", lines.read())
                peak = int(found[1]) * 1024 if found else peak
            except OSError:
                pass
            time.sleep(POLL_S)
        return peak


def taken(command, **how):
    """Runs a process to its end."""
    return Running(command).wait(**how)


def counted(output):
    """Returns the data packets, the events and the processor time of the runs that `run --json` printed."""
    found = re.findall(r'"packets":(\d+),"events":(\d+),"version":"[^"]*","wall_s":[^,]*,"cpu_s":([0-9.e+-]+)', output)
    if not found:
        raise SpeedError("there are no results in the output of `run --json`")
    packets, events, seconds = zip(*found)
    return sum(map(int, packets)), sum(map(int, events)), sum(map(float, seconds))


def median(values):
    return statistics.median(list(values))


def spread(values, unit=1.0, digits=0):
    """Formats median and range in this unit."""
    values = list(values)
    m, low, high = (f"{pick(values) / unit:,.{digits}f}" for pick in (statistics.median, min, max))
    return f"{m} ({low} to {high})" if low != high else m


def markdown(head, rows):
    """Returns a table whose first column is text, and whose others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines).replace("| --- |", "|---|").replace(" ---: |", "---:|")
