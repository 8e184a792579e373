//! FQ-CoDel (RFC 8290): flows have queues of their own, served in turn, with CoDel in each.
//!
//! ```text
//! arrival     to the end of its flow's queue; a queue that is in no list goes to the end of the new ones,
//!             with a credit of `quantum` bytes. Beyond the limit, half of the packets of the queue with most
//!             bytes are dropped from its head, at most 64.
//! departure   the first new queue or, if there is none, the first old one:
//!             no credit left    credit += quantum; to the end of the old queues; repeat
//!             CoDel's packet    credit -= its bytes
//!             empty             a new queue goes to the end of the old ones, an old one out of its list
//! ```
//!
//! *Readings.* A queue has no credit left at zero (section 4.2 says "negative", and "has already dequeued at
//! least a quantum"); Linux and ns-3 do the same. Half of an odd number is rounded up. CoDel's `mtu` is
//! compared with the bytes of the queue, as "CoDel is run on each queue" says; Linux compares it with those of
//! all queues. Linux adds the packets that go beyond the limit to CoDel's count; the RFC does not.

use super::codel::Law;
use super::flows::Flows;
use super::{CoDel, Decisions, Discipline, Hold, Server, Waiting};
use crate::label::Label;
use crate::random::Random;

/// The parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDel {
    /// CoDel on each queue. The limit is that of all queues together.
    pub codel: CoDel,
    /// The number of queues, to which flows are hashed; at least 1.
    pub flows: u32,
    /// The bytes that a queue sends in its turn; at least 1.
    pub quantum: u32,
}

impl Hold for FqCoDel {
    type Discipline = Shared;

    fn limit(&self) -> u32 {
        self.codel.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<&'static str> {
        match self {
            Self { flows: 0, .. } => Some("FQ-CoDel needs at least one queue"),
            Self { quantum: 0, .. } => Some("the quantum of FQ-CoDel must be at least 1 byte"),
            _ => self.codel.fault(),
        }
    }

    fn discipline(&self, draws: Random) -> Shared {
        Shared {
            codel: self.codel,
            flows: Flows::new(self.flows, self.quantum, draws),
        }
    }
}

/// The state of FQ-CoDel on one link.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    codel: CoDel,
    flows: Flows<Law>,
}

impl Discipline for Shared {
    fn arrival(
        &mut self,
        packet: Waiting,
        label: &Label,
        server: &Server,
        decisions: &mut Decisions,
    ) {
        let now = packet.arrived;
        if self.flows.len() == 0 && !server.is_busy(now) {
            self.flows.found_empty(Law::found_empty);
        }
        self.flows.push(packet, label.flow);
        let limit = self.codel.limit;
        self.flows.shed(limit, server, now, decisions);
    }

    fn next(&mut self, now: u64, _: &Server, decisions: &mut Decisions) -> Option<Waiting> {
        let codel = &self.codel;
        self.flows
            .next(|law, mut head| law.next(codel, now, || head.pop(), decisions))
    }

    fn len(&self) -> usize {
        self.flows.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.flows.visit(see);
    }
}
