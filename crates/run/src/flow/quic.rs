//! A QUIC connection on the simulator: its sender, its receiver, and their counters.

use std::sync::{Arc, Mutex};

use dumbbell_quic::connection::{AckFrame, Output, Packet, Receiver, Response, Sender};
use dumbbell_sim::{Arrived, Ecn, EndpointId, Label, Port, Time};

use super::control::Control;
use super::media::Contents;
use super::round_trips::RoundTrips;
use super::tcp::{Seen, Sizes, codepoint, flow_of, label_of};
use super::watched::Company;
use super::wire::{ACK, DATA, Payload};
use crate::delays::Delays;
use crate::path::Transit;
use crate::time::{instant, moment};

/// The sending end.
pub(crate) struct QuicSender {
    pub(crate) seen: Seen,
    sizes: Sizes,
    started: bool,
    sender: Sender<Control>,
    /// Estimators that run beside the control.
    pub(crate) company: Option<Arc<Mutex<Company>>>,
    pub(crate) start: Time,
    pub(crate) finish: Option<Time>,
    pub(crate) rtts: RoundTrips,
}

impl QuicSender {
    pub(crate) fn new(
        sender: Sender<Control>,
        company: Option<Arc<Mutex<Company>>>,
        sizes: Sizes,
        start: Time,
    ) -> Self {
        Self {
            seen: Seen::default(),
            sizes,
            started: false,
            sender,
            company,
            start,
            finish: None,
            rtts: RoundTrips::default(),
        }
    }

    pub(crate) fn quic(&self) -> &Sender<Control> {
        &self.sender
    }

    /// Whether what it does depends on its own packets and timers only.
    pub(crate) fn is_alone(&self) -> bool {
        !matches!(self.sender.control(), Control::Custom(_))
    }

    /// Forgets the longest round-trip time, and those that count for the percentiles.
    pub(crate) fn restart(&mut self) {
        self.seen.forget_longest();
        self.rtts.restart(self.sender.rtt_samples());
    }

    /// Calls the sender, and notes what the call changed.
    fn call<N: Port<Payload>>(
        &mut self,
        net: &mut N,
        endpoint: EndpointId,
        call: impl FnOnce(&mut Sender<Control>, &mut Wire<'_, N>),
    ) {
        let now = net.now();
        let cwnd = self.sender.window().cwnd;
        let samples = self.sender.rtt_samples();
        let sizes = self.sizes;
        let mut out = Wire {
            net,
            endpoint,
            sizes,
        };
        call(&mut self.sender, &mut out);
        self.seen.observe_window(cwnd, now);
        if self.sender.rtt_samples() != samples {
            let rtt = self.sender.last_rtt();
            self.seen.note_rtt(rtt);
            self.rtts.add(rtt, samples);
        }
        if self.finish.is_none() && self.sender.finished() {
            self.finish = Some(now);
        }
        if self.started {
            net.set_timer(endpoint, self.sender.deadline().map(moment));
        }
    }

    /// Sets the total number of packets that there are to send so far.
    pub(crate) fn offer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packets: u64,
    ) {
        let now = instant(net.now());
        self.call(net, endpoint, |sender, out| sender.offer(now, packets, out));
    }

    /// The application stops writing.
    pub(crate) fn close(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        self.call(net, endpoint, |sender, _| sender.close());
    }

    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        let now = instant(net.now());
        if packet.payload.is_opening() {
            return self.call(net, endpoint, |sender, out| sender.on_open(now, out));
        }
        let frame = packet.payload.frame();
        if let Some(frame) = frame.and_then(|place| contents.frames.try_remove(place as usize)) {
            self.call(net, endpoint, |sender, out| sender.on_ack(now, &frame, out));
        }
    }

    pub(crate) fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let now = net.now();
        if self.started {
            let now = instant(now);
            return self.call(net, endpoint, |sender, out| sender.on_timer(now, out));
        }
        self.started = true;
        self.seen.begin(now);
        let now = instant(now);
        self.call(net, endpoint, |sender, out| sender.start(now, out));
    }
}

/// The receiving end.
pub(crate) struct QuicReceiver {
    receiver: Receiver,
    /// How long packets waited in queues.
    pub(crate) queueing: Delays,
    transit: Transit,
    /// Payload bytes that arrived, duplicates included, until the transfer was complete.
    pub(crate) payload: u64,
    /// The number of packets of the transfer.
    size: u64,
    sizes: Sizes,
    /// Bytes of a packet that are not payload.
    header: u16,
}

impl QuicReceiver {
    pub(crate) fn new(
        receiver: Receiver,
        size: Option<u64>,
        sizes: Sizes,
        header: u16,
        transit: Transit,
    ) -> Self {
        Self {
            receiver,
            queueing: Delays::default(),
            transit,
            payload: 0,
            size: size.unwrap_or(u64::MAX),
            sizes,
            header,
        }
    }

    pub(crate) fn quic(&self) -> &Receiver {
        &self.receiver
    }

    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        if packet.payload.is_opening() {
            let label = label_of(endpoint);
            net.send_labelled(endpoint, self.sizes.ack, ACK, Payload::OPENING, label);
            return;
        }
        let near = (self.receiver.expected(), self.receiver.delivered());
        let Some((number, piece)) = packet.payload.as_packet(near) else {
            return;
        };
        if self.receiver.delivered() < self.size {
            self.payload += u64::from(packet.bytes - self.header);
        }
        let now = net.now();
        let age = packet.payload.age(now);
        self.queueing.add(age.saturating_sub(self.transit.packet));
        let waiting = self.receiver.deadline();
        let marked = packet.marked;
        let response = self.receiver.on_packet(instant(now), number, piece, marked);
        self.answer(net, endpoint, response, contents);
        let deadline = self.receiver.deadline();
        if deadline != waiting {
            net.set_timer(endpoint, deadline.map(moment));
        }
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let response = self.receiver.on_deadline(instant(net.now()));
        self.answer(net, endpoint, response, contents);
        net.set_timer(endpoint, self.receiver.deadline().map(moment));
    }

    fn answer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        response: Response,
        contents: &mut Contents,
    ) {
        if response == Response::Wait {
            return;
        }
        let frame: AckFrame = self.receiver.ack(instant(net.now()));
        let place = contents.frames.insert(frame) as u32;
        let payload = Payload::of_frame(place, flow_of(endpoint), net.now());
        net.send_labelled(endpoint, self.sizes.ack, ACK, payload, label_of(endpoint));
    }
}

/// The sender's interface to the network.
struct Wire<'a, N> {
    net: &'a mut N,
    endpoint: EndpointId,
    sizes: Sizes,
}

impl<N: Port<Payload>> Output for Wire<'_, N> {
    fn transmit(&mut self, packet: Packet) {
        let bytes = match packet.piece == self.sizes.last {
            true => self.sizes.last_data,
            false => self.sizes.data,
        };
        let flow = flow_of(self.endpoint);
        let label = Label {
            flow,
            ecn: match (packet.ect, packet.l4s) {
                (true, true) => Ecn::Ect1,
                (capable, _) => codepoint(capable),
            },
            probe: false,
            supersedes: None,
        };
        let payload = Payload::packet(&packet, flow);
        self.net
            .send_labelled(self.endpoint, bytes, DATA, payload, label);
    }

    fn open(&mut self) {
        let label = label_of(self.endpoint);
        let bytes = self.sizes.ack;
        self.net
            .send_labelled(self.endpoint, bytes, ACK, Payload::OPENING, label);
    }
}
