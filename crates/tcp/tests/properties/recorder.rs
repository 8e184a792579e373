//! A controller that writes down what it is told, and leaves the rest to another.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Timeout};
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_control::units::{Instant, Segments};

/// See the module.
#[derive(Clone, Debug)]
pub struct Recorder {
    inner: Any,
    /// Losses told of.
    pub losses: u64,
    /// Marks told of.
    pub marks: u64,
    /// Timeouts told of.
    pub timeouts: u64,
    /// Losses of segments sent before the last cut that cut the window again.
    pub late_cuts: u64,
    last_cut: Option<Instant>,
    clock: Instant,
}

impl Recorder {
    pub fn new(config: &AnyConfig, path: &Path) -> Self {
        Self {
            inner: config.build(path),
            losses: 0,
            marks: 0,
            timeouts: 0,
            late_cuts: 0,
            last_cut: None,
            clock: Instant::ZERO,
        }
    }

    /// Time never goes back.
    fn turn(&mut self, now: Instant) {
        assert!(now >= self.clock);
        self.clock = now;
    }
}

impl Controller for Recorder {
    fn on_sample(&mut self, sample: &Sample) {
        self.turn(sample.now);
        assert!(
            sample.credited >= Segments::ONE,
            "every ACK tells of a segment that left"
        );
        self.inner.on_sample(sample);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.turn(ack.now);
        assert!(ack.acked >= Segments::ONE);
        self.inner.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.turn(loss.now);
        assert!(loss.transmissions >= 1 && loss.lost_sent_at <= loss.now);
        let before = self.inner.window().cwnd;
        self.inner.on_loss(loss);
        if loss.by == LossSignal::Ecn {
            self.marks += 1;
        } else {
            self.losses += 1;
        }
        if self.inner.window().cwnd < before {
            let late = self.last_cut.is_some_and(|cut| loss.lost_sent_at < cut);
            self.late_cuts += u64::from(late);
            self.last_cut = Some(loss.now);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.turn(timeout.now);
        assert!(timeout.consecutive >= 1);
        self.inner.on_timeout(timeout);
        self.timeouts += 1;
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.inner.restrict(cwnd);
    }
}
