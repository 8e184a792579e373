//! A host that measures deliveries, on a path of 40 ms whose rate, queue and data change, for the tests that all
//! controls pass through.

use std::collections::VecDeque;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Delivery, DeliveryRate, Loss, LostSegment, Repair, Sent, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};

const MS: u64 = 1_000_000;
/// Propagation in each direction.
const DELAY: u64 = 20 * MS;
const END: u64 = 60_000 * MS;
const MSS: u64 = 1000;

/// A segment in the network, and what was known when it was sent.
#[derive(Clone, Copy)]
struct Packet {
    seq: u64,
    sent_at: u64,
    acked_at: u64,
    dropped: bool,
    delivered: u64,
    lost: u64,
    delivered_at: u64,
    first_sent: u64,
    tx_in_flight: u64,
    app_limited: bool,
}

#[derive(Default)]
struct Host {
    now: u64,
    seq: u64,
    packets: VecDeque<Packet>,
    in_flight: u64,
    delivered: u64,
    lost: u64,
    delivered_at: u64,
    first_sent: u64,
    limited_until: u64,
    free_at: u64,
    next_send: u64,
    recover: Option<u64>,
    filled: bool,
}

/// The time that the bottleneck takes for a segment.
fn service(now: u64) -> u64 {
    match now / (1000 * MS) {
        10..14 => 3 * MS,
        14..40 => MS / 2,
        _ => MS,
    }
}

/// What the application allows in the network.
fn supply(now: u64) -> u64 {
    match now / (1000 * MS) {
        30..33 => 3,
        33..40 => 0,
        _ => u64::MAX,
    }
}

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

impl Host {
    fn may_send(&self, control: &impl Controller) -> bool {
        let window = control.window().cwnd.floor().min(supply(self.now));
        self.in_flight < window && self.next_send <= self.now
    }

    fn send(&mut self, control: &mut impl Controller) {
        let mut sent = Sent::new(
            at(self.now),
            Segments::ONE,
            Segments::saturating_whole(self.in_flight),
        );
        sent.was_app_limited = self.limited_until > 0;
        control.on_sent(&sent);
        if self.in_flight == 0 {
            self.first_sent = self.now;
            self.delivered_at = self.now;
        }
        self.in_flight += 1;
        self.filled |= self.in_flight >= control.window().cwnd.floor();
        let waits = self.free_at.saturating_sub(self.now + DELAY) / service(self.now);
        // The queue holds 30 segments; a few are lost at random, and for some time a third.
        let gap = if (52_000 * MS..56_000 * MS).contains(&self.now) {
            3
        } else {
            1009
        };
        let dropped = waits > 30 || self.seq % gap == gap - 1;
        if !dropped {
            self.free_at = self.free_at.max(self.now + DELAY) + service(self.now);
        }
        // From 20 s on the way back is longer.
        let detour = if self.now > 20_000 * MS { 15 * MS } else { 0 };
        self.packets.push_back(Packet {
            seq: self.seq,
            sent_at: self.now,
            acked_at: self.free_at + DELAY + detour,
            dropped,
            delivered: self.delivered,
            lost: self.lost,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            tx_in_flight: self.in_flight,
            app_limited: self.limited_until > 0,
        });
        self.seq += 1;
        let rate = control
            .pacing()
            .map_or(u64::MAX, |rate| rate.raw() >> 16)
            .max(1);
        self.next_send = self.next_send.max(self.now) + MSS * 1_000_000_000 / rate;
    }

    /// The ACK of the first segment that was not dropped; those before it are lost.
    fn acknowledge(&mut self, control: &mut impl Controller) {
        let (prior, mut newly_lost) = (self.in_flight, 0);
        if self.in_flight < control.window().cwnd.floor().min(supply(self.now).max(1)) {
            self.filled = false;
        }
        if supply(self.now) < control.window().cwnd.floor() {
            self.limited_until = (self.delivered + self.in_flight).max(1);
        }
        while let Some(lost) = self
            .packets
            .front()
            .filter(|packet| packet.dropped)
            .copied()
        {
            self.packets.pop_front();
            self.in_flight -= 1;
            self.lost += 1;
            newly_lost += 1;
            let mut told = LostSegment::new(at(self.now), lost.tx_in_flight, self.lost - lost.lost);
            told.delivered = self.delivered + 1;
            told.app_limited = lost.app_limited;
            told.seq = lost.seq;
            control.on_lost_segment(&told);
        }
        let Some(packet) = self.packets.pop_front() else {
            return;
        };
        self.in_flight -= 1;
        self.delivered += 1;
        if self.recover.is_some_and(|recover| packet.seq > recover) {
            self.recover = None;
        }
        if newly_lost > 0 && self.recover.is_none() {
            self.recover = Some(self.seq);
            control.on_loss(&Loss::new(at(self.now), Segments::saturating_whole(prior)));
        }
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let mut told = Delivery::new(at(self.now), self.delivered, self.in_flight);
        told.lost = self.lost;
        told.newly_delivered = 1;
        told.newly_lost = newly_lost;
        told.prior_in_flight = prior;
        told.rtt = Some(Duration::from_nanos(self.now - packet.sent_at));
        told.srtt = told.rtt;
        told.cwnd_limited = self.filled;
        if self.recover.is_some() {
            told.repair = Repair::Episode;
        }
        let sending = packet.sent_at - packet.first_sent;
        told.rate = Some(DeliveryRate {
            delivered: self.delivered - packet.delivered,
            interval: Duration::from_nanos(sending.max(self.now - packet.delivered_at).max(1)),
            prior_delivered: packet.delivered,
            tx_in_flight: packet.tx_in_flight,
            lost: self.lost - packet.lost,
            app_limited: packet.app_limited,
        });
        self.first_sent = packet.sent_at;
        self.delivered_at = self.now;
        control.on_delivery(&told);
    }
}

/// Runs a control, and calls `listen` after each of its events.
pub fn drive<C: Controller>(control: &mut C, mut listen: impl FnMut(&C)) {
    let mut host = Host::default();
    let mut undone = false;
    while host.now < END {
        while host.may_send(control) {
            host.send(control);
        }
        let acked = host.packets.iter().find(|packet| !packet.dropped);
        let acked_at = acked.map_or(u64::MAX, |packet| packet.acked_at);
        let in_window = host.in_flight < control.window().cwnd.floor().min(supply(host.now));
        let paced = if in_window {
            host.next_send.max(host.now)
        } else {
            u64::MAX
        };
        // Every half second the application writes, and the timer is looked at.
        let tick = (host.now / (500 * MS) + 1) * 500 * MS;
        host.now = acked_at.min(paced).min(tick);
        if host.now == acked_at {
            host.acknowledge(control);
        } else if host.now == 50_000 * MS {
            control.on_timeout(&Timeout::new(at(host.now), Segments::whole(9)));
        }
        listen(control);
        if host.now > 45_000 * MS && host.recover.is_some() && !undone {
            undone = true;
            let window = control.window();
            control.restore(&window);
            listen(control);
        }
    }
}
