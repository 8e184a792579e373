//! The two ends of a flow: TCP, UDP or media.

mod control;
mod counted;
mod ends;
pub(crate) mod frames;
pub(crate) mod media;
pub(crate) mod quic;
mod relay;
mod round_trips;
pub(crate) mod tcp;
pub(crate) mod udp;
pub(crate) mod watched;
pub(crate) mod wire;
mod writing;

use std::sync::Mutex;

use dumbbell_sim::{Arrived, EndpointId, Port, Time};

use media::{Contents, MediaReceiver, MediaSender};
use quic::{QuicReceiver, QuicSender};
use tcp::{TcpReceiver, TcpSender};
use udp::{UdpReceiver, UdpSender};
use watched::Company;
use wire::{Boards, Payload};

use crate::delays::Delays;
use crate::workload::Workload;

pub use control::{Control, Told};
pub(crate) use counted::totals;
pub(crate) use ends::{Maker, is_judged, packets_per_ack, start};
pub(crate) use relay::Relayed;
pub(crate) use writing::Writer;

/// The sending end of a flow; endpoint `2 i` belongs to flow `i`.
#[expect(
    clippy::large_enum_variant,
    reason = "where there are many flows, most are of TCP"
)]
pub(crate) enum FlowSender {
    Tcp(TcpSender),
    Udp(Box<UdpSender>),
    Media(MediaSender),
    Quic(Box<QuicSender>),
    /// Both ends of many connections.
    Workload(Box<Workload>),
}

/// The receiving end of a flow; endpoint `2 i + 1` belongs to flow `i`.
pub(crate) enum FlowReceiver {
    Tcp(TcpReceiver),
    Udp(UdpReceiver),
    Media(MediaReceiver),
    Quic(Box<QuicReceiver>),
    /// A receiver whose data another flow sends on.
    Relayed(Box<Relayed>),
    /// The receiving host of a workload, which is kept with the sending one.
    Workload,
}

impl FlowSender {
    /// Data packets sent, retransmissions included.
    pub(crate) fn sent(&self) -> u64 {
        match self {
            Self::Tcp(sender) => sender.tcp().counters().sent,
            Self::Udp(sender) => sender.sent,
            Self::Media(sender) => sender.counters().sent,
            Self::Quic(sender) => sender.quic().counters().sent,
            Self::Workload(workload) => workload.sent(),
        }
    }

    /// Sets the total number of segments that a TCP or QUIC flow has to send so far.
    pub(crate) fn offer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        segments: u64,
    ) {
        match self {
            Self::Tcp(sender) => sender.offer(net, endpoint, segments),
            Self::Quic(sender) => sender.offer(net, endpoint, segments),
            Self::Udp(_) | Self::Media(_) | Self::Workload(_) => {}
        }
    }

    /// The application of a TCP or QUIC flow stops writing.
    pub(crate) fn close(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        match self {
            Self::Tcp(sender) => sender.close(net, endpoint),
            Self::Quic(sender) => sender.close(net, endpoint),
            Self::Udp(_) | Self::Media(_) | Self::Workload(_) => {}
        }
    }

    /// The watchers of the control of a TCP or QUIC flow, if anybody asks for what they say.
    pub(crate) fn company(&self) -> Option<&Mutex<Company>> {
        match self {
            Self::Tcp(sender) => sender.company(),
            Self::Quic(sender) => sender.company.as_deref(),
            Self::Udp(_) | Self::Media(_) | Self::Workload(_) => None,
        }
    }

    /// The control of a TCP or QUIC flow.
    pub(crate) fn control(&self) -> Option<&Control> {
        match self {
            Self::Tcp(sender) => Some(sender.tcp().control()),
            Self::Quic(sender) => Some(sender.quic().control()),
            Self::Udp(_) | Self::Media(_) | Self::Workload(_) => None,
        }
    }

    /// Forgets what is not a counter: the round-trip times that are summarised.
    pub(crate) fn restart(&mut self) {
        match self {
            Self::Tcp(sender) => sender.restart(),
            Self::Udp(_) => {}
            Self::Media(sender) => sender.restart(),
            Self::Quic(sender) => sender.restart(),
            Self::Workload(workload) => workload.restart(),
        }
    }

    pub(crate) fn start(&self) -> Time {
        match self {
            Self::Tcp(sender) => sender.start,
            Self::Udp(sender) => sender.start,
            Self::Media(sender) => sender.start,
            Self::Quic(sender) => sender.start,
            Self::Workload(workload) => workload.start,
        }
    }
}

impl FlowReceiver {
    /// The receiver of the flow itself, whether or not another flow relays its data.
    pub(crate) fn own(&self) -> &Self {
        match self {
            Self::Relayed(relayed) => &relayed.own,
            own => own,
        }
    }

    /// The flow that relays the data that arrives here.
    pub(crate) fn relay(&self) -> Option<usize> {
        match self {
            Self::Relayed(relayed) => Some(relayed.relay.index() / 2),
            Self::Tcp(_) | Self::Udp(_) | Self::Media(_) | Self::Quic(_) | Self::Workload => None,
        }
    }

    /// How long the flow's data packets waited in queues; `sender` is the other end.
    pub(crate) fn queueing<'a>(&'a self, sender: &'a FlowSender) -> &'a Delays {
        if let FlowSender::Workload(workload) = sender {
            return workload.queueing();
        }
        match self {
            Self::Tcp(receiver) => &receiver.queueing,
            Self::Udp(receiver) => &receiver.queueing,
            Self::Media(receiver) => &receiver.queueing,
            Self::Quic(receiver) => &receiver.queueing,
            Self::Relayed(relayed) => relayed.own.queueing(sender),
            Self::Workload => unreachable!("both ends of a flow are made together"),
        }
    }

    /// Forgets how long packets waited.
    pub(crate) fn restart(&mut self) {
        match self {
            Self::Tcp(receiver) => receiver.queueing = Delays::default(),
            Self::Udp(receiver) => receiver.queueing = Delays::default(),
            Self::Media(receiver) => receiver.queueing = Delays::default(),
            Self::Quic(receiver) => receiver.queueing = Delays::default(),
            Self::Relayed(relayed) => relayed.own.restart(),
            Self::Workload => {}
        }
    }

    pub(crate) fn own_mut(&mut self) -> &mut Self {
        match self {
            Self::Relayed(relayed) => &mut relayed.own,
            own => own,
        }
    }

    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        boards: &mut Boards,
        contents: &mut Contents,
    ) {
        match self {
            Self::Tcp(receiver) => receiver.on_packet(net, endpoint, packet, boards),
            Self::Udp(receiver) => receiver.on_packet(net.now(), packet),
            Self::Media(receiver) => receiver.on_packet(net, endpoint, packet, contents),
            Self::Quic(receiver) => receiver.on_packet(net, endpoint, packet, contents),
            Self::Relayed(_) => unreachable!("what is relayed is a flow's own receiver"),
            Self::Workload => unreachable!("its packets are handled with those of the other end"),
        }
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        boards: &mut Boards,
        contents: &mut Contents,
    ) {
        match self {
            Self::Tcp(receiver) => receiver.on_timer(net, endpoint, boards),
            Self::Media(receiver) => receiver.on_timer(net, endpoint, contents),
            Self::Quic(receiver) => receiver.on_timer(net, endpoint, contents),
            Self::Udp(_) | Self::Relayed(_) | Self::Workload => {}
        }
    }
}
