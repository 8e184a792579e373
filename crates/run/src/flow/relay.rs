//! A relay: one flow delivers data, and another one sends it on.

use dumbbell_scenario::{Flow, Tcp, Traffic};
use dumbbell_sim::EndpointId;

use super::FlowReceiver;
use super::tcp::delivered_bytes;

/// The receiver of a flow whose data is relayed.
pub(crate) struct Relayed {
    pub(crate) own: FlowReceiver,
    /// The flow's own TCP parameters, for converting its segments into bytes; `None` if it is not
    /// TCP.
    tcp: Option<Tcp>,
    /// The sender of the relaying flow.
    pub(crate) relay: EndpointId,
    /// Payload of a segment of the relaying flow, in bytes.
    payload: u64,
}

impl Relayed {
    /// Creates the receiver of `flow`, whose data the TCP flow with this sender sends on.
    pub(crate) fn new(own: FlowReceiver, flow: &Flow, relay: EndpointId, by: &Tcp) -> Self {
        Self {
            own,
            tcp: match &flow.traffic {
                Traffic::Tcp(tcp) => Some((**tcp).clone()),
                Traffic::Workload(_) | Traffic::Udp(_) | Traffic::Media(_) => None,
            },
            relay,
            payload: by.payload.0,
        }
    }

    /// The number of full segments that the relay can send so far. A remainder waits until it fills
    /// a segment.
    pub(crate) fn segments(&self) -> u64 {
        let bytes = match (&self.own, &self.tcp) {
            (FlowReceiver::Tcp(receiver), Some(tcp)) => {
                delivered_bytes(tcp, receiver.tcp().delivered())
            }
            (FlowReceiver::Quic(receiver), Some(tcp)) => {
                delivered_bytes(tcp, receiver.quic().delivered())
            }
            (FlowReceiver::Udp(receiver), _) => receiver.bytes,
            (FlowReceiver::Media(receiver), _) => receiver.bytes,
            (
                FlowReceiver::Tcp(_)
                | FlowReceiver::Quic(_)
                | FlowReceiver::Relayed(_)
                | FlowReceiver::Workload,
                _,
            ) => 0,
        };
        bytes / self.payload
    }
}
