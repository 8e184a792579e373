//! A flow without a transport: a traffic source and the counter at its other end.

use dumbbell_sim::traffic::{Cbr, Emission, Emissions, Exponential, Pareto};
use dumbbell_sim::{Arrived, EndpointId, Port, Time};

use super::wire::{DATAGRAM, Payload};

/// A source of any kind.
pub(crate) enum Source {
    Cbr(Cbr),
    Exponential(Emissions<Exponential>),
    Pareto(Emissions<Pareto>),
}

impl Source {
    fn next(&mut self) -> Option<Emission> {
        match self {
            Self::Cbr(source) => source.next(),
            Self::Exponential(source) => source.next(),
            Self::Pareto(source) => source.next(),
        }
    }
}

/// The sending end.
pub(crate) struct UdpSender {
    source: Source,
    due: Option<Emission>,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
    pub(crate) sent: u64,
}

impl UdpSender {
    pub(crate) fn new(source: Source, start: Time, stop: Option<Time>) -> Self {
        Self {
            source,
            due: None,
            start,
            stop,
            sent: 0,
        }
    }

    pub(crate) fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        if let Some(due) = self.due.take() {
            net.send(endpoint, due.bytes, DATAGRAM, Payload::EMPTY);
            self.sent += 1;
        }
        self.due = self.source.next();
        net.set_timer(endpoint, self.due.map(|emission| emission.at));
    }
}

/// The receiving end.
#[derive(Default)]
pub(crate) struct UdpReceiver {
    pub(crate) bytes: u64,
    /// When the last of them arrived.
    pub(crate) last: Time,
}

impl UdpReceiver {
    pub(crate) fn on_packet(&mut self, now: Time, packet: &Arrived<Payload>) {
        self.bytes += u64::from(packet.bytes);
        self.last = now;
    }
}
