//! Flows: who sends what from where, and when.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use super::aqt;
use super::document::{Node, Table};
use super::media::{self, Media};
use super::names::{self, Names};
use super::quantity::Measure;
use super::relay::{self, Wanted};
use super::source::{self, Source, Udp};
use super::tcp::{self, Tcp, TcpPatch};
use super::topology::{Layout, Place};
use crate::controls::Controls;

/// One flow, or `count` flows of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name, unlike that of any other entry.
    pub name: String,
    /// How many flows, 1 to 100,000.
    pub count: u32,
    /// When each starts.
    pub start: Start,
    /// Where they run. Each has its own hosts and access links, where there are any.
    pub place: Place,
    /// What they send.
    pub traffic: Traffic,
    /// The place, among the scenario's flows, of that whose deliveries they send on. Each of several relays one.
    pub relays: Option<usize>,
}

/// When a flow starts, from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At that time.
    At(Duration),
    /// At a time drawn from the uniform distribution on `[from, to)`, one draw for each flow.
    Uniform {
        /// The earliest time.
        from: Duration,
        /// The end of the range, later than `from`.
        to: Duration,
    },
}

/// What a flow sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// A TCP connection.
    Tcp(Box<Tcp>),
    /// Datagrams.
    Udp(Udp),
    /// Media at a controlled rate.
    Media(Box<Media>),
}

/// What the flows of a file have in common.
pub(super) struct Context<'c> {
    pub(super) layout: Option<&'c Layout>,
    pub(super) defaults: &'c TcpPatch,
    pub(super) controls: &'c Controls,
    pub(super) duration: Option<Duration>,
}

/// The keys that every flow has.
pub(super) const COMMON: [&str; 7] = [
    "name",
    "count",
    "start",
    "direction",
    "from",
    "to",
    "access",
];
/// The keys of `start` as a table.
pub(super) const START_KEYS: [&str; 1] = ["uniform"];
const EXAMPLE: &str = "[{ control = \"reno\" }]";
/// How many flows there may be, each entry's `count` included.
pub(super) const MOST_FLOWS: u64 = 100_000;
/// What `count` may be.
pub(super) const COUNT: RangeInclusive<u64> = 1..=MOST_FLOWS;
/// When a flow may start.
pub(super) const START: RangeInclusive<Duration> = Duration::ZERO..=super::LONGEST_RUN;
/// Flows that start together start within this time of each other.
const JITTER: Duration = Duration::from_millis(100);

/// Reads all tables `flow`.
pub(super) fn read(root: &Table<'_>, context: &Context<'_>) -> Option<Vec<Flow>> {
    let array = root.need("flow", "a table [[flow]] with control = \"reno\"")?;
    if array.is_table() {
        array.wrong(
            "`flow` must be an array of tables",
            "write [[flow]] with two brackets on each side",
        );
        return None;
    }
    let nodes = array.array(EXAMPLE)?;
    if nodes.is_empty() {
        array.wrong(
            "the scenario has no flow",
            "write for example [[flow]] with control = \"reno\"",
        );
    }
    let mut names = Names::new("flow");
    let mut drafts = Vec::new();
    for node in &nodes {
        drafts.push(read_one(node, context, &mut names));
    }
    let drafts: Vec<Draft<'_>> = drafts.into_iter().collect::<Option<_>>()?;
    if drafts
        .iter()
        .map(|draft| u64::from(draft.count))
        .sum::<u64>()
        > MOST_FLOWS
    {
        array.wrong(
            "there are too many flows",
            format!("a scenario has at most {MOST_FLOWS} flows, `count` included"),
        );
    }
    // Flows that say nothing start together, and jitter keeps them out of step.
    let silent: u64 = drafts
        .iter()
        .filter(|draft| draft.start.is_none())
        .map(|draft| u64::from(draft.count))
        .sum();
    let to = context
        .duration
        .map_or(JITTER, |duration| duration.min(JITTER));
    let usual = if silent > 1 {
        Start::Uniform {
            from: Duration::ZERO,
            to,
        }
    } else {
        Start::At(Duration::ZERO)
    };
    for draft in &drafts {
        check_stop(draft, draft.start.unwrap_or(usual));
    }
    let names = names.settle();
    let relays = relay::settle(&drafts, &names);
    let flow = |((draft, name), relays): ((Draft<'_>, String), _)| Flow {
        name,
        count: draft.count,
        start: draft.start.unwrap_or(usual),
        place: draft.place,
        traffic: draft.traffic,
        relays,
    };
    Some(
        drafts
            .into_iter()
            .zip(names)
            .zip(relays)
            .map(flow)
            .collect(),
    )
}

/// A flow before names and starts are settled.
pub(super) struct Draft<'d> {
    pub(super) count: u32,
    start: Option<Start>,
    pub(super) place: Place,
    pub(super) traffic: Traffic,
    stop: Option<Node<'d>>,
    pub(super) relays: Option<Wanted<'d>>,
}

fn read_one<'d>(node: &Node<'d>, context: &Context<'_>, names: &mut Names) -> Option<Draft<'d>> {
    let all: Vec<&'static str> = COMMON
        .iter()
        .chain(&tcp::KEYS)
        .chain(&[relay::KEY])
        .chain(&source::KEYS)
        .chain(&media::KEYS)
        .copied()
        .collect();
    let table = node.open(&all, "{ control = \"reno\" }")?;
    let kinds = table.present(&["control", "source", "rate_control"]);
    if let [first, second, ..] = kinds[..] {
        if let Some(node) = table.find(first) {
            node.wrong(
                format!("a flow has both `{first}` and `{second}`"),
                "a TCP flow has a `control`, a UDP flow a `source`, a flow of media a `rate_control`; keep one",
            );
        }
        return None;
    }
    let udp = kinds == ["source"];
    let tcp = !udp && kinds != ["rate_control"];
    let name = table
        .find("name")
        .map(|n| (names::read(&n, names::LONGEST), n));
    let (table, traffic) = if udp {
        read_udp(node)
    } else if kinds == ["rate_control"] {
        read_media(node)
    } else {
        read_tcp(node, context)
    }?;
    match (name, &traffic) {
        (Some((given, node)), _) => names.give(given?, &node),
        (None, Some(traffic)) => names.propose(traffic.name()),
        (None, None) => {}
    }
    let count = table.find("count").map_or(Some(1), |n| n.whole(COUNT));
    let start = table
        .find("start")
        .map(|n| read_start(&n, context.duration));
    let place = context.layout.and_then(|layout| layout.place(&table, !udp));
    if let (Some(Traffic::Tcp(tcp)), Some(layout), Some(place)) = (&traffic, context.layout, &place)
    {
        aqt::refuse_silence(tcp, &layout.topology, place, &table);
    }
    let start = match start {
        None => None,
        Some(read) => Some(read?),
    };
    let stop = if udp { table.find("stop") } else { None };
    Some(Draft {
        count: count? as u32,
        start,
        place: place?,
        traffic: traffic?,
        stop,
        relays: if tcp { Wanted::read(&table) } else { None },
    })
}

fn check_stop(draft: &Draft<'_>, start: Start) {
    let (
        Traffic::Udp(Udp {
            stop: Some(stop), ..
        }),
        Some(node),
    ) = (&draft.traffic, &draft.stop)
    else {
        return;
    };
    let late = match start {
        Start::At(start) => *stop <= start,
        Start::Uniform { to, .. } => *stop < to,
    };
    if late {
        let start = Measure::Time.show(start.latest().as_nanos());
        node.wrong(
            "the flow stops before it starts",
            format!("`stop` must be later than `start`, here up to {start}"),
        );
    }
}

/// The flow's table, opened as that of a UDP flow, and its traffic.
fn read_udp<'d>(node: &Node<'d>) -> Option<(Table<'d>, Option<Traffic>)> {
    let keys: Vec<&'static str> = COMMON.iter().chain(&source::KEYS).copied().collect();
    let table = node.table(&keys, &source::MISPLACED, EXAMPLE)?;
    let udp = source::read(&table).map(Traffic::Udp);
    Some((table, udp))
}

/// The flow's table, opened as that of a flow of media, and its traffic.
fn read_media<'d>(node: &Node<'d>) -> Option<(Table<'d>, Option<Traffic>)> {
    let keys: Vec<&'static str> = COMMON.iter().chain(&media::KEYS).copied().collect();
    let table = node.table(&keys, &media::MISPLACED, media::EXAMPLE)?;
    let media = media::read(&table).map(|media| Traffic::Media(Box::new(media)));
    Some((table, media))
}

/// The flow's table, opened as that of a TCP flow, and its traffic.
fn read_tcp<'d>(node: &Node<'d>, context: &Context<'_>) -> Option<(Table<'d>, Option<Traffic>)> {
    let keys = COMMON.iter().chain(&tcp::KEYS).chain(&[relay::KEY]);
    let keys: Vec<&'static str> = keys.copied().collect();
    let table = node.table(&keys, &tcp::MISPLACED, EXAMPLE)?;
    let patch = TcpPatch::read(&table, context.controls).over(context.defaults, &table);
    if !patch.names_control {
        table.wrong(
            "the flow has neither a `control` nor a `source` nor a `rate_control`",
            "write for example control = \"reno\" for a TCP flow, source = { cbr = \"4 Mb/s\" } for a UDP flow, or rate_control = \"tfrc\" for a flow of media",
        );
    }
    let tcp = patch.resolve(&table).map(|tcp| Traffic::Tcp(Box::new(tcp)));
    Some((table, tcp))
}

fn read_start(node: &Node<'_>, duration: Option<Duration>) -> Option<Start> {
    let example = "\"1 s\", or { uniform = [\"0 s\", \"0.1 s\"] }";
    let start = if node.is_table() {
        let table = node.table(&START_KEYS, &[], example)?;
        read_uniform(&table.need("uniform", "uniform = [\"0 s\", \"0.1 s\"]")?)?
    } else {
        Start::At(node.time(START)?)
    };
    if let Some(duration) = duration {
        let late = match start {
            Start::At(at) => at >= duration,
            Start::Uniform { to, .. } => to > duration,
        };
        if late {
            let end = Measure::Time.show(duration.as_nanos());
            node.wrong(
                "the flow starts after the end of the run",
                format!("the run ends at {end}, its `duration`"),
            );
        }
    }
    Some(start)
}

fn read_uniform(node: &Node<'_>) -> Option<Start> {
    let bounds = node.array("[\"0 s\", \"0.1 s\"]")?;
    let [from, to] = &bounds[..] else {
        node.wrong(
            "`uniform` has two times, the earliest and the latest",
            "write uniform = [\"0 s\", \"0.1 s\"]",
        );
        return None;
    };
    let from_time = from.time(START);
    let to_time = to.time(START);
    let (from, to) = (from_time?, to_time?);
    if from >= to {
        node.wrong(
            "`uniform` ends before it begins",
            "its second time must be later than the first",
        );
    }
    Some(Start::Uniform { from, to })
}

impl Start {
    /// The latest possible start.
    pub fn latest(self) -> Duration {
        match self {
            Self::At(time) => time,
            Self::Uniform { to, .. } => to,
        }
    }
}

impl Traffic {
    /// The short name of the protocol or the source, from which a flow has its default name.
    fn name(&self) -> String {
        match self {
            Self::Tcp(tcp) => {
                let usual = tcp.control.recoveries().first() == Some(&tcp.recovery.kind());
                let (control, recovery) = (tcp.control.name(), tcp.recovery.kind().name());
                if usual {
                    control.to_owned()
                } else {
                    format!("{control}-{recovery}")
                }
            }
            Self::Udp(udp) => match udp.source {
                Source::Cbr { .. } => "cbr".to_owned(),
                Source::Exponential { .. } => "exponential".to_owned(),
                Source::Pareto { .. } => "pareto".to_owned(),
            },
            Self::Media(media) => media.control.name().to_owned(),
        }
    }
}
