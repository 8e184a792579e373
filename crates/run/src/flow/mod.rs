//! The two ends of a flow: TCP, UDP or media.

mod control;
mod ends;
pub(crate) mod media;
mod relay;
pub(crate) mod tcp;
pub(crate) mod udp;
pub(crate) mod watched;
pub(crate) mod wire;

use dumbbell_sim::{Arrived, EndpointId, Port, Time};

use media::{Contents, MediaReceiver, MediaSender};
use tcp::{TcpReceiver, TcpSender};
use udp::{UdpReceiver, UdpSender};
use wire::{Boards, Payload};

use crate::delays::Delays;

pub use control::Control;
pub(crate) use ends::{ends, is_judged, packets_per_ack};
pub(crate) use relay::Relayed;

/// The sending end of a flow; endpoint `2 i` belongs to flow `i`.
pub(crate) enum FlowSender {
    Tcp(TcpSender),
    Udp(UdpSender),
    Media(MediaSender),
}

/// The receiving end of a flow; endpoint `2 i + 1` belongs to flow `i`.
pub(crate) enum FlowReceiver {
    Tcp(TcpReceiver),
    Udp(UdpReceiver),
    Media(MediaReceiver),
    /// A receiver whose data another flow sends on.
    Relayed(Box<Relayed>),
}

impl FlowSender {
    /// Data packets sent, retransmissions included.
    pub(crate) fn sent(&self) -> u64 {
        match self {
            Self::Tcp(sender) => sender.tcp().counters().sent,
            Self::Udp(sender) => sender.sent,
            Self::Media(sender) => sender.counters().sent,
        }
    }

    /// Forgets what is not a counter: the round-trip times that are summarised.
    pub(crate) fn restart(&mut self) {
        match self {
            Self::Tcp(sender) => sender.restart(),
            Self::Udp(_) => {}
            Self::Media(sender) => sender.restart(),
        }
    }

    pub(crate) fn start(&self) -> Time {
        match self {
            Self::Tcp(sender) => sender.start,
            Self::Udp(sender) => sender.start,
            Self::Media(sender) => sender.start,
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
            Self::Tcp(_) | Self::Udp(_) | Self::Media(_) => None,
        }
    }

    /// How long the flow's data packets waited in queues.
    pub(crate) fn queueing(&self) -> &Delays {
        match self {
            Self::Tcp(receiver) => &receiver.queueing,
            Self::Udp(receiver) => &receiver.queueing,
            Self::Media(receiver) => &receiver.queueing,
            Self::Relayed(relayed) => relayed.own.queueing(),
        }
    }

    /// Forgets how long packets waited.
    pub(crate) fn restart(&mut self) {
        match self {
            Self::Tcp(receiver) => receiver.queueing = Delays::default(),
            Self::Udp(receiver) => receiver.queueing = Delays::default(),
            Self::Media(receiver) => receiver.queueing = Delays::default(),
            Self::Relayed(relayed) => relayed.own.restart(),
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
            Self::Relayed(_) => unreachable!("what is relayed is a flow's own receiver"),
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
            Self::Udp(_) | Self::Relayed(_) => {}
        }
    }
}
