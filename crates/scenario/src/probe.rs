//! What is sampled while a scenario runs.

use std::ops::RangeInclusive;

use dumbbell_control::estimator;
use dumbbell_control::units::Duration;

use super::document::{Node, Table};
use super::suggest;

/// Samples over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Time from one sample to the next.
    pub interval: Duration,
    /// What is sampled: each once, in the order of [`ProbeValue::ALL`].
    pub values: Vec<ProbeValue>,
    /// Estimators of bandwidth that run beside the control of each TCP flow: each once, in the order of
    /// [`estimator::NAMES`].
    pub estimate: Vec<estimator::AnyConfig>,
    /// Whose throughput equation is asked what each TCP flow should send.
    pub equation: Option<Equation>,
}

/// Whose throughput equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// TCP Reno's: a loss halves the window.
    Reno,
    /// TCP Veno's: the mean cut follows from the measured delays.
    Veno,
}

impl Equation {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Veno => "veno",
        }
    }
}

/// What the key `equation` may be.
pub(super) const EQUATIONS: [(&str, Option<Equation>); 3] = [
    ("none", None),
    ("reno", Some(Equation::Reno)),
    ("veno", Some(Equation::Veno)),
];

/// Something to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeValue {
    /// Congestion window of each TCP flow, without inflation.
    Cwnd,
    /// Window inflation of each TCP flow in recovery.
    Inflation,
    /// Slow-start threshold of each TCP flow.
    Ssthresh,
    /// Newest round-trip time of each TCP flow.
    Rtt,
    /// What each congestion control reports of itself.
    Explain,
    /// Packets in each queue between routers.
    Queue,
    /// Rate of each flow at its receiver since the last sample.
    Rate,
    /// Highest segment sent by, and highest in order at the receiver of, each TCP flow.
    Sequence,
    /// Loss episodes and timeouts of each TCP flow, and loss events of each flow of media, so far.
    Losses,
    /// Packets that each flow has sent since the last sample.
    Sending,
}

impl ProbeValue {
    /// Every value.
    pub const ALL: [Self; 10] = [
        Self::Cwnd,
        Self::Inflation,
        Self::Ssthresh,
        Self::Rtt,
        Self::Explain,
        Self::Queue,
        Self::Rate,
        Self::Sequence,
        Self::Losses,
        Self::Sending,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cwnd => "cwnd",
            Self::Inflation => "inflation",
            Self::Ssthresh => "ssthresh",
            Self::Rtt => "rtt",
            Self::Explain => "explain",
            Self::Queue => "queue",
            Self::Rate => "rate",
            Self::Sequence => "sequence",
            Self::Losses => "losses",
            Self::Sending => "sending",
        }
    }
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(100),
            values: ProbeValue::ALL.to_vec(),
            estimate: Vec::new(),
            equation: None,
        }
    }
}

/// The keys of the table `probe`.
pub(super) const KEYS: [&str; 4] = ["interval", "values", "estimate", "equation"];
/// What `interval` may be.
pub(super) const INTERVAL: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(24 * 3600);

/// Reads the table `probe`.
pub(super) fn read(root: &Table<'_>) -> Option<Probe> {
    let usual = Probe::default();
    let Some(node) = root.find("probe") else {
        return Some(usual);
    };
    let table = node.table(&KEYS, &[], "{ interval = \"0.1 s\" }")?;
    let interval = table
        .find("interval")
        .map_or(Some(usual.interval), |n| n.time(INTERVAL));
    let values = table
        .find("values")
        .map_or(Some(usual.values), |n| read_values(&n));
    let estimate = table.find("estimate").map_or(Some(Vec::new()), |n| {
        names_of(&n, &estimators(), "[\"sarbe\", \"tustin\"]")
    });
    let equation = table
        .find("equation")
        .map_or(Some(usual.equation), |n| n.word(&EQUATIONS));
    Some(Probe {
        interval: interval?,
        values: values?,
        estimate: estimate?,
        equation: equation?,
    })
}

/// The estimators by name.
pub(super) fn estimators() -> Vec<(&'static str, estimator::AnyConfig)> {
    estimator::all()
        .map(|config| (config.name(), config))
        .collect()
}

/// Reads an array of words of which each stands there once; they come in the order of `words`.
pub(super) fn names_of<T: Copy>(
    node: &Node<'_>,
    words: &[(&'static str, T)],
    example: &str,
) -> Option<Vec<T>> {
    let places: Vec<(&str, usize)> = (0..)
        .zip(words)
        .map(|(place, (name, _))| (*name, place))
        .collect();
    let mut chosen = Vec::new();
    let mut complete = true;
    for element in node.array(example)? {
        match element.word(&places) {
            Some(place) if chosen.contains(&place) => {
                let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
                element.wrong(
                    format!("`{}` stands here twice", words[place].0),
                    format!("there is {}", suggest::list(&names)),
                );
            }
            Some(place) => chosen.push(place),
            None => complete = false,
        }
    }
    chosen.sort_unstable();
    complete.then(|| chosen.into_iter().map(|place| words[place].1).collect())
}

fn read_values(node: &Node<'_>) -> Option<Vec<ProbeValue>> {
    let words = ProbeValue::ALL.map(|value| (value.name(), value));
    let mut values = Vec::new();
    let mut complete = true;
    for element in node.array("[\"cwnd\", \"queue\"]")? {
        match element.word(&words) {
            Some(value) if values.contains(&value) => {
                let help = format!(
                    "the values are {}",
                    suggest::list(&words.map(|(name, _)| name))
                );
                element.wrong(format!("`{}` stands here twice", value.name()), help);
            }
            Some(value) => values.push(value),
            None => complete = false,
        }
    }
    values.sort();
    complete.then_some(values)
}
