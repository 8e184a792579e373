//! Packet-delivery traces of Mahimahi (Netravali et al., "Mahimahi: Accurate Record-and-Replay for
//! HTTP", 2015): each line is the time of one delivery opportunity of 1500 bytes, in whole milliseconds.

use dumbbell_scenario::{Duration, Opportunities, Unsuitable, trace_file};

use super::{Cut, Fault, Rate, Recording, Spot, Way};

/// What is done with a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The part that is used.
    pub cut: Cut,
    /// What happens at this time, or at the first opportunity after it, happens at the start instead;
    /// what came before it comes last.
    pub shift: Duration,
    /// How many opportunities there are in the place of one.
    pub scale: Scale,
}

/// A factor, from one millionth to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    millionths: u64,
}

impl Scale {
    /// No change.
    pub const ONE: Self = Self {
        millionths: 1_000_000,
    };

    /// Reads a factor such as `0.5`.
    ///
    /// # Errors
    /// A sentence, if it is not a number from 0.000001 to 1000.
    pub fn read(text: &str) -> Result<Self, String> {
        let number: Option<f64> = text.parse().ok();
        let millionths = number.map(|number| (number * 1e6).round());
        match millionths.filter(|it| (1.0..=1e9).contains(it)) {
            Some(millionths) => Ok(Self {
                millionths: millionths as u64,
            }),
            None => Err("a factor is a number from 0.000001 to 1000, such as 0.5".to_owned()),
        }
    }

    /// Returns the factor.
    pub fn factor(self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cut: Cut::default(),
            shift: Duration::ZERO,
            scale: Scale::ONE,
        }
    }
}

/// Reads a trace.
///
/// # Errors
/// [`Fault`] at the first mistake.
pub fn parse(bytes: &[u8]) -> Result<Opportunities, Fault> {
    trace_file::parse(&String::from_utf8_lossy(bytes)).map_err(|wrong| Fault {
        spot: wrong
            .line
            .map_or(Spot::Whole, |line| Spot::Line(line as u64)),
        what: wrong.what,
        help: wrong.help,
    })
}

/// Makes one trace of several: each begins when the one before it ends.
///
/// # Errors
/// [`Fault`] if it is too long.
pub fn join(traces: &[Opportunities]) -> Result<Opportunities, Fault> {
    let mut times = Vec::new();
    for trace in traces {
        let start = times.last().copied().unwrap_or(0);
        times.extend(trace.milliseconds().map(|at| at + start));
    }
    checked(&times)
}

/// Converts the traces of both directions. Without one of the way back, ACKs return at the mean rate.
///
/// # Errors
/// [`Fault`] if the part asked for is not there, or the result is not a valid trace.
pub fn convert(
    forward: &Opportunities,
    reverse: Option<&Opportunities>,
    options: &Options,
) -> Result<Recording, Fault> {
    let mut remarks = Vec::new();
    let mut way = |trace: &Opportunities| {
        let (changed, was_added) = change(trace, options)?;
        if was_added {
            remarks.push(
                "The part ends in a pause: an opportunity was added at its end, so that the pause stays."
                    .to_owned(),
            );
        }
        Ok(changed)
    };
    let forward = way(forward)?;
    let reverse = reverse.map(&mut way).transpose()?;
    let length = [Some(&forward), reverse.as_ref()].into_iter().flatten();
    let length = length.filter_map(|trace| trace.milliseconds().last()).max();
    let way = |trace| Way {
        rate: Some(Rate::Opportunities(trace)),
        ..Way::default()
    };
    Ok(Recording {
        forward: way(forward),
        reverse: reverse.map(way),
        length: Duration::from_millis(length.unwrap_or(0)),
        remarks,
    })
}

/// Cuts, then shifts, then scales. Also returns whether an opportunity was added at the end of the part.
fn change(trace: &Opportunities, options: &Options) -> Result<(Opportunities, bool), Fault> {
    let mut times: Vec<u64> = trace.milliseconds().collect();
    let mut was_added = false;
    if !options.cut.is_whole() {
        const NANOSECONDS: u64 = 1_000_000;
        let last = times.last().copied().unwrap_or(0);
        let part = options.cut.of(last * NANOSECONDS)?;
        let (from, to) = (part.start() / NANOSECONDS, part.end() / NANOSECONDS);
        times.retain(|at| (from..=to).contains(at));
        for at in &mut times {
            *at -= from;
        }
        // The schedule restarts at its last time.
        was_added = times.last().is_some_and(|last| *last < to - from);
        if was_added {
            times.push(to - from);
        }
    }
    let times = scaled(&shifted(&times, options.shift), options.scale);
    Ok((checked(&times)?, was_added))
}

/// Starts the schedule at another place: right after the first opportunity at this time or later, so that
/// its last one still ends the period. The time counts from the start of the period, over and over.
fn shifted(times: &[u64], by: Duration) -> Vec<u64> {
    let period = times.last().copied().unwrap_or(0);
    let by = by.as_nanos().div_ceil(1_000_000).checked_rem(period);
    let Some(by) = by.filter(|by| *by > 0) else {
        return times.to_vec();
    };
    // One at 0 is also one at the end of the period before.
    let in_period = |at: &u64| if *at == 0 { period } else { *at };
    let mut all: Vec<u64> = times.iter().map(in_period).collect();
    all.sort_unstable();
    let start = all.iter().copied().find(|at| *at >= by).unwrap_or(period);
    let mut all: Vec<u64> = all
        .into_iter()
        .map(|at| {
            if at > start {
                at - start
            } else {
                at + period - start
            }
        })
        .collect();
    all.sort_unstable();
    all
}

/// Repeats opportunities, or leaves some out, evenly and so that the last one stays.
fn scaled(times: &[u64], scale: Scale) -> Vec<u64> {
    if scale == Scale::ONE {
        return times.to_vec();
    }
    // Counted from the end: after n of them, n times the factor, rounded up, have been kept.
    let kept = |n: u64| (u128::from(n) * u128::from(scale.millionths)).div_ceil(1_000_000);
    let mut scaled: Vec<u64> = Vec::new();
    for (n, at) in (0..).zip(times.iter().rev()) {
        let copies = kept(n + 1) - kept(n);
        // What is too much is found below; it need not be held in full.
        let room = Opportunities::MOST + 1 - scaled.len();
        let copies = usize::try_from(copies).unwrap_or(room).min(room);
        scaled.extend(std::iter::repeat_n(*at, copies));
    }
    scaled.reverse();
    scaled
}

/// Makes opportunities of times.
pub(super) fn checked(times: &[u64]) -> Result<Opportunities, Fault> {
    Opportunities::new(times).map_err(|wrong| {
        let help = match wrong {
            Unsuitable::TooMany => format!(
                "there can be {} at most: use a part of it, with --from and --to",
                Opportunities::MOST
            ),
            Unsuitable::TooLate { .. } => {
                format!("times are from 0 to {} ms", Opportunities::LONGEST)
            }
            _ => "use a longer part of it".to_owned(),
        };
        Fault::whole(wrong.to_string(), help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(times: &[u64]) -> Opportunities {
        Opportunities::new(times).unwrap()
    }

    fn changed(times: &[u64], options: Options) -> Vec<u64> {
        let (changed, _) = change(&trace(times), &options).unwrap();
        changed.milliseconds().collect()
    }

    fn part(from: u64, to: u64) -> Cut {
        Cut {
            from: Duration::from_millis(from),
            to: Some(Duration::from_millis(to)),
        }
    }

    #[test]
    fn a_trace_that_is_not_changed_stays_as_it_is() {
        assert_eq!(changed(&[0, 5, 5, 12], Options::default()), [0, 5, 5, 12]);
        let all = parse(b"0\n5\n5\n12\n").unwrap();
        let recording = convert(&all, None, &Options::default()).unwrap();
        assert_eq!(recording.forward.rate, Some(Rate::Opportunities(all)));
        assert_eq!(recording.reverse, None);
        assert_eq!(recording.length, Duration::from_millis(12));
        // 4 * 1500 bytes in 12 ms
        assert_eq!(recording.forward.rate.unwrap().mean(), 4_000_000);
    }

    #[test]
    fn a_part_keeps_its_length() {
        let cut = |from, to| Options {
            cut: part(from, to),
            ..Options::default()
        };
        let times = [2, 5, 9, 20, 31];
        assert_eq!(changed(&times, cut(4, 20)), [1, 5, 16]);
        // From 9 to 15 ms there is nothing but the first: one is added at the end.
        let (all, was_added) = change(&trace(&times), &cut(9, 15)).unwrap();
        assert_eq!(all.milliseconds().collect::<Vec<_>>(), [0, 6]);
        assert!(was_added);
        let recording = convert(&trace(&times), None, &cut(9, 15)).unwrap();
        assert_eq!(recording.remarks.len(), 1, "{:?}", recording.remarks);
        assert_eq!(recording.length, Duration::from_millis(6));
    }

    #[test]
    fn a_part_that_is_not_there_is_refused() {
        let wrong = |from, to| {
            let options = Options {
                cut: part(from, to),
                ..Options::default()
            };
            change(&trace(&[2, 5, 31]), &options).unwrap_err()
        };
        assert_eq!(wrong(4, 32).what, "the recording ends before 32 ms");
        assert_eq!(wrong(4, 32).help, "it is 31 ms long");
        assert_eq!(wrong(9, 9).what, "no part is left from 9 ms to 9 ms");
        assert_eq!(wrong(9, 8).what, "no part is left from 9 ms to 8 ms");
        assert_eq!(wrong(6, 30).what, "there is no delivery opportunity");
    }

    #[test]
    fn a_shift_starts_after_an_opportunity() {
        let shift = |ms| Options {
            shift: Duration::from_millis(ms),
            ..Options::default()
        };
        // After the one at 9: 20 - 9, 31 - 9, then 2 + 31 - 9, 5 + 31 - 9, 31.
        let times = [2, 5, 9, 20, 31];
        assert_eq!(changed(&times, shift(6)), [11, 22, 24, 27, 31]);
        assert_eq!(changed(&times, shift(9)), [11, 22, 24, 27, 31]);
        // Once around, and one that ends where it began.
        assert_eq!(changed(&times, shift(31 + 9)), [11, 22, 24, 27, 31]);
        assert_eq!(changed(&times, shift(31)), [2, 5, 9, 20, 31]);
        // One at 0 ends the period, too.
        assert_eq!(changed(&[0, 4, 10], shift(4)), [6, 6, 10]);
    }

    #[test]
    fn a_scale_repeats_or_leaves_out_and_keeps_the_period() {
        let scale = |text| Options {
            scale: Scale::read(text).unwrap(),
            ..Options::default()
        };
        assert_eq!(changed(&[1, 4, 10], scale("2")), [1, 1, 4, 4, 10, 10]);
        assert_eq!(changed(&[1, 4, 10, 12], scale("0.5")), [4, 12]);
        // 1, 2, 3 times 1.5, rounded up: 2, 3, 5 from the end.
        assert_eq!(changed(&[1, 4, 10], scale("1.5")), [1, 1, 4, 10, 10]);
        assert_eq!(changed(&[1, 4, 10], scale("0.000001")), [10]);
        for wrong in ["0", "-1", "NaN", "inf", "1001", "two", "1e300"] {
            assert!(Scale::read(wrong).is_err(), "{wrong}");
        }
        let many = trace(&vec![7; 1001]);
        let wrong = change(&many, &scale("1000")).unwrap_err();
        assert!(wrong.help.contains("--from and --to"), "{wrong}");
    }

    #[test]
    fn traces_are_joined_end_to_end() {
        let all = join(&[trace(&[0, 5]), trace(&[3, 7])]).unwrap();
        assert_eq!(all.milliseconds().collect::<Vec<_>>(), [0, 5, 8, 12]);
        let long = trace(&[2_592_000_000]);
        let wrong = join(&[long.clone(), long]).unwrap_err();
        assert_eq!(wrong.what, "the time is out of range");
    }
}
