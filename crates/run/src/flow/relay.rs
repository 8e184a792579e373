//! What one flow delivers and another one sends on.

use dumbbell_scenario::{Flow, Tcp, Traffic};
use dumbbell_sim::EndpointId;

use super::FlowReceiver;
use super::tcp::delivered_bytes;

/// The receiver of a flow that is relayed.
pub(crate) struct Relayed {
    pub(crate) own: FlowReceiver,
    /// The flow's own segments, where they are delivered in order.
    tcp: Option<Tcp>,
    /// The sender that it feeds.
    pub(crate) relay: EndpointId,
    /// Payload of a segment of the relay's, in bytes.
    payload: u64,
}

impl Relayed {
    /// The receiver of `flow`, whose deliveries the TCP flow with this sender sends on.
    pub(crate) fn new(own: FlowReceiver, flow: &Flow, relay: EndpointId, by: &Tcp) -> Self {
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
    pub(crate) fn segments(&self) -> u64 {
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
