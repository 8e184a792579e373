//! A controller that counts and checks the events, and passes them on to another controller.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{
    Ack, Delivery, Handshake, Loss, LossSignal, LostSegment, Marks, Path, Sample, Sent, Timeout,
};
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_control::units::{Duration, Instant, Rate, Segments};

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
    /// Segments that deliveries and losses have reported, and the least round-trip time of deliveries.
    pub delivered: u64,
    declared_lost: u64,
    least_rtt: Duration,
    /// Whether the inner controller paces, and not `rate`.
    by_delivery: bool,
    /// The longest time between two segments of 1000 bytes at the rate of the inner controller.
    slowest: Duration,
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
            delivered: 0,
            declared_lost: 0,
            least_rtt: Duration::MAX,
            by_delivery: config.needs().delivery,
            slowest: Duration::ZERO,
            rate,
            last_cut: None,
            clock: Instant::ZERO,
        }
    }

    /// The longest time between two segments of 1000 bytes so far.
    pub fn slowest(&self) -> Duration {
        self.slowest
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

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.turn(lost.now);
        self.declared_lost += 1;
        assert!(lost.lost >= 1 && lost.lost <= self.declared_lost);
        assert!(lost.delivered >= self.delivered);
        assert!(lost.tx_in_flight >= 1, "it was in flight itself");
        self.inner.on_lost_segment(lost);
    }

    /// It comes before anything is sent, and only if it is asked for.
    fn on_handshake(&mut self, handshake: &Handshake) {
        self.turn(handshake.now);
        assert_eq!((self.sent, self.delivered), (0, 0));
        self.least_rtt = self.least_rtt.min(handshake.rtt);
        self.inner.on_handshake(handshake);
    }

    /// A delivery counts once for each transmission, whatever an ACK claims, and no rate is that of an interval below
    /// the least round-trip time.
    fn on_delivery(&mut self, delivery: &Delivery) {
        self.turn(delivery.now);
        let newly = delivery.delivered - self.delivered;
        assert_eq!(newly, delivery.newly_delivered);
        self.delivered = delivery.delivered;
        assert!(self.delivered <= self.sent, "more arrived than was sent");
        assert_eq!(delivery.lost, self.declared_lost);
        assert!(delivery.newly_lost <= delivery.lost);
        if let Some(rtt) = delivery.rtt {
            self.least_rtt = self.least_rtt.min(rtt);
        }
        if let Some(rate) = delivery.rate {
            assert!(newly > 0, "no news, no rate");
            assert!(rate.interval > Duration::ZERO);
            assert!(self.least_rtt == Duration::MAX || rate.interval >= self.least_rtt);
            assert_eq!(rate.prior_delivered + rate.delivered, delivery.delivered);
            assert!(rate.lost <= delivery.lost && rate.tx_in_flight >= 1);
            // What was delivered since the newest one was sent was in flight then, or was sent later.
            assert!(rate.delivered <= self.sent - rate.prior_delivered);
        }
        self.inner.on_delivery(delivery);
        let pacing = self.inner.pacing().expect("it paces");
        assert!(pacing <= Rate::CAP);
        let ns = (1_000_000_000_000_u128 << 16) / u128::from(pacing.raw().max(1));
        let time = Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
        self.slowest = self.slowest.max(time);
    }

    fn window(&self) -> Window {
        self.inner.window()
    }

    fn send_quantum(&self) -> u32 {
        self.inner.send_quantum()
    }

    fn holds_back(&self) -> bool {
        self.inner.holds_back()
    }

    fn on_unused(&mut self, window: &Window) {
        self.inner.on_unused(window);
    }

    fn end_slow_start(&mut self) {
        self.inner.end_slow_start();
    }

    fn pacing(&self) -> Option<Rate> {
        match self.by_delivery {
            true => self.inner.pacing(),
            false => self.rate,
        }
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
