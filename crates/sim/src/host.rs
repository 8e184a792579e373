//! The seam between the network and whatever sends packets through it.

use crate::ids::{EndpointId, LinkId};
use crate::label::Label;
use crate::packet::{Arrived, Kind};
use crate::time::Time;

/// Everything that sends and receives packets: all endpoints of a simulation together.
///
/// One value serves every endpoint, so its state can lie in plain vectors indexed by
/// [`EndpointId::index`]. Callbacks come in the order of (time, links before timers, number of
/// the link or endpoint, order on the link). They must not depend on anything but this order and
/// their arguments, or runs will not be reproducible.
pub trait Host {
    /// What a packet carries; the simulator never looks at it. Keep it small: with 20 bytes
    /// and an alignment of 4 a packet takes 40 bytes.
    type Payload: Copy;

    /// A packet has reached `endpoint`.
    fn on_packet(
        &mut self,
        net: &mut impl Port<Self::Payload>,
        endpoint: EndpointId,
        packet: Arrived<Self::Payload>,
    );

    /// The timer of `endpoint` is due. It is not set any more.
    fn on_timer(&mut self, net: &mut impl Port<Self::Payload>, endpoint: EndpointId);

    /// A packet with this payload has been dropped or lost, or will be: it will never arrive.
    /// Told once for each such packet, never within another callback and not necessarily at the
    /// time of the loss, so it must only release what the payload refers to.
    fn discard(&mut self, payload: Self::Payload, cause: Cause) {
        let _ = (payload, cause);
    }
}

/// Why a packet never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A queue turned it away, because it was full or early: congestion.
    Dropped,
    /// A loss model took it.
    Lost,
    /// A later packet made it useless, and a filter removed it.
    Filtered,
}

/// The network as a host sees it within a callback.
pub trait Port<P> {
    /// The time of this event.
    fn now(&self) -> Time;

    /// Sends a packet of `bytes` bytes on the wire from `endpoint`, along its route, to its peer.
    /// Its label says nothing.
    ///
    /// # Panics
    ///
    /// If the endpoint only receives (see [`Topology::one_way`](crate::Topology::one_way)) or
    /// belongs to another topology.
    #[inline]
    fn send(&mut self, endpoint: EndpointId, bytes: u16, kind: Kind, payload: P) {
        self.send_labelled(endpoint, bytes, kind, payload, Label::NONE);
    }

    /// The same with a label that routers may read.
    ///
    /// # Panics
    ///
    /// As [`send`](Self::send) does.
    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: P,
        label: Label,
    );

    /// Sets the one timer of `endpoint` to a moment, replacing its former one, or stops it. A
    /// moment that has passed means now.
    ///
    /// # Panics
    ///
    /// If the endpoint belongs to another topology.
    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>);

    /// Packets in the queue of a watched link now, the one in transmission included; `None` for
    /// a link that is not watched.
    fn queue_len(&mut self, link: LinkId) -> Option<u32>;
}
