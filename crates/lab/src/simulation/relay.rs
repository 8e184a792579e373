//! What one flow delivers and another one sends on.

use dumbbell_sim::EndpointId;

use super::host::{FlowReceiver, Hosts};
use super::results::delivered_bytes;
use super::udp::UdpReceiver;
use crate::scenario::{Flow, Scenario, Tcp, Traffic};

/// Joins the flows of a scenario that relay others to these. `ends` has the sender of each flow, counts expanded.
pub(super) fn join(scenario: &Scenario, hosts: &mut Hosts, ends: &[(EndpointId, EndpointId)]) {
    let flows = &scenario.flows;
    let first =
        |entry: usize| -> usize { flows[..entry].iter().map(|flow| flow.count as usize).sum() };
    for (entry, relay) in flows.iter().enumerate() {
        let (Some(source), Traffic::Tcp(by)) = (relay.relays, &relay.traffic) else {
            continue;
        };
        let (relays, sources) = (first(entry), first(source));
        for copy in 0..relay.count as usize {
            let (sender, _) = ends[relays + copy];
            let receiver = &mut hosts.receivers[sources + copy];
            let own = std::mem::replace(receiver, FlowReceiver::Udp(UdpReceiver::default()));
            let relayed = Relayed::new(own, &flows[source], sender, by);
            *receiver = FlowReceiver::Relayed(Box::new(relayed));
        }
    }
}

/// The receiver of a flow that is relayed.
pub(super) struct Relayed {
    pub(super) own: FlowReceiver,
    /// The flow's own segments, where they are delivered in order.
    tcp: Option<Tcp>,
    /// The sender that it feeds.
    pub(super) relay: EndpointId,
    /// Payload of a segment of the relay's, in bytes.
    payload: u64,
}

impl Relayed {
    /// The receiver of `flow`, whose deliveries the TCP flow with this sender sends on.
    fn new(own: FlowReceiver, flow: &Flow, relay: EndpointId, by: &Tcp) -> Self {
        Self {
            own,
            tcp: match &flow.traffic {
                Traffic::Tcp(tcp) => Some((**tcp).clone()),
                Traffic::Udp(_) | Traffic::Media(_) => None,
            },
            relay,
            payload: by.payload.0,
        }
    }

    /// Full segments that the relay has to send so far. What does not fill one waits for more.
    pub(super) fn segments(&self) -> u64 {
        let bytes = match (&self.own, &self.tcp) {
            (FlowReceiver::Tcp(receiver), Some(tcp)) => {
                delivered_bytes(tcp, receiver.tcp().delivered())
            }
            (FlowReceiver::Udp(receiver), _) => receiver.bytes,
            (FlowReceiver::Media(receiver), _) => receiver.bytes,
            (FlowReceiver::Tcp(_) | FlowReceiver::Relayed(_), _) => 0,
        };
        bytes / self.payload
    }
}
