"""The paths of the comparison, read from paths.toml."""

import hashlib
import json
import tomllib
from dataclasses import dataclass, field

import units

_REQUIRED = {
    "name", "rate", "delay", "access_rate", "access_delay", "buffer", "loss", "flows", "payload",
    "duration", "seeds",
}
_OPTIONAL = {"information", "quick", "delayed_ack", "backward"}

# Settings of both simulators besides the path. They are part of a reference's identity.
TCP = {"min_rto": "0.2 s", "initial_rto": "1 s", "initial_window": 2}
START_SPREAD = 0.1


@dataclass(frozen=True)
class Path:
    """One path, with its quantities as written in the file."""

    name: str
    rate: str
    delay: str
    access_rate: str
    access_delay: str
    buffer: int
    loss: float
    flows: int
    payload: str
    duration: str
    seeds: int
    information: bool = False
    quick: bool = False
    delayed_ack: str | None = None
    backward: dict | None = field(default=None, hash=False)

    @property
    def one_way(self):
        """The propagation delay from sender to receiver, in seconds."""
        return 2 * units.time(self.access_delay) + units.time(self.delay)

    @property
    def bdp(self):
        """The bandwidth-delay product, in full packets."""
        return units.rate(self.rate) * 2 * self.one_way / 8 / (units.size(self.payload) + 40)

    @property
    def settings(self):
        """A digest of everything that affects the results of a run, to detect a stale reference."""
        what = {k: v for k, v in self.__dict__.items() if k not in ("information", "quick", "seeds")}
        text = json.dumps([what, TCP, START_SPREAD], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def read(file):
    """Returns all paths of a file; a ValueError names the path and the wrong key."""
    with open(file, "rb") as stream:
        tables = tomllib.load(stream).get("path", [])
    result = []
    for table in tables:
        name = table.get("name", "without a name")
        missing = _REQUIRED - table.keys()
        unknown = table.keys() - _REQUIRED - _OPTIONAL
        if missing or unknown:
            wrong = [f"{k} is missing" for k in sorted(missing)] + [f"{k} is unknown" for k in sorted(unknown)]
            raise ValueError(f"{file}: path {name}: {', '.join(wrong)}")
        path = Path(**table)
        for parse, text in (
            (units.rate, path.rate), (units.rate, path.access_rate), (units.time, path.delay),
            (units.time, path.access_delay), (units.time, path.duration), (units.size, path.payload),
        ):
            try:
                parse(text)
            except ValueError as error:
                raise ValueError(f"{file}: path {name}: {error}") from None
        result.append(path)
    return result
