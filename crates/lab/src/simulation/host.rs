//! The hosts of a simulation: every flow's two ends, and the probes.

use dumbbell_sim::{Arrived, Cause, EndpointId, Host, Port};

use super::probe::Probes;
use super::tcp::{TcpReceiver, TcpSender};
use super::udp::{UdpReceiver, UdpSender};
use super::wire::{Boards, Payload};

/// The sending end of a flow: endpoint `2 i` of flow `i`.
pub(super) enum FlowSender {
    Tcp(TcpSender),
    Udp(UdpSender),
}

/// The receiving end of a flow: endpoint `2 i + 1` of flow `i`.
pub(super) enum FlowReceiver {
    Tcp(TcpReceiver),
    Udp(UdpReceiver),
}

/// All hosts.
#[derive(Default)]
pub(super) struct Hosts {
    pub(super) senders: Vec<FlowSender>,
    pub(super) receivers: Vec<FlowReceiver>,
    pub(super) boards: Boards,
    pub(super) probes: Option<Probes>,
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
                sender.on_packet(net, endpoint, &packet, &mut self.boards);
            }
            return;
        }
        match &mut self.receivers[flow] {
            FlowReceiver::Tcp(receiver) => {
                receiver.on_packet(net, endpoint, &packet, &mut self.boards)
            }
            FlowReceiver::Udp(receiver) => receiver.on_packet(net.now(), &packet),
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let flow = endpoint.index() / 2;
        if flow == self.senders.len() {
            if let Some(probes) = &mut self.probes {
                probes.sample(net, endpoint, &self.senders, &self.receivers);
            }
        } else if endpoint.index().is_multiple_of(2) {
            match &mut self.senders[flow] {
                FlowSender::Tcp(sender) => sender.on_timer(net, endpoint),
                FlowSender::Udp(sender) => sender.on_timer(net, endpoint),
            }
        } else if let FlowReceiver::Tcp(receiver) = &mut self.receivers[flow] {
            receiver.on_timer(net, endpoint, &mut self.boards);
        }
    }

    fn discard(&mut self, payload: Payload, cause: Cause) {
        if let Some(place) = payload.board() {
            let _ = self.boards.take(place);
        } else if let Some((flow, low)) = payload.segment_of()
            && let Some(FlowSender::Tcp(sender)) = self.senders.get_mut(flow)
        {
            sender.on_discard(low, cause);
        }
    }
}
