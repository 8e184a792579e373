//! The hosts of a simulation: every flow's two ends, and the probes.

use dumbbell_sim::{Arrived, Cause, EndpointId, Host, Port};

use super::media::{self, Content, Contents, MediaReceiver, MediaSender};
use super::probe::Probes;
use super::relay::Relayed;
use super::tcp::{TcpReceiver, TcpSender};
use super::udp::{UdpReceiver, UdpSender};
use super::variation::Variation;
use super::wire::{Boards, Payload};

/// The sending end of a flow: endpoint `2 i` of flow `i`.
pub(super) enum FlowSender {
    Tcp(TcpSender),
    Udp(UdpSender),
    Media(MediaSender),
}

/// The receiving end of a flow: endpoint `2 i + 1` of flow `i`.
pub(super) enum FlowReceiver {
    Tcp(TcpReceiver),
    Udp(UdpReceiver),
    Media(MediaReceiver),
    /// Another flow sends on what arrives.
    Relayed(Box<Relayed>),
}

/// All hosts.
#[derive(Default)]
pub(super) struct Hosts {
    pub(super) senders: Vec<FlowSender>,
    pub(super) receivers: Vec<FlowReceiver>,
    pub(super) boards: Boards,
    pub(super) contents: Contents,
    pub(super) probes: Option<Probes>,
    pub(super) variation: Option<Variation>,
}

impl Hosts {
    /// A packet of a flow that is no TCP connection. Out of the way of those that are.
    #[inline(never)]
    fn on_other(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
    ) {
        let flow = endpoint.index() / 2;
        if endpoint.index().is_multiple_of(2) {
            if let FlowSender::Media(sender) = &mut self.senders[flow] {
                sender.on_packet(net, endpoint, packet, &mut self.contents);
            }
            return;
        }
        match &mut self.receivers[flow] {
            FlowReceiver::Tcp(_) => {}
            FlowReceiver::Udp(receiver) => receiver.on_packet(net.now(), packet),
            FlowReceiver::Media(receiver) => {
                receiver.on_packet(net, endpoint, packet, &mut self.contents);
            }
            FlowReceiver::Relayed(_) => self.relay(net, endpoint, packet),
        }
    }

    /// A packet of a relayed flow's arrives, and its relay may have more to send.
    fn relay(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
    ) {
        let FlowReceiver::Relayed(relayed) = &mut self.receivers[endpoint.index() / 2] else {
            return;
        };
        let (boards, contents) = (&mut self.boards, &mut self.contents);
        relayed
            .own
            .on_packet(net, endpoint, packet, boards, contents);
        let (relay, segments) = (relayed.relay, relayed.segments());
        if let FlowSender::Tcp(sender) = &mut self.senders[relay.index() / 2] {
            sender.offer(net, relay, segments);
        }
    }
}

impl Host for Hosts {
    type Payload = Payload;

    #[inline]
    fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let flow = endpoint.index() / 2;
        if endpoint.index().is_multiple_of(2) {
            if let FlowSender::Tcp(sender) = &mut self.senders[flow] {
                return sender.on_packet(net, endpoint, &packet, &mut self.boards);
            }
        } else if let FlowReceiver::Tcp(receiver) = &mut self.receivers[flow] {
            return receiver.on_packet(net, endpoint, &packet, &mut self.boards);
        }
        self.on_other(net, endpoint, &packet);
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let flow = endpoint.index() / 2;
        if flow >= self.senders.len() {
            let variation = self.variation.as_mut();
            if let Some(variation) = variation.filter(|v| v.timer == endpoint) {
                variation.on_timer(net, &self.senders);
            } else if let Some(probes) = &mut self.probes {
                probes.sample(net, endpoint, &self.senders, &self.receivers);
            }
        } else if endpoint.index().is_multiple_of(2) {
            match &mut self.senders[flow] {
                FlowSender::Tcp(sender) => sender.on_timer(net, endpoint),
                FlowSender::Udp(sender) => sender.on_timer(net, endpoint),
                FlowSender::Media(sender) => sender.on_timer(net, endpoint, &mut self.contents),
            }
        } else {
            let receiver = self.receivers[flow].own_mut();
            receiver.on_timer(net, endpoint, &mut self.boards, &mut self.contents);
        }
    }

    fn discard(&mut self, payload: Payload, cause: Cause) {
        if let Some(place) = payload.board() {
            let _ = self.boards.take(place);
        } else if let Some((flow, low)) = payload.segment_of()
            && let Some(FlowSender::Tcp(sender)) = self.senders.get_mut(flow)
        {
            sender.on_discard(low, cause);
        } else if let Some((_, flow)) = payload.place()
            && let Some(Content::Data(data)) = media::take(&mut self.contents, &payload)
            && let Some(receiver) = self.receivers.get_mut(flow)
            && let FlowReceiver::Media(receiver) = receiver.own_mut()
        {
            receiver.on_discard(&data, cause);
        }
    }
}

impl FlowReceiver {
    /// The receiver of the flow itself, whether or not what it delivers is relayed.
    pub(super) fn own(&self) -> &Self {
        match self {
            Self::Relayed(relayed) => &relayed.own,
            own => own,
        }
    }

    /// The flow that relays what arrives here.
    pub(super) fn relay(&self) -> Option<usize> {
        match self {
            Self::Relayed(relayed) => Some(relayed.relay.index() / 2),
            Self::Tcp(_) | Self::Udp(_) | Self::Media(_) => None,
        }
    }

    fn own_mut(&mut self) -> &mut Self {
        match self {
            Self::Relayed(relayed) => &mut relayed.own,
            own => own,
        }
    }

    fn on_packet(
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

    fn on_timer(
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
