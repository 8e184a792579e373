//! The rate controls that a flow of media can name, with their parameters.

use dumbbell_control::parameter::{Kind, Parameter, Refused, Setting};
use dumbbell_control::units::{Duration, Ratio};

use crate::settings::Settings;

/// The rate control of a flow of media, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RateControl {
    scheme: Scheme,
    settings: Settings,
}

/// A way to find a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// TCP-friendly rate control (RFC 5348).
    Tfrc,
    /// TFRC by Veno's equation (TFRC Veno, section III-B).
    TfrcVeno,
    /// As many TFRC connections as the path takes without a growing queue (Chen and Zakhor 2004).
    Multfrc,
    /// One TFRC connection at the rate of as many (Chen and Zakhor 2005).
    AioTfrc,
}

/// A parameter and its default.
type Entry = (Parameter, Setting);

const fn entry(name: &'static str, kind: Kind, default: Setting, doc: &'static str) -> Entry {
    (Parameter { name, kind, doc }, default)
}

const fn ratio(millionths: u32) -> Ratio {
    Ratio::from_millionths(millionths)
}

const fn share(
    name: &'static str,
    least: u32,
    most: u32,
    default: u32,
    doc: &'static str,
) -> Entry {
    let kind = Kind::Ratio(ratio(least), ratio(most));
    entry(name, kind, Setting::Ratio(ratio(default)), doc)
}

const fn word(name: &'static str, words: &'static [&'static str], doc: &'static str) -> Entry {
    entry(name, Kind::Choice(words), Setting::Choice(words[0]), doc)
}

/// What all of them have. The first of several words is the default.
const COMMON: [Entry; 7] = [
    word(
        "profile",
        &["rfc5348", "ns2"],
        "Whose rules: those of RFC 5348, or those of ns-2.35.",
    ),
    entry(
        "b",
        Kind::Count(1, 16),
        Setting::Count(1),
        "Packets that an ACK covers, in the equation (RFC 5348, section 3.1: 1).",
    ),
    word(
        "min1",
        &["profile", "off", "on"],
        "Whether the equation's probability of a timeout is limited to 1 (ns-2), which counts above a loss event rate of 0.3.",
    ),
    word(
        "smoothing",
        &["on", "off"],
        "Whether a round-trip time above the average slows the sender down at once (RFC 5348, section 4.5).",
    ),
    word(
        "discounting",
        &["on", "off"],
        "Whether a long time without loss makes older losses count less (RFC 5348, section 5.5).",
    ),
    word(
        "discount_mean",
        &["closed", "with_open"],
        "What the open loss interval is held against: the mean of the closed ones, or the average that takes it in.",
    ),
    word(
        "causes",
        &["ignored", "ecn", "agent", "access_point"],
        "Who tells congestion from loss: nobody; marks, and losses do not count (ECN-TFRC); agents at the lossy link, whose losses do not count (AED-TFRC); the access point, whose loss event rate the sender subtracts (WM-TFRC).",
    ),
];

/// What Veno's equation has.
const VENO: [Entry; 7] = [
    share(
        "theta1",
        500_000,
        990_000,
        950_000,
        "What a random loss leaves of the window (TFRC Veno, section III-B: 0.95; TCP Veno: 0.8).",
    ),
    share(
        "theta2",
        10_000,
        990_000,
        500_000,
        "What any other loss leaves of the window (0.5); at most theta1.",
    ),
    share(
        "beta",
        0,
        1_000_000_000,
        3_000_000,
        "The backlog, in packets, from which on a loss is one of congestion (3).",
    ),
    word(
        "base_mode",
        &["life", "on_loss"],
        "Since when BaseRTT is the least round-trip time: the connection's beginning, or the last loss event.",
    ),
    word(
        "wmax_mode",
        &["life", "avoidance", "decay"],
        "W_max: the largest window since the beginning, since the end of slow start, or one that fades by 0.5 % a feedback.",
    ),
    share(
        "gamma",
        0,
        990_000,
        0,
        "A fixed Veno parameter instead of the one that the path gives; 0: the path's.",
    ),
    share(
        "memory",
        0,
        999_000,
        0,
        "What a feedback leaves of the Veno parameter before it, so that queues that come and go do not move the rate: ours; 0: the paper's, none.",
    ),
];

/// What decides how many connections there are.
const CONNECTIONS: [Entry; 5] = [
    share(
        "increase",
        1,
        100_000_000,
        1_000_000,
        "Alpha: without a growing queue there are alpha/n more connections (1).",
    ),
    share(
        "decrease",
        0,
        100_000_000,
        1_000_000,
        "Beta: with a growing queue there are so many fewer (1).",
    ),
    share(
        "threshold",
        0,
        100_000_000,
        200_000,
        "Gamma: the queue grows if the round-trip time exceeds its least one by this part (0.2).",
    ),
    entry(
        "period",
        Kind::Duration(Duration::from_micros(1), Duration::from_secs(3600)),
        Setting::Duration(Duration::from_secs(1)),
        "The least time between two changes of the number, which are at least 10 round-trip times apart.",
    ),
    entry(
        "most",
        Kind::Count(1, 16),
        Setting::Count(16),
        "The largest number of connections.",
    ),
];

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tfrc, Self::TfrcVeno, Self::Multfrc, Self::AioTfrc];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tfrc => "tfrc",
            Self::TfrcVeno => "tfrc-veno",
            Self::Multfrc => "multfrc",
            Self::AioTfrc => "aio-tfrc",
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Tfrc => "the rate that TCP would have by its throughput equation (RFC 5348)",
            Self::TfrcVeno => "TFRC by the equation of TCP Veno (TFRC Veno, section III-B)",
            Self::Multfrc => {
                "as many TFRC connections as queue hardly anything (Chen and Zakhor 2004)"
            }
            Self::AioTfrc => "one TFRC connection at the rate of as many (Chen and Zakhor 2005)",
        }
    }

    fn entries(self) -> impl Iterator<Item = &'static Entry> {
        let own: &'static [Entry] = match self {
            Self::Tfrc => &[],
            Self::TfrcVeno => &VENO,
            Self::Multfrc | Self::AioTfrc => &CONNECTIONS,
        };
        COMMON.iter().chain(own)
    }
}

impl RateControl {
    /// The rate control of this scheme with the defaults of its parameters.
    pub fn new(scheme: Scheme) -> Self {
        let defaults = scheme.entries().map(|(p, default)| (p.name, *default));
        Self {
            scheme,
            settings: Settings::new(defaults),
        }
    }

    /// The rate control of this name with the defaults of its parameters.
    pub fn named(name: &str) -> Option<Self> {
        let scheme = Scheme::ALL.into_iter().find(|s| s.name() == name)?;
        Some(Self::new(scheme))
    }

    /// Every rate control with its defaults.
    pub fn all() -> impl Iterator<Item = Self> {
        Scheme::ALL.into_iter().map(Self::new)
    }

    /// What it does with its parameters.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Its name in files.
    pub fn name(&self) -> &'static str {
        self.scheme.name()
    }

    /// What its parameters are.
    pub fn parameters(&self) -> Vec<Parameter> {
        self.scheme
            .entries()
            .map(|(parameter, _)| *parameter)
            .collect()
    }

    /// The parameters with their values.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is not within its range.
    pub fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        let known = self.scheme.entries().find(|(p, _)| p.name == name);
        let (parameter, _) = known.ok_or(Refused::Unknown)?;
        if !parameter.kind.admits(value) {
            return Err(Refused::Impossible(parameter.kind));
        }
        self.settings.put(parameter.name, value);
        Ok(())
    }

    /// A parameter that is one of some words.
    pub fn word(&self, name: &str) -> &'static str {
        match self.settings.get(name) {
            Some(Setting::Choice(word)) => word,
            _ => "",
        }
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> f64 {
        match self.settings.get(name) {
            Some(Setting::Ratio(ratio)) => ratio.as_f64(),
            Some(Setting::Count(count)) => f64::from(count),
            _ => 0.0,
        }
    }

    /// A parameter that is a span of time.
    pub fn span(&self, name: &str) -> Duration {
        match self.settings.get(name) {
            Some(Setting::Duration(span)) => span,
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_within_its_range_and_every_name_stands_once() {
        for control in RateControl::all() {
            let mut names = Vec::new();
            for parameter in control.parameters() {
                let default = control.settings().get(parameter.name);
                assert!(
                    default.is_some_and(|value| parameter.kind.admits(value)),
                    "{} {}",
                    control.name(),
                    parameter.name
                );
                assert!(!names.contains(&parameter.name), "{}", parameter.name);
                names.push(parameter.name);
            }
        }
    }

    #[test]
    fn what_a_scheme_does_not_have_is_refused() {
        let mut plain = RateControl::named("tfrc").unwrap();
        let high = Setting::Ratio(ratio(900_000));
        assert_eq!(plain.set("theta1", high), Err(Refused::Unknown));
        let mut veno = RateControl::named("tfrc-veno").unwrap();
        assert_eq!(veno.set("theta1", high), Ok(()));
        assert_eq!(veno.number("theta1"), 0.9);
        let out = Setting::Ratio(Ratio::ONE);
        assert!(matches!(
            veno.set("theta1", out),
            Err(Refused::Impossible(_))
        ));
    }
}
