//! The controller whose window Python sets between the steps of a run.

use std::sync::{Arc, Mutex, MutexGuard};

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Sent, Timeout};
use dumbbell_control::units::{Duration, Rate, Segments};

/// What Python is told of a step; `dumbbell.gym.Signals` names and describes the numbers.
pub type Signals = (
    (f64, f64, f64, f64, f64, f64, f64),
    (u64, u64, u64, f64, f64, f64, f64),
);

/// What the flow and Python leave for each other.
#[derive(Clone, Copy, Debug)]
pub struct Desk {
    /// The window, which Python sets. A timeout and the end of a recovery lower it.
    pub window: Segments,
    /// The rate at which segments are spread out, if Python sets one.
    pub pacing: Option<Rate>,
    /// Bytes of payload in a segment.
    mss: u64,
    in_flight: Segments,
    least_rtt: Option<Duration>,
    last_rtt: Option<Duration>,
    /// The end of the step before, in seconds.
    since: f64,
    step: Step,
}

/// What has happened since the last step.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    acks: u64,
    losses: u64,
    timeouts: u64,
    delivered: Segments,
    lost: Segments,
    sent: Segments,
    /// The sum of the round-trip times, in seconds.
    rtts: f64,
    samples: u64,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            window: Segments::ONE,
            pacing: None,
            mss: 0,
            in_flight: Segments::ZERO,
            least_rtt: None,
            last_rtt: None,
            since: 0.0,
            step: Step::default(),
        }
    }
}

impl Desk {
    /// The number of ACKs since the last step.
    pub fn acks(&self) -> u64 {
        self.step.acks
    }

    /// Ends a step.
    pub fn take(&mut self, now: f64) -> Signals {
        let step = std::mem::take(&mut self.step);
        let seconds = |it: Option<Duration>| it.map_or(0.0, Duration::as_secs_f64);
        let last = seconds(self.last_rtt);
        let mean = match step.samples {
            0 => last,
            samples => step.rtts / samples as f64,
        };
        let span = now - std::mem::replace(&mut self.since, now);
        (
            (
                now,
                span,
                mean,
                last,
                seconds(self.least_rtt),
                self.window.as_f64(),
                self.in_flight.as_f64(),
            ),
            (
                step.acks,
                step.losses,
                step.timeouts,
                step.delivered.as_f64(),
                step.lost.as_f64(),
                step.sent.as_f64(),
                self.mss as f64 * 8.0,
            ),
        )
    }
}

/// A controller whose window is the one on the desk.
pub struct Agent {
    desk: Arc<Mutex<Desk>>,
}

impl Agent {
    /// The controller of a new connection.
    pub fn new(path: &Path, desk: Arc<Mutex<Desk>>) -> Self {
        let agent = Self { desk };
        {
            let mut desk = agent.desk();
            desk.window = path.initial_window.clamp(Segments::ONE, Segments::CAP);
            desk.mss = path.mss.0;
        }
        agent
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        super::lock(&self.desk)
    }
}

impl Controller for Agent {
    fn on_sent(&mut self, sent: &Sent) {
        let mut desk = self.desk();
        desk.step.sent += sent.segments;
        desk.in_flight = sent.in_flight + sent.segments;
    }

    fn on_sample(&mut self, sample: &Sample) {
        let mut desk = self.desk();
        desk.step.acks += 1;
        desk.step.delivered += sample.credited;
        desk.step.lost += sample.lost;
        if let Some(rtt) = sample.rtt_of_new_data() {
            desk.step.rtts += rtt.as_secs_f64();
            desk.step.samples += 1;
            desk.last_rtt = Some(rtt);
            desk.least_rtt = Some(desk.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.desk().in_flight = ack.in_flight;
    }

    fn on_loss(&mut self, loss: &Loss) {
        let mut desk = self.desk();
        desk.step.losses += 1;
        desk.in_flight = loss.in_flight;
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let mut desk = self.desk();
        desk.step.timeouts += 1;
        desk.in_flight = timeout.in_flight;
        desk.window = Segments::ONE;
    }

    fn window(&self) -> Window {
        let cwnd = self.desk().window;
        Window {
            cwnd,
            ssthresh: cwnd,
        }
    }

    fn restrict(&mut self, cwnd: Segments) {
        let mut desk = self.desk();
        desk.window = desk.window.min(cwnd.max(Segments::ONE));
    }

    fn pacing(&self) -> Option<Rate> {
        self.desk().pacing
    }
}
