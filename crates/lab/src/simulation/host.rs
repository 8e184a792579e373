//! The hosts of a simulation: every flow's two ends, and the probes.

use dumbbell_sim::{Arrived, Cause, EndpointId, Host, Port};

use super::media::{self, Content, Contents, MediaReceiver, MediaSender};
use super::probe::Probes;
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
            match &mut self.receivers[flow] {
                FlowReceiver::Tcp(receiver) => receiver.on_timer(net, endpoint, &mut self.boards),
                FlowReceiver::Udp(_) => {}
                FlowReceiver::Media(receiver) => {
                    receiver.on_timer(net, endpoint, &mut self.contents)
                }
            }
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
            && let Some(FlowReceiver::Media(receiver)) = self.receivers.get_mut(flow)
        {
            receiver.on_discard(&data, cause);
        }
    }
}
