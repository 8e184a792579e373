"""Trains a small control with numpy alone, and compares it with Veno and CUBIC on paths it has not seen.

The control is a linear policy: once per round-trip time it multiplies the window by 2^a, where a is a
weighted sum of five entries of an observation of `dumbbell.gym`, cut to -1 to 1. The weights are found by the
cross-entropy method: draw some, keep the best, draw around these, and so on.

    python examples/python/train_window.py             # half a minute
    python examples/python/train_window.py --quick     # seconds, and good for nothing

It prints for each set of paths the means of goodput and delay with 95 %
intervals, and the intervals of the differences on the same paths and seeds.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

import dumbbell as db
from dumbbell.gym import OBSERVATIONS, Env, Utility

DURATION = 10.0
UTILITY = Utility(delay=0.5, loss=0.0)
"""What is trained for. Losses have no penalty of their own: most of them are random here."""


SEEN = [list(OBSERVATIONS).index(name) for name in ("queueing", "rate", "loss", "backlog", "excess")]
"""The entries of an observation that the policy looks at: few weights are found sooner."""


def path(rate: float, rtt: float, buffer: float, loss: float, flows: int = 1) -> db.Scenario:
    """A dumbbell.

    Args:
        rate: The rate of the bottleneck in Mb/s.
        rtt: The round-trip time without queues in seconds.
        buffer: The length of the queue in bandwidth-delay products.
        loss: The probability of a random loss.
        flows: The number of flows; all but the first use Reno.
    """
    packets = max(round(buffer * rate * 1e6 * rtt / 8 / 1040), 4)
    others = [db.flow("reno", name=f"other-{n}", recovery="sack") for n in range(1, flows)]
    return db.dumbbell(
        rate=f"{rate:.3f} Mb/s",
        delay=f"{(rtt / 2 - 0.002) * 1e3:.3f} ms",
        buffer=packets,
        loss=loss,
        flows=[db.flow("reno", name="main", recovery="sack"), *others],
        duration=DURATION,
    )


def lossy(random: np.random.Generator) -> db.Scenario:
    """A path such as the control is trained for: 1 to 10 Mb/s, 20 to 120 ms, up to 2 % random losses."""
    return path(
        rate=math.exp(random.uniform(math.log(1), math.log(10))),
        rtt=random.uniform(0.02, 0.12),
        buffer=random.uniform(0.5, 2),
        loss=random.uniform(0, 0.02),
    )


def fast(random: np.random.Generator) -> db.Scenario:
    """A path ten times as fast, without random losses."""
    return path(random.uniform(50, 100), random.uniform(0.02, 0.12), random.uniform(0.5, 2), 0.0)


def shared(random: np.random.Generator) -> db.Scenario:
    """A path that the flow shares with three flows of Reno."""
    return path(10.0, random.uniform(0.02, 0.12), random.uniform(0.5, 2), 0.0, flows=4)


def play(env: Env, weights: np.ndarray, options: dict[str, object]) -> tuple[float, float]:
    """The mean reward of an episode, and its least RTT."""
    observation, _ = env.reset(options=options)
    factors, offset = weights[:-1], weights[-1]
    total, steps, over = 0.0, 0, False
    while not over:
        observation, reward, _, over, info = env.step((float(observation[SEEN] @ factors) + offset,))
        total, steps = total + reward, steps + 1
    return total / steps, info["signals"].least_rtt


def train(generations: int, population: int, paths: int, seed: int) -> np.ndarray:
    """The weights after some generations of the cross-entropy method."""
    random = np.random.default_rng(seed)
    env = Env(lossy, reward=UTILITY)
    env.reset(seed=seed)
    size = len(SEEN) + 1
    mean, spread = np.zeros(size), np.full(size, 0.3)
    for generation in range(generations):
        # All candidates of a generation are tried on the same paths and seeds.
        trials = [{"scenario": lossy(random), "seed": int(random.integers(2**53))} for _ in range(paths)]
        candidates = random.normal(mean, spread, (population, size))
        scores = np.array([np.mean([play(env, it, trial)[0] for trial in trials]) for it in candidates])
        best = candidates[np.argsort(scores)[-population // 4 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        # Paths differ between generations, so these means do not tell how much was learned.
        print(f"generation {generation + 1}: mean reward {scores.mean():.3f}", flush=True)
    return mean


def judge(name: str, weights: np.ndarray, draw, paths: int, seed: int) -> None:
    """Compares the policy with Veno and CUBIC on new paths and seeds."""
    random = np.random.default_rng(seed)
    env = Env(lossy, reward=UTILITY)
    env.reset(seed=seed)
    found: dict[str, list[tuple[float, ...]]] = {"policy": [], "veno": [], "cubic": []}
    for _ in range(paths):
        scenario, run = draw(random), int(random.integers(2**53))
        _, least = play(env, weights, {"scenario": scenario, "seed": run})
        found["policy"].append(measures(env.running.flows, least))
        for control in ("veno", "cubic"):
            same = db.run(scenario.set("flow.main.control", control), seeds=run, samples=False)
            found[control].append(measures(same.flows, least))
    print(f"\n{name}, {paths} paths:")
    heads = ("goodput, Mb/s", "RTT / least RTT", "utility", "the others', Mb/s")
    shown = 4 if len(scenario.flows) > 1 else 3
    print(" " * 10 + "".join(f"{head:>20}" for head in heads[:shown]))
    for control, rows in found.items():
        cells = "".join(f"{interval(column):>20}" for column in np.array(rows).T[:shown])
        print(f"{control:10}{cells}")
    for control in ("veno", "cubic"):
        differences = np.array(found["policy"]) - np.array(found[control])
        cells = "".join(f"{interval(column, sign=True):>20}" for column in differences.T[:shown])
        print(f"- {control:8}{cells}")


def measures(flows: db.Table, least: float) -> tuple[float, ...]:
    """Goodput, mean RTT over the least one, the utility of these, and the others' goodput."""
    main, *others = flows.rows()
    goodput, delay = main["goodput"] / 1e6, main["rtt"] / least
    worth = math.log(max(goodput, 1e-3)) - UTILITY.delay * math.log(delay)
    rest = np.mean([other["goodput"] for other in others]) / 1e6 if others else 0.0
    return goodput, delay, worth, float(rest)


def interval(values: np.ndarray, sign: bool = False) -> str:
    """The mean and half of the 95 % interval (normal, for some tens of paths)."""
    half = 1.96 * values.std(ddof=1) / math.sqrt(len(values))
    return f"{values.mean():{'+' if sign else ''}.3f} +- {half:.3f}"


def main() -> None:
    """Trains and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="hardly train at all")
    quick = parser.parse_args().quick
    begun = time.monotonic()
    weights = train(*((2, 8, 2) if quick else (12, 32, 6)), seed=1)
    print(f"trained in {time.monotonic() - begun:.0f} s")
    print("weights:", " ".join(f"{weight:+.2f}" for weight in weights))
    paths = 6 if quick else 60
    judge("lossy paths, as in training", weights, lossy, paths, seed=1001)
    judge("fast paths without random losses", weights, fast, paths // 3, seed=1002)
    judge("paths shared with three flows of Reno", weights, shared, paths // 3, seed=1003)


if __name__ == "__main__":
    main()
