//! Fair queueing (the scheduler of RFC 8290).

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::Discipline;
use super::fq_codel::{FLOWS, Octets};
use super::limit::{Limit, Room};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Shape, Whole};
use crate::sort::Sort;
use crate::text;

const EXAMPLE: &str = "{ flows = 1024 }, or {}";

record! {
    /// Fair queueing (the scheduler of RFC 8290).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Fq {
        /// The number of queues, to which flows are hashed.
        flows: u32 = Whole(FLOWS).usually(1_024, |form| form
            .means("the number of queues, to which flows are hashed (RFC 8290, section 5.2.5)")),
        /// The bytes that a queue sends in its turn.
        quantum: Bytes = Octets.usually(Bytes(1_514), |form| form
            .means("the bytes that a queue sends in its turn (RFC 8290, section 5.2.4)")
            .such_as([json!("1514 B")])),
        /// How much all queues together hold at most.
        limit: Limit = Room.usually(Limit::Packets(10_240), |form| form
            .means("how much all queues together hold at most, what is in transmission included (RFC 8290, section 5.2.3)")),
    }
}

impl Sort for Fq {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "fq";
    const ENTRY: (&'static str, &'static str) =
        ("fq = { .. }", "a queue for each flow, served in turn");

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(fq: &Self) -> String {
        text::table(&Record::write(fq))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("flows have queues of their own, served in turn")
            .otherwise("none")
    }

    fn simulated(fq: &Self, (): ()) -> dumbbell_sim::Queue {
        dumbbell_sim::Queue::Fq(dumbbell_sim::Fq {
            flows: fq.flows,
            quantum: fq.quantum.0 as u32,
            limit: fq.limit.simulated(),
        })
    }
}

impl Discipline for Fq {
    fn limit(fq: &Self) -> Option<u32> {
        fq.limit.packets()
    }

    fn plain(fq: &Self) -> super::Queue {
        fq.limit.plain()
    }
}
