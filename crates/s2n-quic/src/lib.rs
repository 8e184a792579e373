#![doc = include_str!("../README.md")]

use std::time::Duration;

use dumbbell_quic::control::controller::Signals;
use dumbbell_quic::control::units::Instant;
use dumbbell_quic::{Congestion, Translator};
use s2n_quic_core::random;
use s2n_quic_core::recovery::RttEstimator;
use s2n_quic_core::recovery::congestion_controller::{
    CongestionController, Endpoint, PathInfo, Publisher,
};
use s2n_quic_core::time::Timestamp;

pub use dumbbell_quic;

/// What s2n-quic tells a control: round-trip times and how many packets were marked; and it leaves pacing to the
/// control. It tells of the newest packet of an ACK alone, which is not enough to measure the rate of delivery.
pub const SIGNALS: Signals = Signals::RTT.with_pacing().with_marks();

dumbbell_quic::chooser! {
    /// Creates a control for each path of each connection: a provider for s2n-quic's `with_congestion_controller`.
    Provider, SIGNALS
}

impl Endpoint for Provider {
    type CongestionController = Adapter;

    fn new_congestion_controller(&mut self, path: PathInfo<'_>) -> Adapter {
        Adapter {
            path: Translator::new(&self.0, path.max_datagram_size),
            mtu: path.max_datagram_size,
            in_flight: 0,
            start: None,
            newest: None,
            sends_at_once: false,
        }
    }
}

/// A control on one path.
#[derive(Clone, Debug)]
pub struct Adapter {
    path: Translator,
    mtu: u16,
    /// s2n-quic leaves it to the control to count what is in flight.
    in_flight: u32,
    /// The time of the first call that told it.
    start: Option<Timestamp>,
    /// When the newest acknowledged packet left.
    newest: Option<Timestamp>,
    /// Whether a packet leaves whatever the window, since an episode of losses began (RFC 9002, section 7.3.2).
    sends_at_once: bool,
}

/// What is kept of each packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    sent: Timestamp,
    app_limited: bool,
}

impl Adapter {
    /// The control and what surrounds it.
    pub fn path(&self) -> &Translator {
        &self.path
    }

    /// The time since the start, plus a nanosecond, because zero means "never".
    fn time(&mut self, at: Timestamp) -> Instant {
        let start = *self.start.get_or_insert(at);
        Instant::from_nanos(1) + at.saturating_duration_since(start).into()
    }

    fn leaves_flight(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.in_flight = self.in_flight.saturating_sub(bytes);
    }
}

impl CongestionController for Adapter {
    type PacketInfo = Packet;

    fn congestion_window(&self) -> u32 {
        u32::try_from(self.path.window()).unwrap_or(u32::MAX)
    }

    fn bytes_in_flight(&self) -> u32 {
        self.in_flight
    }

    fn is_congestion_limited(&self) -> bool {
        let room = self.congestion_window().saturating_sub(self.in_flight);
        room < u32::from(self.mtu)
    }

    fn requires_fast_retransmission(&self) -> bool {
        self.sends_at_once
    }

    fn on_packet_sent<Pub: Publisher>(
        &mut self,
        sent: Timestamp,
        bytes: usize,
        app_limited: Option<bool>,
        _: &RttEstimator,
        _: &mut Pub,
    ) -> Packet {
        // A packet that carries only an ACK has no bytes here.
        if bytes > 0 {
            let now = self.time(sent);
            self.path.on_sent(now, bytes as u64);
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            self.in_flight = self.in_flight.saturating_add(bytes);
            self.sends_at_once = false;
        }
        Packet {
            sent,
            app_limited: app_limited.unwrap_or(false),
        }
    }

    // Called before what an ACK says of losses and marks.
    fn on_rtt_update<Pub: Publisher>(
        &mut self,
        newest_sent: Timestamp,
        _: Timestamp,
        _: &RttEstimator,
        _: &mut Pub,
    ) {
        self.newest = self.newest.max(Some(newest_sent));
    }

    fn on_ack<Pub: Publisher>(
        &mut self,
        newest_sent: Timestamp,
        bytes: usize,
        newest: Packet,
        _: &RttEstimator,
        _: &mut dyn random::Generator,
        now: Timestamp,
        _: &mut Pub,
    ) {
        self.leaves_flight(bytes);
        let (sent, now) = (self.time(newest_sent), self.time(now));
        self.path.on_packet_acked(sent, bytes as u64);
        self.path
            .on_end_acks(now, self.in_flight.into(), newest.app_limited);
    }

    fn on_packet_lost<Pub: Publisher>(
        &mut self,
        bytes: u32,
        packet: Packet,
        persistent: bool,
        _: bool,
        _: &mut dyn random::Generator,
        now: Timestamp,
        _: &mut Pub,
    ) {
        let by = match persistent {
            true => Congestion::Persistent,
            false => Congestion::Loss,
        };
        let before = self.path.window();
        let (sent, now) = (self.time(packet.sent), self.time(now));
        self.path.on_congestion(now, sent, by, bytes.into());
        self.leaves_flight(bytes as usize);
        self.sends_at_once |= self.path.window() < before;
    }

    fn on_explicit_congestion<Pub: Publisher>(
        &mut self,
        packets: u64,
        now: Timestamp,
        _: &mut Pub,
    ) {
        self.path.on_marks(packets);
        // s2n-quic does not tell which packets were marked: the newest acknowledged one stands for them.
        let sent = self.newest.unwrap_or(now);
        let (sent, now) = (self.time(sent), self.time(now));
        self.path.on_congestion(now, sent, Congestion::Mark, 0);
    }

    fn on_mtu_update<Pub: Publisher>(&mut self, mtu: u16, _: &mut Pub) {
        self.mtu = mtu;
        self.path.on_mtu(mtu);
    }

    fn on_packet_discarded<Pub: Publisher>(&mut self, bytes: usize, _: &mut Pub) {
        self.leaves_flight(bytes);
    }

    fn earliest_departure_time(&self) -> Option<Timestamp> {
        let (due, start) = (self.path.pacer().due()?, self.start?);
        start.checked_add(Duration::from_nanos(due.as_nanos()))
    }

    fn send_quantum(&self) -> Option<usize> {
        self.path.pacing_rate()?;
        usize::try_from(self.path.send_quantum()).ok()
    }
}
