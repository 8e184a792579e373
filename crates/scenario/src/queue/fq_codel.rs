//! FQ-CoDel (RFC 8290).

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use serde_json::json;

use super::Discipline;
use super::codel::{CoDel, PACKET, SPANS};
use super::limit::{Limit, Room};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Flag, Shape, Span, Whole};
use crate::sort::Sort;
use crate::text;

/// The permitted numbers of queues.
pub(super) const FLOWS: RangeInclusive<u64> = 1..=65_536;
const EXAMPLE: &str = "{ flows = 1024 }, or {}";

/// A number of bytes, as a size or as a plain number.
pub(super) struct Octets;

impl Shape for Octets {
    type Value = Bytes;

    fn read(&self, node: &Node<'_>) -> Option<Bytes> {
        match node.is_number() {
            true => node.whole(PACKET).map(Bytes),
            false => Amount(PACKET).read(node),
        }
    }

    fn write(&self, value: &Bytes) -> String {
        Amount(PACKET).write(value)
    }

    fn form(&self) -> Form {
        value::size(PACKET)
            .or(value::whole(PACKET))
            .ranging("1 to 65,535 bytes, as a size or as a plain number")
    }
}

record! {
    /// FQ-CoDel (RFC 8290).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FqCoDel {
        /// See [`CoDel::target`].
        target: Duration = Span(SPANS).usually(Duration::from_millis(5), |form| form
            .means("the acceptable time that packets wait in a queue (RFC 8290, section 5.2.2)")),
        /// See [`CoDel::interval`].
        interval: Duration = Span(SPANS).usually(Duration::from_millis(100), |form| form
            .means("how long the packets of a queue must have waited longer before one is dropped (RFC 8290, section 5.2.1)")),
        /// Nothing is dropped from a queue in which at most so many bytes wait.
        mtu: Bytes = Amount(PACKET).usually(Bytes(1500), |form| form
            .means("nothing is dropped from a queue in which at most so many bytes wait: the MTU of the link (RFC 8289, section 5.6)")),
        /// Whether packets of an ECN-capable transport are marked instead of dropped.
        ecn: bool = Flag.usually(true, |form| form
            .means("whether packets of an ECN-capable transport are marked instead of dropped (RFC 8290, section 5.2.6)")),
        /// See [`CoDel::newton`].
        newton: bool = Flag.usually(false, |form| form
            .means("whether the root in CoDel's control law is that of Linux and ns-3, one step of Newton's method for each drop")),
        /// How much all queues together hold at most.
        limit: Limit = Room.usually(Limit::Packets(10_240), |form| form
            .means("how much all queues together hold at most, what is in transmission included (RFC 8290, section 5.2.3)")),
        /// The number of queues, to which flows are hashed.
        flows: u32 = Whole(FLOWS).usually(1_024, |form| form
            .means("the number of queues, to which flows are hashed (RFC 8290, section 5.2.5)")),
        /// The bytes that a queue sends in its turn.
        quantum: Bytes = Octets.usually(Bytes(1_514), |form| form
            .means("the bytes that a queue sends in its turn (RFC 8290, section 5.2.4)")
            .such_as([json!("1514 B")])),
    }
}

impl Sort for FqCoDel {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "fq_codel";
    const ENTRY: (&'static str, &'static str) = (
        "fq_codel = { .. }",
        "a queue for each flow, served in turn, with CoDel in each",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(fq: &Self) -> String {
        text::table(&Record::write(fq))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("flows have queues of their own, served in turn, with CoDel in each")
            .otherwise("none")
    }

    fn simulated(fq: &Self, (): ()) -> dumbbell_sim::Queue {
        let Self {
            target,
            interval,
            mtu,
            ecn,
            newton,
            limit,
            flows,
            quantum,
        } = *fq;
        let codel = CoDel {
            target,
            interval,
            mtu,
            ecn,
            newton,
            limit,
        };
        dumbbell_sim::Queue::FqCoDel(dumbbell_sim::FqCoDel {
            codel: codel.parameters(),
            flows,
            quantum: quantum.0 as u32,
        })
    }
}

impl Discipline for FqCoDel {
    fn limit(fq: &Self) -> Option<u32> {
        fq.limit.packets()
    }

    fn marks(fq: &Self) -> bool {
        fq.ecn
    }

    fn plain(fq: &Self) -> super::Queue {
        fq.limit.plain()
    }
}
