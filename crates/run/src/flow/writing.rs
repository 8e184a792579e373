//! The application of a TCP flow that writes now and then, or that stops.

use dumbbell_scenario::{Emitter, Flow, Sending};
use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::traffic::Span;
use dumbbell_sim::{EndpointId, Port, Time};

use super::FlowSender;
use super::ends::SOURCES;
use super::wire::Payload;
use crate::time::time;

/// What writes at the sender of a TCP flow. It has a timer of its own, which is that of an endpoint without
/// packets.
pub(crate) struct Writer {
    timer: EndpointId,
    /// The sender's endpoint.
    sender: EndpointId,
    source: Option<Emitter>,
    /// When it writes next.
    next: Option<Time>,
    stop: Option<Time>,
    /// Segments that have been written.
    written: u64,
}

impl Writer {
    /// The writer of a TCP flow that has one: the run's flow `number`, which starts at `start`.
    pub(crate) fn new(
        flow: &Flow,
        number: u32,
        seed: u64,
        start: Time,
        timer: EndpointId,
        sender: EndpointId,
    ) -> Self {
        let stop = flow.writing.stop.map(time);
        let payload = flow.traffic.tcp().map_or(1, |tcp| tcp.payload.0);
        let sending = || Sending {
            // The reader limits segments to 65,535 bytes.
            bytes: u16::try_from(payload).unwrap_or(u16::MAX),
            span: Span {
                start,
                stop: stop.unwrap_or(Time::MAX),
            },
            random: stream(seed, Component::host(SOURCES, number)),
        };
        let source = flow.writing.source;
        let mut source = source.map(|source| source.simulated(sending()));
        let next = source.as_mut().and_then(Iterator::next);
        Self {
            timer,
            sender,
            source,
            next: next.map(|emission| emission.at),
            stop,
            written: 0,
        }
    }

    /// The run's flow for which it writes.
    pub(crate) fn flow(&self) -> usize {
        self.sender.index() / 2
    }

    /// Its timer, and when it acts next.
    pub(crate) fn due(&self) -> (EndpointId, Option<Time>) {
        (self.timer, self.next.into_iter().chain(self.stop).min())
    }

    /// Writes what is due, and stops when it is time.
    pub(crate) fn on_timer(&mut self, net: &mut impl Port<Payload>, senders: &mut [FlowSender]) {
        let now = net.now();
        let flow = self.sender.index() / 2;
        if let Some(sender) = senders.get_mut(flow) {
            let before = self.written;
            while self.next.is_some_and(|next| next <= now) {
                self.written += 1;
                let next = self.source.as_mut().and_then(Iterator::next);
                self.next = next.map(|emission| emission.at);
            }
            if self.written > before {
                sender.offer(net, self.sender, self.written);
            }
            if self.stop.is_some_and(|stop| stop <= now) {
                self.stop = None;
                self.next = None;
                sender.close(net, self.sender);
            }
        }
        net.set_timer(self.timer, self.due().1);
    }
}
