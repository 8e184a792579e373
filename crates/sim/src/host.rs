//! The interface between the network and the code that sends packets through it.

use crate::ids::{EndpointId, LinkId};
use crate::label::Label;
use crate::packet::{Arrived, Kind};
use crate::time::Time;

/// All endpoints of a simulation together: everything that sends and receives packets.
///
/// One value serves every endpoint, so its state can lie in plain vectors indexed by
/// [`EndpointId::index`]. Callbacks are called in the order of (time, links before timers, number of the
/// link or endpoint, order on the link). They must depend only on this order and on their arguments;
/// otherwise runs are not reproducible.
pub trait Host {
    /// The payload of a packet; the simulator never looks at it. Keep it small: with a payload of 20
    /// bytes and an alignment of 4, a packet takes 40 bytes.
    type Payload: Copy;

    /// Called when a packet reaches `endpoint`.
    fn on_packet(
        &mut self,
        net: &mut impl Port<Self::Payload>,
        endpoint: EndpointId,
        packet: Arrived<Self::Payload>,
    );

    /// Called when the timer of `endpoint` expires. The timer is no longer set.
    fn on_timer(&mut self, net: &mut impl Port<Self::Payload>, endpoint: EndpointId);

    /// Called some events before a packet is likely to reach `endpoint`, once for each
    /// [`Foresight`], so that the host can [`fetch`](crate::fetch) what the packet will need. Calls may
    /// be missing, and results must not depend on them.
    #[inline]
    fn foresee(&self, endpoint: EndpointId, foresight: Foresight) {
        let _ = (endpoint, foresight);
    }

    /// Called when a packet with this payload will arrive twice, before either arrives. Returns the payload of
    /// the copy, which has its own share of what the payload refers to.
    fn duplicate(&mut self, payload: Self::Payload) -> Self::Payload {
        payload
    }

    /// Called when a packet with this payload has been dropped or lost, or certainly will be: it will
    /// never arrive. It is called once for each such packet, never within another callback and not
    /// necessarily at the time of the loss, so it must only release what the payload refers to, and count.
    fn discard(&mut self, payload: Self::Payload, gone: Gone) {
        let _ = (payload, gone);
    }
}

/// How far away a packet is that will reach an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foresight {
    /// The time to fetch the state of the endpoint itself.
    Far,
    /// The time to fetch what that state, which has been fetched, points to.
    Near,
}

/// Why a packet never arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The queue dropped it, because it was full or as an early drop: congestion.
    Dropped,
    /// The loss model of a link lost it.
    Lost,
    /// A later packet made it useless, and an ACK filter removed it.
    Filtered,
}

/// When, where and why a packet left the network without arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Why.
    pub cause: Cause,
    /// When.
    pub at: Time,
    /// The link on which it was lost, or whose queue dropped it.
    pub link: LinkId,
}

/// The network as a host sees it during a callback.
pub trait Port<P> {
    /// Returns the time of this event.
    fn now(&self) -> Time;

    /// Sends a packet of `bytes` bytes on the wire from `endpoint`, along its route, to its peer. The
    /// packet has the empty label [`Label::NONE`].
    ///
    /// # Panics
    ///
    /// If the endpoint only receives (see [`Topology::one_way`](crate::Topology::one_way)) or
    /// belongs to another topology.
    #[inline]
    fn send(&mut self, endpoint: EndpointId, bytes: u16, kind: Kind, payload: P) {
        self.send_labelled(endpoint, bytes, kind, payload, Label::NONE);
    }

    /// Sends a packet as [`send`](Self::send) does, with a label that routers may read.
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

    /// Sets the only timer of `endpoint` to `deadline`, replacing the previous setting, or stops it with
    /// `None`. A deadline in the past means now.
    ///
    /// # Panics
    ///
    /// If the endpoint belongs to another topology.
    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>);

    /// Called when a timer has been handled, and the next one is due at `deadline`: moves the clock there, and
    /// returns true, if nothing can happen to the endpoint before. The host then handles that timer, too. Else
    /// it sets it. Only endpoints whose timers [run ahead](crate::Simulation::look_ahead) move the clock.
    #[inline]
    fn run_ahead(&mut self, deadline: Option<Time>) -> bool {
        let _ = deadline;
        false
    }

    /// Returns the number of packets in the queue of a watched link, including the one in transmission;
    /// `None` for a link that is not watched.
    fn queue_len(&mut self, link: LinkId) -> Option<u32>;
}
