//! Values over time: the rate or the delay of a link, in steps.

use std::fmt::Write as _;

use super::Fault;

/// The largest number of steps of a recording; more would make a file that nobody can open.
pub const MOST_STEPS: usize = 100_000;

/// A value that changes at given times, over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Times in nanoseconds, the first 0, increasing; and values, each other than the one before it.
    steps: Vec<(u64, u64)>,
    /// In nanoseconds, later than the last step.
    period: u64,
}

/// Which of the samples of an interval stands for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Take {
    /// The smallest.
    Min,
    /// The one in the middle; of two, the smaller.
    #[default]
    Median,
}

impl Steps {
    /// Makes steps from times, which start at 0 and increase, and values; `period` is later than the last.
    pub(super) fn new(
        all: impl IntoIterator<Item = (u64, u64)>,
        period: u64,
    ) -> Result<Self, Fault> {
        let mut steps: Vec<(u64, u64)> = Vec::new();
        for (at, value) in all {
            if steps.last().is_some_and(|(_, before)| *before == value) {
                continue;
            }
            if steps.len() == MOST_STEPS {
                let what = format!("the recording has more than {MOST_STEPS} steps");
                return Err(Fault::whole(what, "use a part of it, with --from and --to"));
            }
            steps.push((at, value));
        }
        Ok(Self { steps, period })
    }

    /// Makes steps of equal length from samples: times in nanoseconds, in any order, and values. The
    /// value of a step without a sample is that of the step before it; at the start, of the first sample.
    pub(super) fn sampled(
        samples: &[(u64, u64)],
        length: u64,
        step: u64,
        take: Take,
    ) -> Result<Self, Fault> {
        if step == 0 || length.div_ceil(step) > MOST_STEPS as u64 {
            let what = format!(
                "the recording has more than {MOST_STEPS} steps of {}",
                time(step)
            );
            let help =
                "make the steps longer, with --step, or use a part of it, with --from and --to";
            return Err(Fault::whole(what, help));
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by_key(|(at, value)| (*at / step, *value));
        let chosen = sorted.chunk_by(|(a, _), (b, _)| a / step == b / step);
        let chosen = chosen.map(|all| {
            let at = match take {
                Take::Min => 0,
                Take::Median => (all.len() - 1) / 2,
            };
            (all[0].0 / step * step, all[at].1)
        });
        let mut chosen: Vec<(u64, u64)> = chosen.collect();
        match chosen.first_mut() {
            Some(first) => first.0 = 0,
            None => return Err(Fault::whole("there is no sample", "use another part of it")),
        }
        Self::new(
            chosen,
            length.max(sorted.last().map_or(0, |(at, _)| at + 1)),
        )
    }

    /// Returns the times and values of a period.
    pub fn steps(&self) -> &[(u64, u64)] {
        &self.steps
    }

    /// Returns the time after which the steps start over, in nanoseconds.
    pub fn period(&self) -> u64 {
        self.period
    }

    /// Returns the mean over a period, rounded down.
    pub fn mean(&self) -> u64 {
        let ends = self.steps.iter().skip(1).map(|(at, _)| *at);
        let ends = ends.chain([self.period]);
        let areas = self.steps.iter().zip(ends);
        let sum: u128 = areas
            .map(|((at, value), end)| u128::from(end - at) * u128::from(*value))
            .sum();
        u64::try_from(sum / u128::from(self.period.max(1))).unwrap_or(u64::MAX)
    }

    /// Returns the least and the greatest value.
    pub fn range(&self) -> (u64, u64) {
        let values = || self.steps.iter().map(|(_, value)| *value);
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    }

    /// Writes the keys `steps` and `every` of a scenario, a line each or more.
    pub(super) fn write(&self, out: &mut String, show: impl Fn(u64) -> String) {
        let _ = writeln!(out, "steps = [ # from when, and what");
        let mut line = String::new();
        for (at, value) in &self.steps {
            let step = format!("[\"{}\", \"{}\"],", time(*at), show(*value));
            if !line.is_empty() && line.len() + step.len() > 95 {
                let _ = writeln!(out, "    {}", line.trim_end());
                line.clear();
            }
            line.push_str(&step);
            line.push(' ');
        }
        let _ = writeln!(out, "    {}\n]", line.trim_end());
        let _ = writeln!(
            out,
            "every = \"{}\" # then they start over",
            time(self.period)
        );
    }
}

/// Formats a time in seconds or milliseconds, exactly.
pub(super) fn time(nanoseconds: u64) -> String {
    let (unit, factor, digits) = match nanoseconds {
        0 | 1_000_000_000.. => ("s", 1_000_000_000, 9),
        _ => ("ms", 1_000_000, 6),
    };
    let decimals = format!(".{:0digits$}", nanoseconds % factor);
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("{}{decimals} {unit}", nanoseconds / factor)
}

/// Formats a rate in the largest unit in which it has at most three decimals, exactly.
pub(super) fn rate(bits: u64) -> String {
    for (unit, factor) in [
        ("Gb/s", 1_000_000_000),
        ("Mb/s", 1_000_000),
        ("kb/s", 1_000),
    ] {
        let (whole, part) = (bits / factor, bits % factor * 1000);
        if whole > 0 && part.is_multiple_of(factor) {
            let decimals = format!(".{:03}", part / factor);
            let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
            return format!("{whole}{decimals} {unit}");
        }
    }
    format!("{bits} b/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn equal_steps_are_one() {
        let steps = Steps::new([(0, 7), (5, 7), (9, 8)], 10).unwrap();
        assert_eq!(steps.steps(), [(0, 7), (9, 8)]);
        assert_eq!(steps.range(), (7, 8));
        // (9 * 7 + 1 * 8) / 10
        assert_eq!(steps.mean(), 7);
    }

    #[test]
    fn a_step_is_the_median_or_the_least_of_its_samples() {
        let samples = [(0, 9), (3, 1), (4, 5), (10, 6), (11, 2), (35, 4)];
        let steps = |take| Steps::sampled(&samples, 40, 10, take).unwrap();
        // Of two samples the smaller; the step from 20 has none and goes on with that from 10.
        assert_eq!(steps(Take::Median).steps(), [(0, 5), (10, 2), (30, 4)]);
        assert_eq!(steps(Take::Min).steps(), [(0, 1), (10, 2), (30, 4)]);
        assert_eq!(steps(Take::Min).period(), 40);
    }

    #[test]
    fn the_first_sample_counts_from_the_start() {
        let steps = Steps::sampled(&[(25, 3), (31, 4)], 40, 10, Take::Min).unwrap();
        assert_eq!(steps.steps(), [(0, 3), (30, 4)]);
        assert!(Steps::sampled(&[], 40, 10, Take::Min).is_err());
    }

    #[test]
    fn there_is_a_largest_number_of_steps() {
        let many = |n: u64| Steps::new((0..n).map(|at| (at, at)), n);
        assert!(many(100_000).is_ok());
        let wrong = many(100_001).unwrap_err();
        assert!(wrong.what.contains("more than 100000 steps"), "{wrong}");
        let wrong = Steps::sampled(&[(0, 1)], 1_000_000, 9, Take::Min).unwrap_err();
        assert!(wrong.help.contains("--step"), "{wrong}");
        assert!(Steps::sampled(&[(0, 1)], 10, 0, Take::Min).is_err());
    }

    #[test]
    fn times_and_rates_are_exact() {
        let times = [0, 15_000 * MS, 1_500 * MS, 20_125_000, 1, 60_063_062];
        let shown = [
            "0 s",
            "15 s",
            "1.5 s",
            "20.125 ms",
            "0.000001 ms",
            "60.063062 ms",
        ];
        assert_eq!(times.map(time), shown);
        let rates = [
            0,
            999,
            12_500,
            2_000_000,
            1_234_567,
            1_234_000,
            2_500_000_000,
        ];
        let shown = [
            "0 b/s",
            "999 b/s",
            "12.5 kb/s",
            "2 Mb/s",
            "1234.567 kb/s",
            "1.234 Mb/s",
            "2.5 Gb/s",
        ];
        assert_eq!(rates.map(rate), shown);
    }
}
