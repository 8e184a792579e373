//! A control of your own, compared with Reno: `cargo run -p dumbbell-control --example own_control`

use dumbbell_control::algorithm::reno::Reno;
use dumbbell_control::controller::{Algorithm, Controller, Facts, Signals, Window};
use dumbbell_control::event::{Ack, Loss, MssChange, Path, Sample, Sent, Timeout};
use dumbbell_control::parameter::Kind;
use dumbbell_control::parameters;
use dumbbell_control::units::{Bytes, Duration, Instant, Ratio, Segments};
use dumbbell_control::wide::reciprocal;

/// Reno that keeps more of its window after a loss, and restarts after more than 1 s without packets.
#[derive(Clone, Debug)]
pub(crate) struct Patient {
    cwnd: Segments,
    ssthresh: Segments,
    initial_window: Segments,
    keep: Ratio,
    last_sent: Instant,
}

/// The controller: events in, a window out.
impl Controller for Patient {
    fn on_sample(&mut self, _: &Sample) {} // This control measures nothing.

    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return; // A window that was not used has not been tested.
        }
        let step = if self.cwnd < self.ssthresh {
            ack.acked.min(Segments::ONE)
        } else {
            Segments::from_raw(reciprocal(self.cwnd.raw())) // 1/cwnd
        };
        self.cwnd = (self.cwnd + step).min(Segments::CAP);
    }

    fn on_loss(&mut self, _: &Loss) {
        self.ssthresh = self.cwnd.scaled(self.keep).max(Segments::whole(2));
        self.cwnd = self.ssthresh;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        if timeout.consecutive == 1 {
            self.ssthresh = self.cwnd.scaled(self.keep).max(Segments::whole(2));
        }
        self.cwnd = Segments::ONE;
    }

    fn on_sent(&mut self, sent: &Sent) {
        let silence = sent.now.since(self.last_sent);
        if sent.in_flight == Segments::ZERO && silence > Duration::from_secs(1) {
            self.restrict(self.initial_window);
        }
        self.last_sent = sent.now;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.cwnd = change.rescale(self.cwnd).max(Segments::ONE);
        self.ssthresh = change.rescale(self.ssthresh);
    }

    fn window(&self) -> Window {
        Window {
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
        }
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.cwnd = self.cwnd.min(cwnd).max(Segments::ONE);
    }
}

parameters! {
    /// The parameters, which files and command lines can set by name.
    pub(crate) struct Config {
        /// The fraction of the window that remains after a loss.
        keep: Ratio = Ratio::from_millionths(700_000), Kind::Ratio(Ratio::HALF, Ratio::ONE);
    }
}

/// Combines control and parameters into an algorithm, which a host can create by its type.
impl Algorithm for Patient {
    const NAME: &'static str = "patient";
    const SUMMARY: &'static str = "Reno that keeps more of its window";
    const NEEDS: Signals = Signals::NONE;
    const RECOVERIES: &'static [&'static str] = &["newreno", "sack"];
    const FACTS: Facts = Facts {
        loss_leaves: Some(Ratio::from_millionths(700_000)),
        timeout_leaves: Some(Ratio::from_millionths(700_000)),
        ..Facts::RENO
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            cwnd: path.initial_window,
            ssthresh: path.ssthresh,
            initial_window: path.initial_window,
            keep: config.keep,
            last_sent: Instant::ZERO,
        }
    }
}

/// One round-trip time of a sender that always has data to send: every segment of the window is
/// acknowledged.
fn round<C: Controller>(control: &mut C, now: Instant) {
    for _ in 0..control.window().cwnd.floor() {
        let in_flight = control.window().cwnd;
        control.on_sent(&Sent::new(now, Segments::ONE, in_flight));
        control.on_sample(&Sample::new(now, Segments::ONE));
        control.on_ack(&Ack::new(now, Segments::ONE, in_flight));
    }
}

/// The windows of an algorithm at the ends of 30 rounds of 100 ms. Every tenth round loses a segment.
pub(crate) fn windows<A: Algorithm>(config: &A::Config) -> Vec<f64> {
    let path = Path::new(Bytes(1000)).with_ssthresh(Segments::whole(20));
    let mut control = A::new(config, &path);
    let mut windows = Vec::new();
    for number in 1..=30u64 {
        let now = Instant::ZERO + Duration::from_millis(100 * number);
        round(&mut control, now);
        if number.is_multiple_of(10) {
            control.on_loss(&Loss::new(now, control.window().cwnd));
        }
        windows.push(control.window().cwnd.as_f64());
    }
    windows
}

fn main() {
    let patient = windows::<Patient>(&Config::default());
    let reno = windows::<Reno>(&Default::default());
    println!("round  patient     reno");
    for (number, (patient, reno)) in patient.iter().zip(&reno).enumerate() {
        println!("{:>5}  {patient:>7.2}  {reno:>7.2}", number + 1);
    }
}
