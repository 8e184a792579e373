"""Command-line options of the comparisons with ns-2."""

import argparse
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent


def of(description, quick):
    """Parses the options that every comparison of means has; `quick` is the help text of --quick."""
    parser = argparse.ArgumentParser(
        description=description,
        epilog="exit status: 0 all bounds hold, 1 a bound is exceeded, 2 the comparison failed")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of parallel programs (default 1)")
    parser.add_argument("--fresh", action="store_true", help="run ns-2 instead of reading its stored results")
    parser.add_argument("--write-docs", action="store_true", help="write the table into docs/validation.md")
    parser.add_argument("--ns", default="ns", metavar="PATH", help="ns-2 (default: ns)")
    parser.add_argument(
        "--dumbbell", default=os.path.relpath(HERE.parent / "target" / "release" / "dumbbell"), metavar="PATH",
        help="the simulator (default: target/release/dumbbell)")
    return parser.parse_args()
