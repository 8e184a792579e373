use super::*;
use crate::algorithm::testing::{
    ack, assert_near, assert_segments, at, branch, loss, number, path, sample, timeout,
};

/// A control whose alpha and beta move.
pub(in crate::algorithm) trait Thresholds {
    /// Alpha and beta of the next round.
    fn thresholds(&self) -> [f64; 2];
}

impl Thresholds for VegasA {
    fn thresholds(&self) -> [f64; 2] {
        let more = Segments::whole(self.raised);
        [Segments::whole(1) + more, Segments::whole(3) + more].map(Segments::as_f64)
    }
}

/// A connection in congestion avoidance with a BaseRTT of 100 ms, driven round by round.
pub(in crate::algorithm) struct Rounds<C> {
    pub(in crate::algorithm) control: C,
    now: f64,
}

impl<C: Algorithm + Thresholds> Rounds<C>
where
    C::Config: Default,
{
    /// A connection with this window, after a first round that sets BaseRTT and grows nothing.
    pub(in crate::algorithm) fn new(cwnd: f64) -> Self {
        let control = C::new(&C::Config::default(), &path(cwnd, 2.0));
        let mut rounds = Self {
            control,
            now: 1000.0,
        };
        // diff is below alpha, but an application-limited ACK adds nothing.
        rounds.control.on_sample(&sample(rounds.now, 100.0));
        rounds.control.on_ack(&Ack {
            now: at(rounds.now),
            app_limited: true,
            ..ack(1.0)
        });
        rounds
    }

    /// Runs a round whose samples are all `rtt`, in ms. Its last ACK judges it.
    pub(in crate::algorithm) fn of(&mut self, rtt: f64) -> &mut Self {
        self.samples(&[rtt, rtt])
    }

    /// Runs a round with these samples, in ms; the last ends it.
    pub(in crate::algorithm) fn samples(&mut self, rtts: &[f64]) -> &mut Self {
        let last = rtts[rtts.len() - 1];
        for (left, rtt) in (0..rtts.len()).rev().zip(rtts) {
            let now = self.now + last - 0.001 * left as f64;
            self.control.on_sample(&sample(now, *rtt));
        }
        self.now += last;
        self.control.on_ack(&Ack {
            now: at(self.now),
            app_limited: true,
            ..ack(1.0)
        });
        self
    }

    /// Grows after a judged round, by `acks` ACKs.
    pub(in crate::algorithm) fn grow(&mut self, acks: u32) -> &mut Self {
        for _ in 0..acks {
            self.control.on_ack(&Ack {
                now: at(self.now),
                ..ack(1.0)
            });
        }
        self
    }

    /// Checks the window, alpha and beta, and the branch that was taken last.
    #[track_caller]
    pub(in crate::algorithm) fn are(&self, cwnd: f64, alpha: f64, beta: f64, name: &str) {
        assert_eq!(branch(&self.control), name);
        assert_segments(self.control.window().cwnd, cwnd);
        assert_eq!(self.control.thresholds(), [alpha, beta]);
    }
}

/// After a round at cwnd 10 with diff = 10 * (1 - 100 / 125) = 2 and Th = 10 / 125 ms, which is below
/// that of the first round.
fn within() -> Rounds<VegasA> {
    let mut rounds = Rounds::new(10.0);
    rounds.of(125.0);
    rounds
}

#[test]
fn rising_throughput_within_the_thresholds_raises_the_window_and_both() {
    let mut rounds = within();
    rounds.are(10.0, 1.0, 3.0, "enough waits");
    // 10 / 124 ms is more than 10 / 125 ms; diff = 10 * 24 / 124.
    rounds.of(124.0);
    rounds.are(10.0, 2.0, 4.0, "enough, rising");
    assert_near(number(&rounds.control, "diff"), 1.935484);
    assert_near(number(&rounds.control, "alpha"), 1.0);
    assert_near(number(&rounds.control, "beta"), 3.0);
    rounds.grow(10).are(11.0, 2.0, 4.0, "enough, rising");
}

#[test]
fn falling_throughput_below_a_raised_alpha_lowers_the_window_and_both() {
    let mut rounds = within();
    rounds.of(124.0).grow(10);
    // At cwnd 11 the throughput would fall from 11 / 124 ms = 88.7/s to 11 / 125 ms, but with a diff of
    // 2.2. So the window is set to 9, which gives a diff of 1 and a lower throughput: 9 / 112.5 ms = 80/s.
    rounds.control.restrict(Segments::whole(9));
    rounds.of(112.5);
    assert_near(number(&rounds.control, "diff"), 1.0);
    rounds.are(8.0, 1.0, 3.0, "too little, falling");
}

#[test]
fn a_diff_above_beta_lowers_the_window_and_keeps_the_first_thresholds() {
    let mut rounds = Rounds::<VegasA>::new(10.0);
    // 10 * (1 - 100 / 200) = 5.
    rounds.of(200.0).are(9.0, 1.0, 3.0, "too much waits");
    assert_near(number(&rounds.control, "diff"), 5.0);
    rounds.grow(10).are(9.0, 1.0, 3.0, "too much waits");
}

#[test]
fn a_diff_above_beta_lowers_raised_thresholds() {
    let mut rounds = within();
    rounds.of(124.0).are(10.0, 2.0, 4.0, "enough, rising");
    rounds.of(200.0).are(9.0, 1.0, 3.0, "too much, retreat");
}

#[test]
fn below_the_first_alpha_the_window_grows_whatever_the_throughput() {
    let mut rounds = Rounds::<VegasA>::new(10.0);
    // 10 * (1 - 100 / 105) = 0.476; Th falls from 10 / 100 ms.
    rounds.of(105.0).are(10.0, 1.0, 3.0, "too little waits");
    rounds.grow(10).are(11.0, 1.0, 3.0, "too little waits");
}

#[test]
fn below_a_raised_alpha_the_window_grows_only_with_rising_throughput() {
    let mut rounds = within();
    rounds.of(124.0);
    // 10 / 110 ms, more than 10 / 124 ms; diff 0.909. Then the same again.
    rounds.of(110.0).are(10.0, 2.0, 4.0, "too little, rising");
    rounds.of(110.0).are(10.0, 2.0, 4.0, "too little, steady");
}

#[test]
fn a_timeout_forgets_the_throughput_and_keeps_the_thresholds() {
    let mut rounds = within();
    rounds.of(124.0);
    rounds.control.on_timeout(&timeout(5000.0, 1));
    assert!(number(&rounds.control, "throughput").is_nan());
    assert_eq!(rounds.control.thresholds(), [2.0, 4.0]);
}

#[test]
fn a_loss_cuts_as_in_vegas() {
    let mut rounds = Rounds::<VegasA>::new(16.0);
    rounds.control.on_loss(&loss(2000.0));
    rounds.are(12.0, 1.0, 3.0, "first loss");
}
