//! A channel that is good or bad for periods of fixed length.

use super::{Model, Process, Streams, improbable};
use crate::hint::cold_path;
use crate::random::Random;
use crate::time::Time;

const GOOD: usize = 0;
const BAD: usize = 1;

/// With shorter periods a simulation would spend its time on counting periods instead of packets.
const SHORTEST_PERIOD: Time = Time::from_micros(1);

/// A channel that is good or bad for fixed periods. At the end of a period it changes its state with
/// a given probability; otherwise it stays in its state for one more period of the same length. It
/// starts in the good state at time zero. Its states depend only on the seed, not on the traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoState {
    /// Probability that a packet is lost in the good state.
    pub good_loss: f64,
    /// Length of a good period, at least 1 microsecond.
    pub good_period: Time,
    /// Probability that a packet is lost in the bad state.
    pub bad_loss: f64,
    /// Length of a bad period, at least 1 microsecond.
    pub bad_period: Time,
    /// Probability that the state changes at the end of a period.
    pub switch: f64,
}

impl Model for TwoState {
    type Process = Box<State>;

    fn mean(&self) -> f64 {
        if self.switch == 0.0 {
            return self.good_loss;
        }
        let (good, bad) = (
            self.good_period.as_secs_f64(),
            self.bad_period.as_secs_f64(),
        );
        (good * self.good_loss + bad * self.bad_loss) / (good + bad)
    }

    fn fault(&self) -> Option<&'static str> {
        let short = self.good_period.min(self.bad_period) < SHORTEST_PERIOD;
        improbable([self.good_loss, self.bad_loss, self.switch])
            .or(short.then_some("a period of a two-state channel must be at least 1 microsecond"))
    }

    fn start(&self, streams: Streams) -> Box<State> {
        Box::new(State::new(
            [self.good_loss, self.bad_loss],
            [self.good_period.as_nanos(), self.bad_period.as_nanos()],
            self.switch,
            streams.draws(),
            streams.channel(),
        ))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Loss probability by state.
    loss: [f64; 2],
    /// Length of a period by state, in nanoseconds.
    period: [u64; 2],
    switch: f64,
    state: usize,
    /// The end of the current period: the first moment after it.
    period_end: u64,
    draws: Random,
    /// The states have a separate random stream, so that every kind of traffic meets the same channel.
    channel: Random,
}

impl State {
    fn new(loss: [f64; 2], period: [u64; 2], switch: f64, draws: Random, channel: Random) -> Self {
        Self {
            loss,
            period,
            switch,
            state: GOOD,
            period_end: period[GOOD],
            draws,
            channel,
        }
    }
}

impl Process for Box<State> {
    #[inline]
    fn loses(&mut self, departure: u64) -> bool {
        while departure >= self.period_end {
            cold_path();
            if self.channel.chance(self.switch) {
                self.state = GOOD + BAD - self.state;
            }
            self.period_end = self.period_end.saturating_add(self.period[self.state]);
            if self.period_end == u64::MAX {
                break;
            }
        }
        self.draws.chance(self.loss[self.state])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    const SECOND: u64 = 1_000_000_000;

    fn channel(loss: [f64; 2], switch: f64) -> Box<State> {
        let model = TwoState {
            good_loss: loss[GOOD],
            good_period: Time::from_secs(8),
            bad_loss: loss[BAD],
            bad_period: Time::from_secs(4),
            switch,
        };
        model.start(Streams { seed: 1, link: 0 })
    }

    /// Always switching: good from 0 to 8 s, bad from 8 to 12 s, good from 12 to 20 s.
    #[test]
    fn periods_start_good_and_alternate() {
        let mut channel = channel([0.0, 1.0], 1.0);
        let probes = [0, 8 * SECOND - 1, 8 * SECOND, 12 * SECOND - 1, 12 * SECOND];
        let lost = probes.map(|at| channel.loses(at));
        assert_eq!(lost, [false, false, true, true, false]);
        // 24 s is bad again, whether or not anything was sent in between.
        assert!(channel.loses(20 * SECOND + 1));
    }

    #[test]
    fn a_channel_that_never_switches_stays_good() {
        let mut channel = channel([0.0, 1.0], 0.0);
        assert!((0..10_000).all(|s| !channel.loses(s * SECOND)));
    }

    /// Two thirds at 1e-5 and one third at .1: .03334. 1,000,000 packets 0.1 s apart see about
    /// 8,300 cycles, whose lengths vary little; the tolerance is 3 % of the mean.
    #[test]
    fn long_run_loss() {
        let mut channel = channel([1e-5, 0.1], 0.95);
        let lost = (0..1_000_000)
            .filter(|&k| channel.loses(k * SECOND / 10))
            .count();
        assert!(lost.abs_diff(33_340) < 1_000, "{lost}");
    }

    /// The states do not depend on the number of packets sent.
    #[test]
    fn traffic_does_not_move_the_channel() {
        let states = |step: u64| {
            let mut channel = channel([0.0, 1.0], 0.5);
            (0..100_000 / step)
                .map(|k| channel.loses(k * step * SECOND))
                .step_by((10 / step) as usize)
                .collect::<Vec<bool>>()
        };
        assert_eq!(states(1), states(10));
        assert!(states(10).contains(&true) && states(10).contains(&false));
    }

    #[test]
    fn the_end_of_time_ends_the_loop() {
        let mut channel = Box::new(State::new(
            [0.0, 1.0],
            [u64::MAX / 2, u64::MAX / 2],
            0.0,
            stream(1, Component::loss(0)),
            stream(1, Component::channel(0)),
        ));
        assert!(!channel.loses(u64::MAX));
    }
}
