//! A controller that counts and checks the events, and passes them on to another controller.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, LossSignal, Marks, Path, Sample, Sent, Timeout};
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_control::units::{Instant, Rate, Segments};

/// A controller that counts and checks the events of another.
#[derive(Clone, Debug)]
pub struct Recorder {
    inner: Any,
    scalable: bool,
    /// Losses reported, without marks.
    pub losses: u64,
    /// Marks reported as losses.
    pub marks: u64,
    /// Timeouts reported.
    pub timeouts: u64,
    /// Losses of segments sent before the last cut that cut the window again.
    pub late_cuts: u64,
    /// Cuts that were undone.
    pub restored: u64,
    /// The largest window so far.
    largest: Segments,
    /// Segments reported as sent, and those of them that had been sent before.
    pub sent: u64,
    pub resent: u64,
    /// Segments reported as lost.
    pub lost: u64,
    rate: Option<Rate>,
    last_cut: Option<Instant>,
    clock: Instant,
}

impl Recorder {
    /// A recorder that also asks for a rate, or for none.
    pub fn new(config: &AnyConfig, path: &Path, rate: Option<Rate>, scalable: bool) -> Self {
        Self {
            inner: config.build(path),
            scalable,
            losses: 0,
            marks: 0,
            timeouts: 0,
            late_cuts: 0,
            restored: 0,
            largest: Segments::ZERO,
            sent: 0,
            resent: 0,
            lost: 0,
            rate,
            last_cut: None,
            clock: Instant::ZERO,
        }
    }

    /// Checks that time never goes back.
    fn turn(&mut self, now: Instant) {
        self.largest = self.largest.max(self.inner.window().cwnd);
        assert!(now >= self.clock);
        self.clock = now;
    }
}

impl Controller for Recorder {
    fn on_sent(&mut self, sent: &Sent) {
        self.turn(sent.now);
        self.sent += sent.segments.floor();
        self.resent += u64::from(sent.retransmission);
        self.inner.on_sent(sent);
    }

    fn on_sample(&mut self, sample: &Sample) {
        self.turn(sample.now);
        assert!(
            sample.credited >= Segments::ONE,
            "every ACK tells of a segment that left"
        );
        if let Marks::Counted(marked) = sample.marks {
            assert!(marked >= Segments::ONE && marked <= sample.credited);
        }
        self.lost += sample.lost.floor();
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
            // A control that is asked need not cut.
            let cuts = !self.scalable || self.inner.window().cwnd < before;
            self.marks += u64::from(cuts);
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

    fn on_unused(&mut self, window: &Window) {
        self.inner.on_unused(window);
    }

    fn end_slow_start(&mut self) {
        self.inner.end_slow_start();
    }

    fn pacing(&self) -> Option<Rate> {
        self.rate
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.inner.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.restored += 1;
        assert!(before.cwnd <= self.largest, "an undo gains nothing");
        self.last_cut = None;
        self.inner.restore(before);
    }
}
