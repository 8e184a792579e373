//! Jitter: a random delay of each packet on top of the propagation delay.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim as sim;
use serde_json::json;

use super::part::{Part, flight};
use crate::document::Table;
use crate::key::record::record;
use crate::key::{Flag, Real, Shape, Span, Word};
use crate::simulated::time;

const DELAY: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

/// The correlation of successive packets.
pub(super) const CORRELATION: Real = Real {
    range: 0.0..=0.999_999,
    what: "a plain number from 0 to 0.999999",
    words: "0 to 0.999999",
    example: "0.5",
};

/// The distribution of a jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitterLaw {
    /// From zero to twice the mean.
    Uniform,
    /// With a deviation; negative delays are zero.
    Normal,
    /// Exponential.
    Exponential,
}

impl JitterLaw {
    const fn explain(self) -> &'static str {
        match self {
            Self::Uniform => "from 0 to twice the mean",
            Self::Normal => "with `deviation`; negative delays are 0",
            Self::Exponential => "the exponential distribution",
        }
    }
}

const LAW: Word<JitterLaw> = Word {
    words: &[
        ("uniform", JitterLaw::Uniform),
        ("normal", JitterLaw::Normal),
        ("exponential", JitterLaw::Exponential),
    ],
    explain: JitterLaw::explain,
};

record! {
    /// A random delay of each packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Jitter {
        /// The mean.
        mean: Duration = Span(DELAY).needed("mean = \"5 ms\"", |form| form
            .means("mean of the random delay")
            .such_as([json!("5 ms")])),
        /// The distribution.
        law: JitterLaw = LAW.usually(JitterLaw::Uniform, |form| form
            .means("distribution of the random delay")),
        /// The standard deviation of a normal distribution.
        deviation: Duration = Span(DELAY).usually(Duration::ZERO, |form| form
            .means("standard deviation, only of the normal distribution")),
        /// The correlation between successive packets.
        correlation: f64 = CORRELATION.usually(0.0, |form| form
            .means("correlation between successive packets, which does not change the distribution")),
        /// Whether packets keep their order.
        keep_order: bool = Flag.usually(true, |form| form
            .means("whether a packet that would overtake another arrives together with it instead")),
    }
    check(law, deviation) = fitting;
}

/// Rejects a deviation that has no effect, and a normal distribution without one.
fn fitting(table: &Table<'_>, law: JitterLaw, deviation: Duration) -> Option<()> {
    let normal = law == JitterLaw::Normal;
    if normal == (deviation > Duration::ZERO) {
        return Some(());
    }
    let place = table.find("deviation").or_else(|| table.find("law"))?;
    match normal {
        true => place.wrong(
            "a normal distribution needs a `deviation` above 0",
            "write for example deviation = \"2 ms\"",
        ),
        false => place.wrong(
            "only the normal distribution has a `deviation`",
            "write law = \"normal\", or leave out `deviation`",
        ),
    }
    None
}

impl Part for Jitter {
    const NAME: &'static str = "jitter";
    const EXAMPLE: &'static str = "{ mean = \"5 ms\" }";
    const MEANING: &'static str = "a random delay of each packet, on top of `delay`";
    const ENTRY: (&'static str, &'static str) = (
        "jitter = { mean = t }",
        "a random delay of each packet; order is kept unless asked otherwise",
    );

    fn hand_over(&self, link: &mut sim::Link) {
        let law = match self.law {
            JitterLaw::Uniform => sim::Law::Uniform {
                from: sim::Time::ZERO,
                to: time(self.mean) + time(self.mean),
            },
            JitterLaw::Normal => sim::Law::Normal {
                mean: time(self.mean),
                deviation: time(self.deviation),
            },
            JitterLaw::Exponential => sim::Law::Exponential {
                mean: time(self.mean),
            },
        };
        let flight = flight(link);
        flight.keep_order &= self.keep_order;
        flight.jitter = Some(sim::Jitter {
            law,
            correlation: self.correlation,
        });
    }
}
