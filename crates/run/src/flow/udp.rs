//! A flow without a transport: a traffic source, and a counter at the other end.

use dumbbell_scenario::Emitter;
use dumbbell_sim::traffic::Emission;
use dumbbell_sim::{Arrived, Ecn, EndpointId, Label, Port, Time};

use super::tcp::{flow_of, label_of};
use super::wire::{DATAGRAM, Payload};
use crate::delays::Delays;
use crate::path::Transit;
use crate::probe::Bins;

/// The sending end.
pub(crate) struct UdpSender {
    source: Emitter,
    due: Option<Emission>,
    codepoint: Ecn,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
    pub(crate) sent: u64,
}

impl UdpSender {
    pub(crate) fn new(source: Emitter, codepoint: Ecn, start: Time, stop: Option<Time>) -> Self {
        Self {
            source,
            due: None,
            codepoint,
            start,
            stop,
            sent: 0,
        }
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        mut bins: Option<&mut Bins>,
    ) {
        let label = Label {
            ecn: self.codepoint,
            ..label_of(endpoint)
        };
        loop {
            if let Some(bins) = &mut bins {
                bins.pass(net.now(), || self.sent);
            }
            if let Some(due) = self.due.take() {
                let payload = Payload::datagram(flow_of(endpoint), net.now());
                net.send_labelled(endpoint, due.bytes, DATAGRAM, payload, label);
                self.sent += 1;
            }
            self.due = self.source.next();
            let next = self.due.map(|emission| emission.at);
            if !net.run_ahead(next) {
                net.set_timer(endpoint, next);
                return;
            }
        }
    }
}

/// The receiving end.
pub(crate) struct UdpReceiver {
    transit: Transit,
    /// How long packets waited in queues.
    pub(crate) queueing: Delays,
    pub(crate) bytes: u64,
    /// When the last packet arrived.
    pub(crate) last: Time,
}

impl UdpReceiver {
    pub(crate) fn new(transit: Transit) -> Self {
        Self {
            transit,
            queueing: Delays::default(),
            bytes: 0,
            last: Time::ZERO,
        }
    }

    pub(crate) fn on_packet(&mut self, now: Time, packet: &Arrived<Payload>) {
        self.bytes += u64::from(packet.bytes);
        self.last = now;
        let age = packet.payload.age(now);
        self.queueing.add(age.saturating_sub(self.transit.packet));
    }
}
