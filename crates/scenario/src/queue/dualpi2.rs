//! DualPI2 (RFC 9332).

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim::{DualScheduler, Time};
use serde_json::json;

use super::Discipline;
use super::codel::SPANS;
use super::limit::{Limit, Room};
use super::pie::{BURSTS, weight};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Real, Shape, Span, Whole};
use crate::sort::Sort;
use crate::text::{self, real, time};

/// The permitted numbers of packets below which waiting does not mark.
const PACKETS: RangeInclusive<u64> = 0..=10_000_000;
const COUPLING: Real = Real {
    range: 0.001..=1_000.0,
    what: "a factor from 0.001 to 1000",
    words: "a factor, 0.001 to 1000",
    example: "2",
};
const SHARE: Real = Real {
    range: 0.0..=1.0,
    what: "a share of the bytes from 0 to 1, or a time in quotes",
    words: "a share, 0 to 1",
    example: "0.0625",
};
const EXAMPLE: &str = "{ target = \"15 ms\" }, or {}";

/// Which of the two queues is next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheduler {
    /// While both have packets, the classic queue has this share of the bytes.
    Weighted(f64),
    /// The packet that has waited longest, where L4S packets count as if they had waited this much longer.
    TimeShifted(Duration),
}

/// A share, or a time.
struct AnyScheduler;

impl Shape for AnyScheduler {
    type Value = Scheduler;

    fn read(&self, node: &Node<'_>) -> Option<Scheduler> {
        match node.as_text() {
            Some(_) => node.time(BURSTS).map(Scheduler::TimeShifted),
            None => SHARE.read(node).map(Scheduler::Weighted),
        }
    }

    fn write(&self, scheduler: &Scheduler) -> String {
        match *scheduler {
            Scheduler::Weighted(share) => real(share),
            Scheduler::TimeShifted(shift) => time(shift),
        }
    }

    fn form(&self) -> Form {
        value::probability()
            .or(value::time(BURSTS))
            .ranging("a share, 0 to 1, or a time, 0 to 100 s")
    }
}

record! {
    /// DualPI2 (RFC 9332).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DualPi2 {
        /// The acceptable delay of the classic queue.
        target: Duration = Span(SPANS).usually(Duration::from_millis(15), |form| form
            .means("the acceptable delay of the classic queue (RFC 9332, appendix A.1)")),
        /// How often the probability is updated.
        tupdate: Duration = Span(SPANS).usually(Duration::from_millis(15), |form| form
            .means("how often the probability is updated (RFC 9332, appendix A.1: Tupdate)")),
        /// The weight of the delay's distance from the target, in 1/s.
        alpha: f64 = weight("0.15").usually(0.15, |form| form
            .means("the weight of the delay's distance from the target (RFC 9332, appendix A.1, for round-trip times up to 100 ms)")),
        /// The weight of the delay's trend, in 1/s.
        beta: f64 = weight("3").usually(3.0, |form| form
            .means("the weight of the delay's trend (RFC 9332, appendix A.1)")),
        /// The factor between the probability of a mark of L4S packets and the root of that of others.
        coupling: f64 = COUPLING.usually(2.0, |form| form
            .means("the factor between the probability of a mark of L4S packets and the root of that of others (RFC 9332, appendix A.1: k)")),
        /// L4S packets that have waited longer are marked.
        step: Duration = Span(BURSTS).usually(Duration::from_micros(800), |form| form
            .means("L4S packets that have waited longer are marked, the first ones seldom (RFC 9332, appendix A.1: minTh)")),
        /// How much longer L4S packets must have waited until all of them are marked.
        ramp: Duration = Span(BURSTS).usually(Duration::from_micros(400), |form| form
            .means("how much longer than `step` L4S packets must have waited until all of them are marked; zero marks all from `step` on (RFC 9332, appendix A.1: range)")),
        /// The wait of L4S packets does not mark them while at most so many are queued.
        step_packets: u32 = Whole(PACKETS).usually(1, |form| form
            .means("the wait of L4S packets does not mark them while at most so many are queued (RFC 9332, appendix A.2: Th_len)")),
        /// Which of the two queues is next.
        scheduler: Scheduler = AnyScheduler.usually(Scheduler::Weighted(1.0 / 16.0), |form| form
            .means("the share of the classic queue while both have packets, or the time by which L4S packets count as if they had arrived earlier (RFC 9332, appendix A.2)")
            .such_as([json!("50 ms")])),
        /// How much both queues together hold at most.
        limit: Limit = Room.usually(Limit::Time(Duration::from_millis(250)), |form| form
            .means("how much both queues together hold at most, what is in transmission included (RFC 9332, appendix A.1)")),
    }
}

impl Sort for DualPi2 {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = "dualpi2";
    const ENTRY: (&'static str, &'static str) = (
        "dualpi2 = { .. }",
        "a short queue for L4S packets, coupled to that of others, and a PI controller",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(dualpi2: &Self) -> String {
        text::table(&Record::write(dualpi2))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("L4S packets have a short queue of their own, coupled to that of others; a PI controller says how many packets are dropped or marked")
            .otherwise("none")
    }

    fn simulated(dualpi2: &Self, (): ()) -> dumbbell_sim::Queue {
        let Self {
            target,
            tupdate,
            alpha,
            beta,
            coupling,
            step,
            ramp,
            step_packets,
            scheduler,
            limit,
        } = *dualpi2;
        let time = |span: Duration| Time::from_nanos(span.as_nanos());
        dumbbell_sim::Queue::DualPi2(dumbbell_sim::DualPi2 {
            target: time(target),
            update: time(tupdate),
            alpha,
            beta,
            coupling,
            step: time(step),
            ramp: time(ramp),
            step_packets,
            scheduler: match scheduler {
                Scheduler::Weighted(share) => DualScheduler::Weighted(share),
                Scheduler::TimeShifted(shift) => DualScheduler::TimeShifted(time(shift)),
            },
            limit: limit.simulated(),
        })
    }
}

impl Discipline for DualPi2 {
    fn limit(dualpi2: &Self) -> Option<u32> {
        dualpi2.limit.packets()
    }

    fn marks(_: &Self) -> bool {
        true
    }

    fn plain(dualpi2: &Self) -> super::Queue {
        dualpi2.limit.plain()
    }
}
