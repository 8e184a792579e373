//! The section "Detailed Delivery Rate Sampling Algorithm" of draft-ietf-ccwg-bbr, once more and as simple as there.
//! A packet is one segment, and a retransmission is a new packet.

use dumbbell_control::event::DeliveryRate;
use dumbbell_control::units::Duration;

/// The variables `P.` of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub id: u64,
    pub send_time: u64,
    pub first_send_time: u64,
    pub delivered_time: u64,
    pub delivered: u64,
    pub lost: u64,
    pub tx_in_flight: u64,
    pub is_app_limited: bool,
    pub is_retransmission: bool,
    pub is_marked_lost: bool,
}

/// The variables `C.` of the connection that the sampler needs.
#[derive(Clone, Debug)]
pub struct Sampler {
    pub delivered: u64,
    pub lost: u64,
    pub inflight: u64,
    pub min_rtt: u64,
    delivered_time: u64,
    first_send_time: u64,
    app_limited: u64,
    /// `RS`: the newest packet of the ACK that is processed.
    newest: Option<(Packet, u64, u64)>,
}

impl Sampler {
    pub fn new() -> Self {
        Self {
            delivered: 0,
            lost: 0,
            inflight: 0,
            min_rtt: u64::MAX,
            delivered_time: 0,
            first_send_time: 0,
            app_limited: 0,
            newest: None,
        }
    }

    /// `OnPacketSent`. It asks whether nothing was in flight before the packet, and stores what is with it.
    pub fn on_packet_sent(&mut self, id: u64, is_retransmission: bool, now: u64) -> Packet {
        if self.inflight == 0 {
            self.first_send_time = now;
            self.delivered_time = now;
        }
        self.inflight += 1;
        Packet {
            id,
            send_time: now,
            first_send_time: self.first_send_time,
            delivered_time: self.delivered_time,
            delivered: self.delivered,
            lost: self.lost,
            tx_in_flight: self.inflight,
            is_app_limited: self.app_limited != 0,
            is_retransmission,
            is_marked_lost: false,
        }
    }

    /// `InitRateSample`.
    pub fn init_rate_sample(&mut self) {
        self.newest = None;
    }

    /// `UpdateRateSample`.
    pub fn update_rate_sample(&mut self, packet: Packet, now: u64) {
        self.delivered += 1;
        self.delivered_time = now;
        self.inflight -= 1;
        let is_newest = self.newest.is_none_or(|(newest, _, _)| {
            (packet.send_time, packet.id) > (newest.send_time, newest.id)
        });
        if is_newest {
            let send_elapsed = packet.send_time - packet.first_send_time;
            let ack_elapsed = self.delivered_time - packet.delivered_time;
            self.newest = Some((packet, send_elapsed, ack_elapsed));
            self.first_send_time = packet.send_time;
        }
    }

    /// The newest packet that the ACK reports.
    pub fn newest(&self) -> Option<&Packet> {
        self.newest.as_ref().map(|(packet, _, _)| packet)
    }

    /// `GenerateRateSample`.
    pub fn generate_rate_sample(&mut self) -> Option<DeliveryRate> {
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let (packet, send_elapsed, ack_elapsed) = self.newest?;
        let interval = send_elapsed.max(ack_elapsed);
        if interval == 0 || (self.min_rtt != u64::MAX && interval < self.min_rtt) {
            return None;
        }
        Some(DeliveryRate {
            delivered: self.delivered - packet.delivered,
            interval: Duration::from_nanos(interval),
            prior_delivered: packet.delivered,
            tx_in_flight: packet.tx_in_flight,
            lost: self.lost - packet.lost,
            app_limited: packet.is_app_limited,
        })
    }

    /// `MarkConnectionAppLimited`.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited != 0
    }

    pub fn mark_connection_app_limited(&mut self) {
        self.app_limited = (self.delivered + self.inflight).max(1);
    }
}
