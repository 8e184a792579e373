"""How many steps a second the environment of `dumbbell.gym` makes, by action and step.

``python python/benchmarks/gym.py``. The steps are counted for a second of a core, so that they do not
depend on what else the machine does.
"""

from __future__ import annotations

import time

import dumbbell as db
from dumbbell.gym import Env

PATH = db.dumbbell(rate="4 Mb/s", delay="20 ms", loss=0.005, flows=["reno"], duration="60 s")


def main() -> None:
    """Prints the steps a second."""
    for step in ("ack", 0.01, "rtt"):
        env = Env(PATH, step=step)
        observation, _ = env.reset(seed=1)
        steps, over = 0, False
        begun = time.process_time()
        while time.process_time() - begun < 1:
            if over:
                observation, _ = env.reset()
            # The window stays about what the path holds.
            observation, _, _, over, _ = env.step((-0.5 * observation[8],))
            steps += 1
        print(f"step={step!r}: {steps / (time.process_time() - begun):.0f} steps a second")


if __name__ == "__main__":
    main()
