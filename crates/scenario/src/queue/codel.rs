//! CoDel (RFC 8289).

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_sim::Time;

use super::Discipline;
use super::limit::{Limit, Room};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Flag, Shape, Span};
use crate::limits::LARGEST_WIRE;
use crate::sort::Sort;
use crate::text;

/// The permitted targets and intervals.
pub(super) const SPANS: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(100);
/// The permitted sizes of a packet.
pub(super) const PACKET: RangeInclusive<u64> = 1..=LARGEST_WIRE;
const EXAMPLE: &str = "{ target = \"5 ms\" }, or {}";

record! {
    /// CoDel (RFC 8289).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CoDel {
        /// The acceptable time that packets wait.
        target: Duration = Span(SPANS).usually(Duration::from_millis(5), |form| form
            .means("the acceptable time that packets wait (RFC 8289, section 5.3)")),
        /// How long packets must have waited longer before one is dropped.
        interval: Duration = Span(SPANS).usually(Duration::from_millis(100), |form| form
            .means("how long packets must have waited longer before one is dropped: about the round-trip time (RFC 8289, section 5.3)")),
        /// Nothing is dropped while at most so many bytes wait.
        mtu: Bytes = Amount(PACKET).usually(Bytes(1500), |form| form
            .means("nothing is dropped while at most so many bytes wait: the MTU of the link (RFC 8289, section 5.6)")),
        /// Whether packets of an ECN-capable transport are marked instead of dropped.
        ecn: bool = Flag.usually(false, |form| form
            .means("whether packets of an ECN-capable transport are marked instead of dropped")),
        /// Whether the root of the number of drops is approximated as in Linux.
        newton: bool = Flag.usually(false, |form| form
            .means("whether the root in the control law is that of Linux and ns-3, one step of Newton's method for each drop: drops come sooner at first, the third one interval/2 after the second, not interval/√2")),
        /// How much the queue holds at most.
        limit: Limit = Room.usually(Limit::Packets(1_000), |form| form
            .means("how much the queue holds at most, what is in transmission included")),
    }
}

impl CoDel {
    /// Returns the simulator's parameters.
    pub(super) fn parameters(&self) -> dumbbell_sim::CoDel {
        let Self {
            target,
            interval,
            mtu,
            ecn,
            newton,
            limit,
        } = *self;
        dumbbell_sim::CoDel {
            target: Time::from_nanos(target.as_nanos()),
            interval: Time::from_nanos(interval.as_nanos()),
            mtu: mtu.0 as u32,
            ecn,
            newton,
            limit: limit.simulated(),
        }
    }
}

impl Sort for CoDel {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "codel";
    const ENTRY: (&'static str, &'static str) = (
        "codel = { .. }",
        "controlled delay: drops or marks packets while all of them wait too long",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(codel: &Self) -> String {
        text::table(&Record::write(codel))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("controlled delay: packets are dropped or marked while all of them have waited too long for a while")
            .otherwise("none")
    }

    fn simulated(codel: &Self, (): ()) -> dumbbell_sim::Queue {
        dumbbell_sim::Queue::CoDel(codel.parameters())
    }
}

impl Discipline for CoDel {
    fn limit(codel: &Self) -> Option<u32> {
        codel.limit.packets()
    }

    fn marks(codel: &Self) -> bool {
        codel.ecn
    }

    fn plain(codel: &Self) -> super::Queue {
        codel.limit.plain()
    }
}
