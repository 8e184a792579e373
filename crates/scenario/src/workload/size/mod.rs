//! The sizes of transfers: a law, or a list of sizes that have been seen.
//!
//! To add a law: write its file beside `exponential.rs` with an implementation of
//! [`Sort`](crate::sort::Sort), and add its line to [`SizeLaw`] and its mean to [`SizeLaw::mean`].

mod constant;
mod exponential;
mod list;
mod lognormal;
mod pareto;

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;
use dumbbell_sim::random::Random;
use serde_json::json;

use crate::document::Node;
use crate::form::{Form, value};
use crate::key::Shape;
use crate::sort::sorts;
use crate::text::table;

pub use list::SizeList;
pub use lognormal::Lognormal;
pub use pareto::BoundedPareto;

sorts! {
    /// The law of the sizes of transfers, in bytes of payload.
    #[derive(Clone, Debug, PartialEq)]
    pub enum SizeLaw: Random,
    /// The sizes of transfers, one after the other, without end.
    struct Sizes(AnySizes) of u64 {
        /// All have the same size.
        Constant(Bytes) = constant::Constant,
        /// Exponentially distributed, with this mean.
        Exponential(Bytes) = exponential::Exponential,
        /// Lognormally distributed.
        Lognormal(Lognormal) = Lognormal,
        /// Pareto-distributed between two bounds.
        Pareto(BoundedPareto) = BoundedPareto,
        /// Drawn from a list, in which each place is equally likely.
        List(SizeList) = SizeList,
    }
}

impl SizeLaw {
    /// Returns the mean size in bytes, before sizes are rounded to whole bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(bytes) | Self::Exponential(bytes) => bytes.0 as f64,
            Self::Lognormal(law) => law.mean.0 as f64,
            Self::Pareto(law) => law.mean(),
            Self::List(list) => list.mean(),
        }
    }
}

/// The permitted sizes of a transfer, in bytes.
pub(super) const SIZE: RangeInclusive<u64> = 1..=1_000_000_000_000;
const EXAMPLE: &str = "{ exponential = \"20 kB\" }";

/// Returns a drawn size as whole bytes within the permitted range.
fn rounded(bytes: f64) -> u64 {
    // Conversions from floats saturate.
    (libm::round(bytes) as u64).clamp(*SIZE.start(), *SIZE.end())
}

/// The values of the key `size` of a workload.
pub(super) struct SizeKey;

impl Shape for SizeKey {
    type Value = SizeLaw;

    fn read(&self, node: &Node<'_>) -> Option<SizeLaw> {
        if node.as_text().is_some() || node.is_number() {
            return node.size(SIZE).map(SizeLaw::Constant);
        }
        let table = node.table(SizeLaw::KEYS, &[], EXAMPLE)?;
        match table.present(SizeLaw::KEYS)[..] {
            [law] => return SizeLaw::read_sort(law, &table.find(law)?),
            [] if table.misspells(SizeLaw::KEYS) => {}
            [] => node.wrong(
                "`size` names no law",
                format!("write for example size = \"20 kB\", or size = {EXAMPLE}"),
            ),
            [first, second, ..] => node.wrong(
                format!("`size` has two laws, `{first}` and `{second}`"),
                "keep one",
            ),
        }
        None
    }

    fn write(&self, law: &SizeLaw) -> String {
        table(&[(law.key(), law.write_sort())])
    }

    fn form(&self) -> Form {
        value::table(&SizeLaw::forms())
            .rule("minProperties", 1)
            .rule("maxProperties", 1)
            .or(value::size(SIZE))
            .ranging(format!(
                "{}, or a table with one law: {}",
                value::size(SIZE).range(),
                SizeLaw::KEYS.join(", ")
            ))
            .such_as([json!("20 kB"), json!({ "exponential": "20 kB" })])
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_sim::random::{Component, stream};

    use super::*;

    fn moments(law: &SizeLaw) -> (f64, f64) {
        let draws: Vec<f64> = law
            .simulated(stream(3, Component::host(0, 0)))
            .take(200_000)
            .map(|bytes| bytes as f64)
            .collect();
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        (mean, variance.sqrt())
    }

    /// Each law has the mean by which a load becomes a rate of arrivals. The tolerance is four standard
    /// errors.
    #[test]
    fn drawn_sizes_have_the_stated_mean() {
        let laws = [
            SizeLaw::Constant(Bytes(1234)),
            SizeLaw::Exponential(Bytes(20_000)),
            SizeLaw::Lognormal(Lognormal {
                mean: Bytes(30_000),
                sigma: 1.0,
            }),
            SizeLaw::Pareto(BoundedPareto {
                smallest: Bytes(1000),
                largest: Bytes(1_000_000),
                shape: 1.2,
            }),
            SizeLaw::Pareto(BoundedPareto {
                smallest: Bytes(1000),
                largest: Bytes(1_000_000),
                shape: 1.0,
            }),
            SizeLaw::List(SizeList::new(vec![100, 100, 400]).unwrap()),
        ];
        for law in laws {
            let (mean, deviation) = moments(&law);
            let error = 4.0 * deviation / 200_000_f64.sqrt();
            assert!((mean - law.mean()).abs() <= error + 0.5, "{law:?}: {mean}");
        }
    }

    /// By hand: a Pareto law of shape 1 from 1000 B to 10,000 B has the mean
    /// ln(10) 1000 10,000 / 9000 = 2558.4; one of shape 2 has 2 1000 (1 - 0.1) / (1 - 0.01) = 1818.2.
    #[test]
    fn means_of_bounded_pareto_laws_by_hand() {
        let mean = |shape| {
            let (smallest, largest) = (Bytes(1000), Bytes(10_000));
            SizeLaw::Pareto(BoundedPareto {
                smallest,
                largest,
                shape,
            })
            .mean()
        };
        assert!((mean(1.0) - 2558.4).abs() < 0.1, "{}", mean(1.0));
        assert!((mean(2.0) - 1818.2).abs() < 0.1, "{}", mean(2.0));
    }

    /// The standard deviation of an exponential law is its mean, that of a lognormal law with sigma 1 is
    /// its mean times sqrt(e - 1) = 1.3108.
    #[test]
    fn drawn_sizes_have_the_stated_spread() {
        let (_, deviation) = moments(&SizeLaw::Exponential(Bytes(20_000)));
        assert!((deviation / 20_000.0 - 1.0).abs() < 0.02, "{deviation}");
        let (_, deviation) = moments(&SizeLaw::Lognormal(Lognormal {
            mean: Bytes(30_000),
            sigma: 1.0,
        }));
        assert!(
            (deviation / 30_000.0 / 1.3108 - 1.0).abs() < 0.05,
            "{deviation}"
        );
    }

    #[test]
    fn sizes_stay_within_their_bounds() {
        let law = SizeLaw::Pareto(BoundedPareto {
            smallest: Bytes(1000),
            largest: Bytes(5000),
            shape: 0.5,
        });
        let sizes = law.simulated(stream(3, Component::host(0, 0)));
        assert!(sizes.take(10_000).all(|size| (1000..=5000).contains(&size)));
        let tiny = SizeLaw::Exponential(Bytes(1));
        let mut sizes = tiny.simulated(stream(3, Component::host(0, 0)));
        assert!(sizes.by_ref().take(10_000).all(|size| size >= 1));
    }
}
