//! Veno, compared with a model in seconds and segments, whose N is (cwnd/BaseRTT - cwnd/RTT) * BaseRTT.
//!
//! The model runs independently. Only within a millionth of N = beta, where fixed point and floating
//! point may decide differently, it takes the control's decision.

use dumbbell_control::algorithm::veno::{Branch, Config, Veno};
use dumbbell_control::controller::{Algorithm, Controller};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Timeout};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::random::Random;

struct Model {
    cwnd: f64,
    ssthresh: f64,
    base: Option<f64>,
    srtt: Option<f64>,
    skip_next: bool,
    ties: u32,
}

impl Model {
    fn rtt(&mut self, rtt: f64) {
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| 0.875 * srtt + 0.125 * rtt));
    }

    /// Whether N >= beta; at a tie, the control's decision `opinion`.
    fn congested(&mut self, opinion: bool) -> bool {
        let (Some(base), Some(rtt)) = (self.base, self.srtt) else {
            return false;
        };
        let n = (self.cwnd / base - self.cwnd / rtt) * base;
        if (n - 3.0).abs() < 3e-6 {
            self.ties += 1;
            return opinion;
        }
        n >= 3.0
    }

    fn ack(&mut self, control: Branch) {
        if self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
            return;
        }
        let opinion = matches!(control, Branch::BusyGrow | Branch::BusyHold);
        let congested = self.congested(opinion);
        if !(congested && self.skip_next) {
            self.cwnd += 1.0 / self.cwnd;
            self.skip_next = congested;
        } else {
            self.skip_next = false;
        }
    }

    fn loss(&mut self, control: Branch) {
        let congested = self.congested(control == Branch::Congestion);
        let keep = if congested { 0.5 } else { 0.8 };
        self.ssthresh = (keep * self.cwnd).max(2.0);
        self.cwnd = self.ssthresh;
        self.base = None;
    }

    fn timeout(&mut self) {
        self.ssthresh = (self.cwnd / 2.0).max(2.0);
        self.cwnd = 1.0;
        self.base = None;
    }
}

#[test]
fn long_streams_stay_within_a_millionth() {
    for seed in 0..8 {
        let (worst, ties, congested) = run(seed);
        assert!(worst < 1e-6, "seed {seed}: {worst:e}");
        assert!(ties < 50, "seed {seed}: {ties} ties");
        // Both sides of the threshold must occur.
        assert!(
            (1_000..200_000).contains(&congested),
            "seed {seed}: {congested} congested"
        );
    }
}

/// The worst relative error of cwnd, the ties, and the congested ACKs of 250,000.
fn run(seed: u64) -> (f64, u32, u32) {
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(2))
        .with_ssthresh(Segments::whole(40));
    let mut control = Veno::new(&Config::default(), &path);
    let mut model = Model {
        cwnd: 2.0,
        ssthresh: 40.0,
        base: None,
        srtt: None,
        skip_next: false,
        ties: 0,
    };
    let mut random = Random::new(seed);
    let mut now = Instant::ZERO + Duration::from_secs(1);
    let (mut worst, mut congested) = (0.0f64, 0);
    for _ in 0..250_000 {
        now = now + Duration::from_micros(4_000);
        // The path holds 15 segments. Each further segment waits 4 ms.
        let waiting = (model.cwnd - 15.0).clamp(0.0, 40.0);
        let rtt = Duration::from_nanos((60e6 + 4e6 * waiting + random.between(0.0, 2e6)) as u64);
        control.on_sample(&Sample::new(now, Segments::ONE).with_rtt(rtt));
        model.rtt(rtt.as_nanos() as f64 / 1e9);
        match random.unit() {
            u if u < 0.0002 => {
                control.on_timeout(&Timeout::new(now, Segments::CAP));
                model.timeout();
            }
            u if u < 0.003 => {
                control.on_loss(&Loss::new(now, Segments::CAP).with_lost_sent_at(now - rtt));
                model.loss(control.branch());
            }
            _ => {
                let (acked, in_flight) = (Segments::ONE, Segments::CAP);
                control.on_ack(&Ack::new(now, acked, in_flight));
                let branch = control.branch();
                congested += u32::from(matches!(branch, Branch::BusyGrow | Branch::BusyHold));
                model.ack(branch);
            }
        }
        let error = (control.window().cwnd.as_f64() - model.cwnd).abs() / model.cwnd;
        worst = worst.max(error);
    }
    (worst, model.ties, congested)
}
