//! The receiving end of a TCP connection on the simulator.

use std::sync::Arc;

use dumbbell_control::hint::cold_path;
use dumbbell_sim::{Arrived, EndpointId, Label, Port, Time};
use dumbbell_tcp::receiver::{Receiver, Response};
use dumbbell_tcp::segment::Arrival;

use super::{AQT_BYTES, codepoint, flow_of, label_of};
use crate::delays::Delays;
use crate::flow::wire::{self, ACK, Boards, Content, Payload};
use crate::path::Transit;
use crate::time::{instant, moment};

/// The receiving end of a flow.
pub(crate) struct TcpReceiver {
    receiver: Receiver,
    /// How long segments waited in queues.
    pub(crate) queueing: Delays,
    /// Payload bytes that arrived, duplicates included, until the transfer was complete.
    pub(crate) payload: u64,
    expected: Arc<Expected>,
}

// A run has many flows.
const _: () = assert!(size_of::<TcpReceiver>() <= 168);

/// What a receiver knows of its flow; the same for many receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) transit: Transit,
    /// The number of segments of the transfer; `u64::MAX` if it has no end.
    pub(crate) size: u64,
    /// Bytes of a segment that are not payload.
    pub(crate) header: u16,
    pub(crate) ack_size: u16,
    /// Whether its ACKs may be marked, because its ACK congestion control reacts to marks.
    pub(crate) ect: bool,
}

impl TcpReceiver {
    pub(crate) fn new(receiver: Receiver, expected: Arc<Expected>) -> Self {
        Self {
            receiver,
            queueing: Delays::default(),
            payload: 0,
            expected,
        }
    }

    pub(crate) fn tcp(&self) -> &Receiver {
        &self.receiver
    }

    /// Fetches what the next segment will need and the receiver points to.
    #[inline]
    pub(crate) fn foresee(&self) {
        self.queueing.foresee();
    }

    // Inlined into both of its callers, of which one hardly ever runs.
    #[inline(always)]
    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        boards: &mut Boards,
    ) {
        if packet.payload.is_opening() {
            cold_path();
            let now = net.now();
            self.receiver
                .on_open(instant(now), packet.payload.sent_at(now));
            net.send_labelled(
                endpoint,
                self.expected.ack_size,
                ACK,
                Payload::OPENING,
                label_of(endpoint),
            );
            return;
        }
        if self.receiver.delivered() < self.expected.size {
            self.payload += u64::from(packet.bytes - self.expected.header);
        }
        let now = instant(net.now());
        let waiting = self.receiver.deadline();
        if self.receiver.answers_before(packet.marked) {
            cold_path();
            self.send_ack(net, endpoint, boards);
        }
        let response = if packet.payload.is_plain_segment() && !packet.marked {
            // A last segment that is not full may take less than this over idle links.
            let age = packet.payload.age(net.now());
            self.queueing
                .add(age.saturating_sub(self.expected.transit.packet));
            let (seq, ts_value) = packet.payload.as_data(self.receiver.delivered());
            let mut arrival = Arrival::plain(seq, ts_value);
            arrival.sent_at = instant(net.now() - Time::from_nanos(age.as_nanos()));
            self.receiver.on_segment(now, &arrival)
        } else {
            self.on_dressed(net.now(), packet)
        };
        match response {
            Response::Ack => self.send_ack(net, endpoint, boards),
            Response::Wait => {}
        }
        let deadline = self.receiver.deadline();
        if deadline != waiting {
            cold_path();
            net.set_timer(endpoint, deadline.map(moment));
        }
    }

    /// Handles a segment that carries more than its number, or that is marked.
    #[cold]
    #[inline(never)]
    fn on_dressed(&mut self, now: Time, packet: &Arrived<Payload>) -> Response {
        let idle = match packet.payload.probes() {
            true => self.expected.transit.probe,
            false => self.expected.transit.packet,
        };
        self.queueing
            .add(packet.payload.age(now).saturating_sub(idle));
        let delivered = self.receiver.delivered();
        if packet.payload.probes() && delivered < self.expected.size {
            self.payload -= u64::from(AQT_BYTES);
        }
        let arrival = wire::arrival(packet, delivered, now, self.receiver.stamping());
        self.receiver.on_segment(instant(now), &arrival)
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        boards: &mut Boards,
    ) {
        match self.receiver.on_deadline(instant(net.now())) {
            Response::Ack => self.send_ack(net, endpoint, boards),
            Response::Wait => {}
        }
        net.set_timer(endpoint, self.receiver.deadline().map(moment));
    }

    #[inline(always)]
    fn send_ack(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        boards: &mut Boards,
    ) {
        let ack = Content::of(&self.receiver.ack(instant(net.now()), boards.room()));
        let ack = boards.write(ack);
        let bytes = self.expected.ack_size + if ack.probe { AQT_BYTES } else { 0 };
        let flow = flow_of(endpoint);
        let label = Label {
            flow,
            ecn: codepoint(self.expected.ect),
            probe: ack.probe,
            supersedes: ack.pure.then_some((flow, ack.number)),
        };
        net.send_labelled(endpoint, bytes, ACK, ack.payload, label);
    }
}
