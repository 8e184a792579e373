//! LENS (Zhao and Pan, "LENS: A LEO Satellite Network Measurement Dataset", MMSys 2024): round-trip
//! times of Starlink and OneWeb, as recorded by `ping -D` and by IRTT, and as its own CSV.
//!
//! The four kinds of files are told apart by how they begin. Their columns are those that LENS' README
//! describes (github.com/clarkzjw/LENS).

mod irtt;
mod ping;
mod table;

use dumbbell_scenario::Duration;

use super::{Cut, Fault, Losses, Recording, Steps, Take, Way};

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The part that is used.
    pub cut: Cut,
    /// The length of a step.
    pub step: Duration,
    /// Which round-trip time of a step is taken.
    pub take: Take,
    /// Whether the delays of both directions are used as recorded, instead of half the round-trip time.
    pub one_way: bool,
}

impl Options {
    /// The usual length of a step.
    pub const STEP: Duration = Duration::from_secs(1);
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cut: Cut::default(),
            step: Self::STEP,
            take: Take::default(),
            one_way: false,
        }
    }
}

/// A packet of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    /// When, in nanoseconds since 1970.
    at: u64,
    /// The line of the file, or the position in it, counted from 1.
    line: u64,
    fate: Fate,
}

/// What became of a packet. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Answered {
        rtt: u64,
        /// To the satellite, and back; negative if the clocks of the hosts differ.
        one_way: Option<(i64, i64)>,
    },
    /// Lost, nobody knows where.
    Lost,
    LostUp,
    LostDown,
}

impl Fate {
    fn is_answered(self) -> bool {
        matches!(self, Self::Answered { .. })
    }
}

/// The longest round-trip time that is believed: an hour.
const LONGEST_RTT: f64 = 3_600_000.0;

/// Reads a number of milliseconds, as nanoseconds.
fn milliseconds(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.abs() <= LONGEST_RTT).then_some(number * 1e6)
}

/// Reads seconds since 1970, with at most nine decimals, or whole nanoseconds (16 digits or more).
fn moment(text: &str) -> Option<u64> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let number: u64 = whole.parse().ok()?;
    if whole.len() >= 16 && part.is_empty() {
        return Some(number);
    }
    let nanoseconds: u64 = format!("{part:0<9}").parse().ok()?;
    number.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

/// Converts a file: half the round-trip time is the delay of each direction, and the losses are those of
/// the file.
///
/// # Errors
/// [`Fault`] at the first mistake.
pub fn convert(bytes: &[u8], options: &Options) -> Result<Recording, Fault> {
    let start = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let probes = match start {
        None => return Err(Fault::whole("the file is empty", WANTED)),
        Some(b'{') => irtt::read(bytes)?,
        Some(b'[' | b'P') => ping::read(bytes)?,
        Some(_) => table::read(bytes)?,
    };
    recording(probes, options)
}

const WANTED: &str =
    "a file of LENS is a CSV with `timestamp,rtt`, the output of `ping -D`, or a JSON of IRTT";

fn recording(mut probes: Vec<Probe>, options: &Options) -> Result<Recording, Fault> {
    if let Some(pair) = probes.windows(2).find(|pair| pair[1].at < pair[0].at) {
        let help = "the packets of a file are in the order of time: sort them";
        return Err(Fault::line(pair[1].line, "the time goes back", help));
    }
    let (Some(first), Some(last)) = (probes.first(), probes.last()) else {
        return Err(Fault::whole("there is no round-trip time", WANTED));
    };
    let (start, length) = (first.at, last.at - first.at);
    if length > 30 * 24 * 3600 * 1_000_000_000 {
        let line = probes.windows(2).max_by_key(|pair| pair[1].at - pair[0].at);
        let line = line.map_or(0, |pair| pair[1].line);
        let what = "the recording is longer than 30 days";
        return Err(Fault::line(
            line,
            what,
            "look at this time, the farthest from the one before it",
        ));
    }
    let part = options.cut.of(length.max(1))?;
    probes.retain(|probe| part.contains(&(probe.at - start)));
    for probe in &mut probes {
        probe.at -= start + part.start();
    }
    let length = part.end() - part.start();
    let interval = interval(&probes);
    let up = Way {
        delay: delays(&probes, length, options, Some(true))?,
        losses: options
            .one_way
            .then(|| losses(&probes, interval, |fate| fate != Fate::LostUp)),
        ..Way::default()
    };
    let forward = Way {
        delay: delays(&probes, length, options, options.one_way.then_some(false))?,
        losses: Some(losses(&probes, interval, |fate| match options.one_way {
            true => !matches!(fate, Fate::Lost | Fate::LostDown),
            false => fate.is_answered(),
        })),
        ..Way::default()
    };
    let mut remarks = vec![match options.one_way {
        true => "Delays are those of each direction, by the clocks of both hosts.".to_owned(),
        false => "The delay of each direction is half the round-trip time; all losses are on the way of the data."
            .to_owned(),
    }];
    remarks.push("The rate was not recorded: choose one.".to_owned());
    Ok(Recording {
        forward,
        reverse: options.one_way.then_some(up),
        length: Duration::from_nanos(length),
        remarks,
    })
}

/// The delays of a direction: half the round-trip time, or as recorded `up` to the satellite or not.
fn delays(
    probes: &[Probe],
    length: u64,
    options: &Options,
    up: Option<bool>,
) -> Result<Option<Steps>, Fault> {
    let mut samples = Vec::new();
    for probe in probes {
        let Fate::Answered { rtt, one_way } = probe.fate else {
            continue;
        };
        // In whole microseconds; finer than that, no host knows them.
        let delay = match (options.one_way, up) {
            (true, Some(up)) => u64::try_from(one_way_delay(probe.line, one_way, up)?).unwrap_or(0),
            _ => rtt / 2,
        };
        samples.push((probe.at, delay / 1000 * 1000));
    }
    Steps::sampled(&samples, length, options.step.as_nanos(), options.take).map(Some)
}

fn one_way_delay(line: u64, delays: Option<(i64, i64)>, up: bool) -> Result<i64, Fault> {
    let Some((uplink, downlink)) = delays else {
        let what = "the file has no delays of each direction";
        return Err(Fault::line(line, what, "leave out --one-way"));
    };
    let delay = if up { uplink } else { downlink };
    if delay < 0 {
        let what = format!(
            "the delay {} is negative, because the clocks of the hosts differ",
            if up { "uplink" } else { "downlink" }
        );
        return Err(Fault::line(line, what, "leave out --one-way"));
    }
    Ok(delay)
}

fn losses(probes: &[Probe], interval: u64, arrives: impl Fn(Fate) -> bool) -> Losses {
    Losses::of(probes.iter().map(|probe| arrives(probe.fate)), interval)
}

/// The median time from one packet to the next, in nanoseconds.
fn interval(probes: &[Probe]) -> u64 {
    let mut gaps: Vec<u64> = probes
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    gaps.sort_unstable();
    gaps.get(gaps.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests;
