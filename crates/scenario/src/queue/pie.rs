//! PIE (RFC 8033).

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_sim::Time;

use super::Discipline;
use super::codel::{PACKET, SPANS};
use super::limit::{Limit, Room};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Flag, Real, Shape, Span};
use crate::sort::Sort;
use crate::text;

/// The permitted burst allowances.
pub(super) const BURSTS: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(100);
const EXAMPLE: &str = "{ target = \"15 ms\" }, or {}";

/// A weight of a PI controller.
pub(super) const fn weight(example: &'static str) -> Real {
    Real {
        range: 0.0..=1e6,
        what: "a number per second, from 0 to 1,000,000",
        words: "a number per second, 0 to 1,000,000",
        example,
    }
}

record! {
    /// PIE (RFC 8033).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Pie {
        /// The acceptable queueing delay.
        target: Duration = Span(SPANS).usually(Duration::from_millis(15), |form| form
            .means("the acceptable queueing delay (RFC 8033, appendix A: QDELAY_REF)")),
        /// How often the probability is updated.
        tupdate: Duration = Span(SPANS).usually(Duration::from_millis(15), |form| form
            .means("how often the probability is updated (RFC 8033, appendix A: T_UPDATE)")),
        /// The weight of the delay's distance from the target, in 1/s.
        alpha: f64 = weight("0.125").usually(0.125, |form| form
            .means("the weight of the delay's distance from the target (RFC 8033, appendix A)")),
        /// The weight of the delay's trend, in 1/s.
        beta: f64 = weight("1.25").usually(1.25, |form| form
            .means("the weight of the delay's trend (RFC 8033, appendix A)")),
        /// For how long nothing is dropped when the queue begins to fill.
        burst: Duration = Span(BURSTS).usually(Duration::from_millis(150), |form| form
            .means("for how long nothing is dropped when the queue begins to fill (RFC 8033, appendix A: MAX_BURST)")),
        /// Whether packets of an ECN-capable transport are marked instead of dropped.
        ecn: bool = Flag.usually(false, |form| form
            .means("whether packets of an ECN-capable transport are marked instead of dropped while the probability is below a tenth (RFC 8033, section 5.1)")),
        /// Whether the delay is estimated from the departure rate.
        estimator: bool = Flag.usually(false, |form| form
            .means("whether the delay is estimated from the departure rate (RFC 8033, section 5.2) instead of measured by packets")),
        /// Whether drops are kept apart.
        derandomization: bool = Flag.usually(false, |form| form
            .means("whether drops are kept apart: neither soon after each other nor too long (RFC 8033, section 5.4)")),
        /// Whether PIE is inactive until a third of the limit is reached.
        activation: bool = Flag.usually(false, |form| form
            .means("whether PIE is inactive until a third of `limit` is reached, and after congestion has ended (RFC 8033, section 5.3)")),
        /// Nothing is dropped while at most two packets of this size wait.
        mean_packet: Bytes = Amount(PACKET).usually(Bytes(1_514), |form| form
            .means("nothing is dropped while at most two packets of this size wait (RFC 8033, section 4.1: MEAN_PKTSIZE; the largest frame of Ethernet, as in Linux)")),
        /// How much the queue holds at most.
        limit: Limit = Room.usually(Limit::Packets(1_000), |form| form
            .means("how much the queue holds at most, what is in transmission included")),
    }
}

impl Sort for Pie {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "pie";
    const ENTRY: (&'static str, &'static str) = (
        "pie = { .. }",
        "drops or marks arrivals at random, as the queueing delay and its trend say",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(pie: &Self) -> String {
        text::table(&Record::write(pie))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("arriving packets are dropped or marked at random, as the queueing delay and its trend say")
            .otherwise("none")
    }

    fn simulated(pie: &Self, (): ()) -> dumbbell_sim::Queue {
        let Self {
            target,
            tupdate,
            alpha,
            beta,
            burst,
            ecn,
            estimator,
            derandomization,
            activation,
            mean_packet,
            limit,
        } = *pie;
        let time = |span: Duration| Time::from_nanos(span.as_nanos());
        dumbbell_sim::Queue::Pie(dumbbell_sim::Pie {
            target: time(target),
            update: time(tupdate),
            alpha,
            beta,
            burst: time(burst),
            ecn,
            estimator,
            derandomization,
            activation,
            mean_packet: mean_packet.0 as u32,
            limit: limit.simulated(),
        })
    }
}

impl Discipline for Pie {
    fn limit(pie: &Self) -> Option<u32> {
        pie.limit.packets()
    }

    fn marks(pie: &Self) -> bool {
        pie.ecn
    }

    fn plain(pie: &Self) -> super::Queue {
        pie.limit.plain()
    }
}
