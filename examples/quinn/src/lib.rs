//! The congestion controls of `dumbbell-control` behind quinn: put a [`Factory`] into its `TransportConfig`.
//!
//! quinn provides round-trip times, but no receiver times, and a control cannot set its pacing rate. Therefore
//! VenoDB is accepted only with `stamp_source = "ack"`. Set `counting = "abc"`, with which growth counts all
//! segments that an ACK covers. By default an ACK counts as one segment, and a window would grow too slowly,
//! since a QUIC ACK usually covers several packets.

use dumbbell_control::controller::{Controller as _, Lacking, Signals};
use dumbbell_control::event::{Ack, Loss, LossSignal::Ecn, MssChange, Path, Sample, Sent, Timeout};
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_control::units::{self, Bytes, Segments};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::{any, mem, sync::Arc, time::Instant};

/// Creates a control for each path of each connection.
#[derive(Clone, Copy, Debug)]
pub struct Factory(AnyConfig);

impl Factory {
    /// Returns a factory of controls with these parameters; an error if they require more than quinn provides.
    pub fn new(config: AnyConfig) -> Result<Self, Lacking> {
        config.check(Signals::RTT).map(|()| Self(config))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let mtu = u64::from(mtu);
        let initial = Bytes(14_720.clamp(2 * mtu, 10 * mtu)); // RFC 9002, section 7.2
        let mtu = Bytes(mtu);
        let path = Path::new(mtu).with_initial_window(Segments::from_bytes(initial, mtu));
        Box::new(Adapter {
            control: self.0.build(&path),
            start: now,
            mtu,
            book: Book::default(),
        })
    }
}

/// A control on one path. Cast a clone of quinn's `congestion_state` to this type with `into_any`.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// The control.
    pub control: Any,
    start: Instant,
    mtu: Bytes,
    book: Book,
}

#[derive(Clone, Debug, Default)]
struct Book {
    in_flight: Segments,
    /// Segments since the last ACK: acknowledged; of these, sent after the last reduction; lost.
    counts: [Segments; 3],
    /// Whether this ACK gives a round-trip time; when the newest acknowledged packet was sent.
    timed: bool,
    newest: units::Instant,
    /// The time of the last reduction; zero, which is before the first packet, if there was none.
    reduced: units::Instant,
    /// The time of the last ACK that let the control grow, and the control before that growth.
    ungrown: Option<(units::Instant, Any)>,
}

fn segments(bytes: u64, mtu: Bytes) -> Segments {
    Segments::from_bytes(Bytes(bytes), mtu)
}

/// The time since `start`, plus a nanosecond, because zero means "never".
fn time(at: Instant, start: Instant) -> units::Instant {
    units::Instant::from_nanos(1) + at.saturating_duration_since(start).into()
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: Instant, bytes: u64, _: u64) {
        let (sent, book) = (segments(bytes, self.mtu), &mut self.book);
        let now = time(now, self.start);
        self.control.on_sent(&Sent::new(now, sent, book.in_flight));
        book.in_flight += sent;
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        let (sent, book) = (time(sent, self.start), &mut self.book);
        book.counts[0] += segments(bytes, self.mtu);
        book.counts[1] += segments(if sent > book.reduced { bytes } else { 0 }, self.mtu);
        (book.timed, book.newest) = (book.timed || sent >= book.newest, book.newest.max(sent));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _: Option<u64>) {
        let (now, book) = (time(now, self.start), &mut self.book);
        book.in_flight = segments(in_flight, self.mtu);
        let [acked, fresh, lost] = mem::take(&mut book.counts);
        let rtt = mem::take(&mut book.timed).then(|| now.since(book.newest));
        let sample = Sample::new(now, acked).with_rtt(rtt).with_lost(lost);
        self.control.on_sample(&sample);
        if fresh > Segments::ZERO {
            book.ungrown = Some((now, self.control.checkpoint()));
            let ack = Ack::new(now, fresh, book.in_flight);
            self.control.on_ack(&ack.with_app_limited(app_limited));
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        let [now, sent] = [now, sent].map(|at| time(at, self.start));
        let (in_flight, known) = (self.book.in_flight, sent <= self.book.reduced);
        self.book.in_flight = in_flight.saturating_sub(segments(lost, self.mtu));
        self.book.counts[2] += segments(lost, self.mtu);
        if known && !persistent {
            return; // The packet belongs to an episode that has been reported.
        }
        self.book.reduced = now;
        // An ACK that reveals a loss must not grow the window (RFC 9002, A.7); quinn reports the loss last.
        if let Some((_, control)) = self.book.ungrown.take().filter(|(at, _)| *at == now) {
            self.control.undo(control);
        }
        let timeout = Timeout::new(now, in_flight).with_consecutive(1 + u32::from(known));
        let loss = Loss::new(now, in_flight).with_lost_sent_at(sent);
        match (persistent, lost) {
            (true, _) => self.control.on_timeout(&timeout),
            (_, 0) => self.control.on_loss(&loss.with_signal(Ecn)),
            _ => self.control.on_loss(&loss),
        }
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        let mtu = Bytes(mtu.into());
        self.control.on_mss(&MssChange::new(self.mtu, mtu));
        (self.mtu, self.book.ungrown) = (mtu, None);
    }

    fn window(&self) -> u64 {
        let Bytes(window) = self.control.window().cwnd.to_bytes(self.mtu);
        window.max(2 * self.mtu.0) // RFC 9002, section 7.2; with one packet, quinn sends nothing.
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.window() // quinn calls this before the first packet.
    }

    fn into_any(self: Box<Self>) -> Box<dyn any::Any> {
        self
    }
}
