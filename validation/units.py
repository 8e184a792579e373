"""Quantities as the scenario format writes them: "2 Mb/s", "10 ms", "1000 B"."""

_RATE = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}
_TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
_SIZE = {"B": 1, "kB": 1000}


def _parse(text, table, what):
    number, _, unit = text.partition(" ")
    if unit not in table:
        raise ValueError(f"{text!r} is no {what}: write a number, a space and one of {', '.join(table)}")
    return float(number) * table[unit]


def rate(text):
    """Bits per second."""
    return _parse(text, _RATE, "rate")


def time(text):
    """Seconds."""
    return _parse(text, _TIME, "time")


def size(text):
    """Bytes."""
    return int(_parse(text, _SIZE, "size"))
