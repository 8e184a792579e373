import itertools
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from dumbbell.gym import ACTIONS, OBSERVATIONS, Env, Signals, Utility  # noqa: E402

PATH = db.dumbbell(
    rate="4 Mb/s",
    delay="20 ms",
    buffer=30,
    loss=0.005,
    flows=[db.flow("reno", name="main"), db.flow("reno", name="other")],
    duration="5 s",
)
STEPS = ["rtt", "ack", 0.05]


def episode(env, seed, most=10_000, options=None):
    """Observations, rewards and signals of an episode with drawn actions."""
    observation, info = env.reset(seed=seed, options=options)
    env.action_space.seed(seed)
    seen = [observation]
    rewards, signals, over = [], [info["signals"]], False
    while not over and len(rewards) < most:
        observation, reward, terminated, over, info = env.step(env.action_space.sample())
        assert not terminated
        seen.append(observation)
        rewards.append(reward)
        signals.append(info["signals"])
    return np.array(seen), rewards, signals


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("step", STEPS)
def test_it_is_an_environment(action, step):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(Env(PATH, action=action, step=step), skip_render_check=True)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("step", STEPS)
def test_a_seed_decides_everything(action, step):
    one, other = (Env(PATH, action=action, step=step) for _ in range(2))
    seen, rewards, signals = episode(one, 3, 200)
    assert len(rewards) >= 20
    again = episode(other, 3, 200)
    assert np.array_equal(seen, again[0])
    assert (rewards, signals) == again[1:]
    assert not np.array_equal(seen[-1], episode(one, 4, 200)[0][-1])
    # Nothing remains of an episode in the next one.
    assert np.array_equal(seen, episode(one, 3, 200)[0])


@pytest.mark.parametrize("action", ACTIONS)
def test_observations_stay_within_their_limits_and_rewards_are_finite(action):
    env = Env(PATH, action=action, step=0.02)
    seen, rewards, _ = episode(env, 1)
    assert all(env.observation_space.contains(it) for it in seen)
    assert len(OBSERVATIONS) == seen.shape[1]
    assert all(math.isfinite(reward) for reward in rewards)
    assert len(rewards) == 250


def test_a_window_that_never_changes_gives_a_window_per_round():
    # 8 Mb/s, no loss, RTT 2 (20 + 2) = 44 ms and the transmission of a segment: ten segments of 8000 bits
    # per RTT are far below the rate.
    path = db.dumbbell(rate="8 Mb/s", delay="20 ms", flows=["reno"], duration="10 s")
    env = Env(path, action="choice", step="rtt")
    env.reset(seed=1)
    # A window of 2 becomes 12.
    _, _, _, _, info = env.step(3)
    assert info["signals"].cwnd == 12
    over = False
    while not over:
        _, _, _, over, info = env.step(2)
        assert info["signals"].cwnd == 12
    signals = info["signals"]
    rtt = 2 * (0.020 + 2 * 0.001) + 1040 * 8 / 8e6 + 2 * 1040 * 8 / 1e9 + 40 * 8 / 8e6
    assert signals.least_rtt == pytest.approx(rtt, rel=0.02)
    goodput = env.running.groups["goodput"][0]
    assert goodput == pytest.approx(12 * 8000 / rtt, rel=0.05)
    assert env.running.now == 10.0
    assert signals.lost == 0


def test_a_rate_is_kept():
    path = db.dumbbell(rate="8 Mb/s", delay="20 ms", flows=["reno"], duration="20 s")
    env = Env(path, action="rate", step=0.1)
    env.reset(seed=1)
    # It begins with two segments per 100 ms, and is doubled four times: 16 * 2 * 8000 / 0.1 = 2.56 Mb/s.
    for turn in range(200):
        _, _, _, over, info = env.step([1.0 if turn < 4 else 0.0])
    assert over
    delivered = info["signals"].rate
    assert delivered == pytest.approx(2.56e6, rel=0.05)


def test_steps_last_as_long_as_they_should():
    for step, spans in ((0.05, {0.05}), ("ack", None)):
        _, _, signals = episode(Env(PATH, step=step), 2, 80)
        if spans:
            assert {round(it.span, 9) for it in signals[1:]} == spans
        else:
            assert {it.acks for it in signals[1:]} == {1}
    _, _, signals = episode(Env(PATH, step="rtt"), 2, 80)
    for before, after in itertools.pairwise(signals):
        assert after.span == pytest.approx(before.last_rtt or 0.1, abs=1e-8)


def test_losses_are_counted_and_a_timeout_sets_the_window_to_one():
    path = PATH.set({"bottleneck.loss.bernoulli": 0.2, "duration": "20 s"})
    env = Env(path, action="choice", step=0.05)
    env.reset(seed=1)
    lost, timeouts, over = 0.0, 0, False
    while not over:
        _, _, _, over, info = env.step(2)
        signals = info["signals"]
        lost += signals.lost
        timeouts += signals.timeouts
        if signals.timeouts:
            assert signals.cwnd == 1
    assert timeouts > 3 and lost > 10
    assert env.running.flows["timeouts"][0] == timeouts


def test_scenarios_are_drawn_from_lists_and_functions():
    rates = ["1 Mb/s", "2 Mb/s", "8 Mb/s"]
    listed = [PATH.set({"bottleneck.rate": rate}) for rate in rates]

    def drawn(random):
        return PATH.set({"bottleneck.rate": f"{random.uniform(1, 10):.3f} Mb/s"})

    env = Env(listed)
    env.reset(seed=1)
    seen = set()
    for _ in range(30):
        env.reset()
        seen.add(env.scenario)
    assert seen == set(listed)
    first, second = Env(drawn), Env(drawn)
    for env in (first, second):
        env.reset(seed=5)
    assert first.scenario == second.scenario
    first.reset()
    assert first.scenario != second.scenario
    with pytest.raises(ValueError, match="no scenario"):
        Env([])


def test_the_run_of_an_episode_can_be_chosen_for_comparisons():
    # With a control of its own in the other flow, the agent's run has the same random losses.
    env = Env(PATH, action="choice", step=0.05)
    env.reset(seed=1, options={"scenario": PATH, "seed": 77})
    assert env.running.seed == 77
    over = False
    while not over:
        over = env.step(2)[3]
    groups = env.running.groups
    assert groups["seed"].to_list()[0] == 77
    assert env.running.links.columns == db.run(PATH, seeds=77).links.columns


def test_a_flow_is_found_by_its_name():
    env = Env(PATH, flow="other", action="choice", step=0.05)
    env.reset(seed=1)
    for _ in range(20):
        _, _, _, _, info = env.step(1)
    assert info["signals"].cwnd == 1
    with pytest.raises(db.ScenarioError, match="no TCP flow `mian`; did you mean `main`"):
        Env(PATH, flow="mian").reset(seed=1)
    several = PATH.set({"flow.main.count": 2})
    with pytest.raises(db.ScenarioError, match="an agent has one window"):
        Env(several).reset(seed=1)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="action is one of"):
        Env(PATH, action="speed")
    for step in ("round", 0, -1.0):
        with pytest.raises(ValueError, match="step is"):
            Env(PATH, step=step)


def test_the_usual_reward_is_what_it_says():
    numbers = dict.fromkeys(Signals._fields, 0)
    signals = Signals(
        **{**numbers, "span": 0.1, "rtt": 0.2, "least_rtt": 0.1, "delivered": 75, "lost": 25, "segment": 8000}
    )
    # 75 * 8000 / 0.1 s = 6 Mb/s; a quarter is lost; the RTT is twice the least.
    expected = math.log(6) - 0.5 * math.log(2) - 0.25
    assert Utility()(signals) == pytest.approx(expected)
    assert Utility(delay=0, loss=0)(signals) == pytest.approx(math.log(6))
    nothing = Signals(**{**numbers, "span": 0.1})
    assert Utility()(nothing) == pytest.approx(math.log(0.001))
    env = Env(PATH, reward=lambda signals: signals.acks, step=0.1)
    env.reset(seed=1)
    _, reward, _, _, info = env.step([0.0])
    assert reward == info["signals"].acks


def test_environments_run_side_by_side():
    vector = gymnasium.vector.SyncVectorEnv([lambda: Env(PATH, step=0.05)] * 3)
    seen, _ = vector.reset(seed=[1, 1, 2])
    for _ in range(20):
        seen, *_ = vector.step(np.zeros((3, 1), dtype=np.float32))
    assert np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])
    vector.close()


def test_the_example_trains_and_compares():
    example = Path(__file__).resolve().parents[2] / "examples/python/train_window.py"
    done = subprocess.run([sys.executable, example, "--quick"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("- veno") == done.stdout.count("- cubic") == 3


def test_another_thread_may_look_at_a_run_with_a_control_in_python():
    looks = """
import threading
import dumbbell as db
from dumbbell import _native

class Mine(db.Control):
    pass

path = db.dumbbell(rate="4 Mb/s", loss=0.005, flows=["reno", Mine], duration="20 s")
running = _native.Running(path, 1)

def look():
    while not running.over:
        assert running.now >= 0

thread = threading.Thread(target=look)
thread.start()
while not running.over:
    running.step(10.0, seconds=0.05)
thread.join()
"""
    # A deadlock would hold the interpreter's lock, and could not be noticed in this process.
    subprocess.run([sys.executable, "-c", looks], check=True, timeout=60)


def test_actions_that_are_none_are_told() -> None:
    scenario = db.dumbbell(flows=["reno"], duration="2 s")
    env = Env(scenario)
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step([0.0])
    env.reset(seed=1)
    with pytest.raises(ValueError, match="not a number"):
        env.step([float("nan")])
    env = Env(scenario, action="choice")
    env.reset(seed=1)
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match="0 to 4"):
            env.step(wrong)
