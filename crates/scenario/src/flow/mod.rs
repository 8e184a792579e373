//! Flows: what they send, between which hosts, and when.

mod codepoint;
mod media;
mod queueing;
mod relay;
mod schema;
mod start;
mod udp;
mod writing;

use dumbbell_control::units::Duration;
use dumbbell_sim::Ecn;

use crate::control;
use crate::controls::Controls;
use crate::document::{Node, Table};
use crate::form::{Form, range};
use crate::key::{Key, Shape, Whole};
use crate::names::{self, Names};
use crate::place::Place;
use crate::quantity::Measure;
use crate::tcp::{self, Size, Tcp, TcpPatch};
use crate::text::{Lines, quote};
use crate::topology::{Layout, Topology};
use crate::workload::{self, Application, Workload};
use relay::{Candidate, Wanted};

pub use media::Media;
pub use start::Start;
pub use udp::Udp;
pub use writing::Writing;

pub(crate) use media::KIND as RATE_CONTROL;
pub(crate) use relay::KEY as RELAYS;
pub(crate) use schema::{form, has_traffic, rules_of_defaults};
pub(crate) use udp::KIND as SOURCE;

/// One flow, or `count` flows of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name, different from that of any other flow entry.
    pub name: String,
    /// The group, if it is not one of the entry's own: see [`Flow::group`].
    pub group: Option<String>,
    /// The number of flows, 1 to 100,000.
    pub count: u32,
    /// When each starts.
    pub start: Start,
    /// Where they run. Each flow has its own hosts and access links, if the topology has access links.
    pub place: Place,
    /// The ECN codepoint of the packets of a UDP or media flow; `None` if nothing is said.
    pub codepoint: Option<Ecn>,
    /// What they send.
    pub traffic: Traffic,
    /// The index of the flow whose deliveries these flows forward; copy n relays copy n.
    pub relays: Option<usize>,
    /// What the application of a TCP flow writes, and until when; of other flows
    /// [`Writing::WITHOUT_LIMIT`].
    pub writing: Writing,
}

/// What a flow sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// A TCP connection.
    Tcp(Box<Tcp>),
    /// TCP connections that come and go.
    Workload(Box<Workload>),
    /// Datagrams.
    Udp(Udp),
    /// Media at a controlled rate.
    Media(Box<Media>),
}

/// The context that all flows of a file share.
pub(crate) struct Context<'c> {
    pub(crate) layout: Option<&'c Layout>,
    pub(crate) defaults: &'c TcpPatch,
    pub(crate) controls: &'c Controls,
    pub(crate) duration: Option<Duration>,
}

/// The keys that every flow has.
const COMMON: [&str; 9] = [
    "name",
    GROUP,
    "count",
    start::KEY,
    "direction",
    "from",
    "to",
    "access",
    codepoint::KEY,
];
/// The key in files.
pub(crate) const KEY: &str = "flow";
/// The key of the group.
const GROUP: &str = "group";
const EXAMPLE: &str = "[{ control = \"reno\" }]";
/// The largest number of flows, with each entry's `count` included.
const MOST_FLOWS: u64 = 100_000;

fn count() -> Key<Whole> {
    Whole(1..=MOST_FLOWS).usually(1, |form| {
        form.means("how many flows of this kind").ranging(format!(
            "{}, also for all flows together",
            range::of_numbers(&(1..=MOST_FLOWS))
        ))
    })
}

/// The kinds of flows, each determined by the key that selects it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tcp,
    Udp,
    Media,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Tcp, Self::Udp, Self::Media];

    const fn key(self) -> &'static str {
        match self {
            Self::Tcp => control::KEY,
            Self::Udp => udp::KIND,
            Self::Media => media::KIND,
        }
    }

    /// Returns the keys of other kinds that flows of this kind may have, too.
    fn shared(self) -> &'static [&'static str] {
        match self {
            Self::Tcp => &[udp::KIND, udp::STOP],
            Self::Udp | Self::Media => &[],
        }
    }

    /// Returns the keys that flows of this kind have, apart from the shared ones.
    fn keys(self) -> Vec<&'static str> {
        match self {
            Self::Tcp => [tcp::KEYS, &[relay::KEY], workload::KEYS].concat(),
            Self::Udp => udp::KEYS.to_vec(),
            Self::Media => media::KEYS.to_vec(),
        }
    }

    /// Returns these keys as schemas.
    fn forms(self) -> Vec<(&'static str, Form)> {
        match self {
            Self::Tcp => {
                let forms = tcp::forms().into_iter();
                let forms = forms.map(|(key, form)| (key, form.unless("`[tcp]` says otherwise")));
                let forms = forms.chain([(relay::KEY, relay::form())]);
                forms.chain(workload::forms()).collect()
            }
            Self::Udp => udp::forms(),
            Self::Media => media::forms(),
        }
    }

    /// Reads a flow of this kind; returns its table and its traffic.
    fn read<'d>(
        self,
        node: &Node<'d>,
        context: &Context<'_>,
    ) -> Option<(Table<'d>, Option<Traffic>)> {
        let keys = [&COMMON[..], &self.keys(), self.shared()].concat();
        Some(match self {
            Self::Tcp => {
                let table = node.table(&keys, &tcp::MISPLACED, EXAMPLE)?;
                let traffic = read_tcp(&table, context);
                (table, traffic)
            }
            Self::Udp => {
                let table = node.table(&keys, &udp::MISPLACED, EXAMPLE)?;
                let udp = udp::read(&table);
                (table, udp.map(Traffic::Udp))
            }
            Self::Media => {
                let table = node.table(&keys, &media::MISPLACED, media::EXAMPLE)?;
                let media = media::read(&table, context.controls);
                (table, media.map(|media| Traffic::Media(Box::new(media))))
            }
        })
    }
}

/// Returns whether flows of some kind have this key.
pub(crate) fn is_key(name: &str) -> bool {
    COMMON.contains(&name) || Kind::ALL.iter().any(|kind| kind.keys().contains(&name))
}

/// The width of the interval in which flows without a start time begin.
const JITTER: Duration = Duration::from_millis(100);

/// Reads all `flow` tables.
pub(crate) fn read(root: &Table<'_>, context: &Context<'_>) -> Option<Vec<Flow>> {
    let array = root.need(KEY, "a table [[flow]] with control = \"reno\"")?;
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
    // Flows without a start time begin almost together; jitter prevents synchronisation.
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
        writing::refuse_relay(draft);
    }
    let names = names.settle();
    let candidates: Vec<Candidate<'_, '_>> = drafts.iter().map(Draft::candidate).collect();
    let relays = relay::settle(&candidates, &names);
    let flow = |((draft, name), relays): ((Draft<'_>, String), _)| Flow {
        group: draft.group.filter(|group| *group != name),
        name,
        count: draft.count,
        start: draft.start.unwrap_or(usual),
        place: draft.place,
        codepoint: draft.codepoint,
        traffic: draft.traffic,
        relays,
        writing: draft.writing,
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

/// A flow before names and start times are determined.
struct Draft<'d> {
    group: Option<String>,
    count: u32,
    start: Option<Start>,
    place: Place,
    codepoint: Option<Ecn>,
    traffic: Traffic,
    writing: Writing,
    stop: Option<Node<'d>>,
    relays: Option<Wanted<'d>>,
}

impl<'d> Draft<'d> {
    fn candidate(&self) -> Candidate<'_, 'd> {
        Candidate {
            count: self.count,
            place: &self.place,
            unlimited: match &self.traffic {
                Traffic::Tcp(tcp) => tcp.size == Size::Unlimited,
                Traffic::Workload(_) | Traffic::Udp(_) | Traffic::Media(_) => true,
            },
            connects: matches!(self.traffic, Traffic::Workload(_)),
            relays: self.relays.as_ref(),
        }
    }
}

fn read_one<'d>(node: &Node<'d>, context: &Context<'_>, names: &mut Names) -> Option<Draft<'d>> {
    let kind = read_kind(node)?;
    let common = node.open(&["name"], "")?;
    let name = common
        .find("name")
        .map(|n| (names::read(&n, names::LONGEST), n));
    let (table, traffic) = kind.read(node, context)?;
    match (name, &traffic) {
        (Some((given, node)), _) => names.give(given?, &node),
        (None, Some(traffic)) => names.propose(traffic.name()),
        (None, None) => {}
    }
    let group = table.find(GROUP).map_or(Some(None), |n| {
        names::read(&n, names::LONGEST).map(|group| Some(group.to_owned()))
    });
    let count = count().read(&table, "count");
    let start = table
        .find(start::KEY)
        .map_or(Some(None), |n| start::read(&n, context.duration).map(Some));
    let codepoint = codepoint::read(&table, kind);
    let acks = kind != Kind::Udp;
    let place = context.layout.and_then(|layout| layout.place(&table, acks));
    if let (Some(tcp), Some(layout), Some(place)) = (
        traffic.as_ref().and_then(Traffic::tcp),
        context.layout,
        &place,
    ) {
        queueing::refuse_silence(tcp, &layout.topology, place, &table);
    }
    let writing = match (kind, &traffic) {
        (Kind::Tcp, Some(traffic)) => Writing::read(&table, traffic),
        (Kind::Tcp | Kind::Udp | Kind::Media, _) => Some(Writing::WITHOUT_LIMIT),
    };
    Some(Draft {
        group: group?,
        start: start?,
        count: count?,
        place: place?,
        codepoint: codepoint?,
        traffic: traffic?,
        writing: writing?,
        stop: match kind {
            Kind::Udp | Kind::Tcp => table.find(udp::STOP),
            Kind::Media => None,
        },
        relays: match kind {
            Kind::Tcp => Wanted::read(&table),
            Kind::Udp | Kind::Media => None,
        },
    })
}

/// Returns the kind of a flow: TCP if no key determines it.
fn read_kind(node: &Node<'_>) -> Option<Kind> {
    let keys = Kind::ALL.map(Kind::key);
    let table = node.open(&keys, "{ control = \"reno\" }")?;
    let mut kinds = Kind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, table.find(kind.key())?)));
    let first = kinds.next();
    // A source beside a control is the application of a TCP flow.
    if table.present(&[control::KEY, udp::KIND]).len() == 2 && table.find(media::KIND).is_none() {
        return Some(Kind::Tcp);
    }
    if let (Some((first, node)), Some((second, _))) = (&first, kinds.next()) {
        node.wrong(
            format!(
                "a flow has both `{}` and `{}`",
                first.key(),
                second.key()
            ),
            "a TCP flow has a `control`, a UDP flow a `source`, a media flow a `rate_control`, and an `encoder` if it carries frames; keep one",
        );
        return None;
    }
    Some(first.map_or(Kind::Tcp, |(kind, _)| kind))
}

fn check_stop(draft: &Draft<'_>, start: Start) {
    let stop = match &draft.traffic {
        Traffic::Udp(udp) => udp.stop,
        Traffic::Tcp(_) | Traffic::Workload(_) | Traffic::Media(_) => draft.writing.stop,
    };
    let (Some(stop), Some(node)) = (stop, &draft.stop) else {
        return;
    };
    let late = match start {
        Start::At(start) => stop <= start,
        Start::Uniform { to, .. } => stop < to,
    };
    if late {
        let start = Measure::Time.show(start.latest().as_nanos());
        node.wrong(
            "the flow stops before it starts",
            format!("`stop` must be later than `start`, here up to {start}"),
        );
    }
}

fn read_tcp(table: &Table<'_>, context: &Context<'_>) -> Option<Traffic> {
    let patch = TcpPatch::read(table, context.controls).over(context.defaults, table);
    if !patch.names_control {
        table.wrong(
            "the flow has neither a `control` nor a `source` nor a `rate_control`",
            "write for example control = \"reno\" for a TCP flow, source = { cbr = \"4 Mb/s\" } for a UDP flow, or rate_control = \"tfrc\" for a media flow",
        );
    }
    let application = Application::read(table);
    let tcp = patch.resolve(table)?;
    match application {
        Some(application) => Workload::new(tcp, application, table)
            .map(|workload| Traffic::Workload(Box::new(workload))),
        // A wrong application is a mistake that has been recorded.
        None => Some(Traffic::Tcp(Box::new(tcp))),
    }
}

impl Traffic {
    /// Returns the parameters of its TCP connections, if it has any.
    pub fn tcp(&self) -> Option<&Tcp> {
        match self {
            Self::Tcp(tcp) => Some(tcp),
            Self::Workload(workload) => Some(&workload.tcp),
            Self::Udp(_) | Self::Media(_) => None,
        }
    }

    /// Returns the short name of the protocol or the source, which is the flow's default name.
    fn name(&self) -> String {
        match self {
            Self::Workload(workload) => workload.application.key().to_owned(),
            Self::Tcp(tcp) if tcp.is_quic() => format!("{}-quic", tcp.control.name()),
            Self::Tcp(tcp) => {
                let usual = tcp.control.recoveries().first() == Some(&tcp.recovery.kind());
                let (control, recovery) = (tcp.control.name(), tcp.recovery.kind().name());
                if usual {
                    control.to_owned()
                } else {
                    format!("{control}-{recovery}")
                }
            }
            Self::Udp(udp) => udp.source.key().to_owned(),
            Self::Media(media) => media.control.name().to_owned(),
        }
    }
}

impl Flow {
    /// Returns the name of the group to which these flows belong in results: their own name, unless the
    /// file sets another one. Several entries may belong to one group.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(&self.name)
    }

    /// Writes a flow of a network with this topology.
    pub(crate) fn write(&self, topology: &Topology, out: &mut Lines) {
        out.head("[[flow]]");
        out.set("name", quote(&self.name));
        if let Some(group) = &self.group {
            out.set(GROUP, quote(group));
        }
        out.set("count", count().write(&self.count));
        out.set(start::KEY, start::write(self.start));
        topology.write_place(&self.place, out);
        codepoint::write(self.codepoint, out);
        match &self.traffic {
            Traffic::Tcp(tcp) => tcp.write(out),
            Traffic::Workload(workload) => workload.write(out),
            Traffic::Udp(udp) => udp.write(out),
            Traffic::Media(media) => media.write(out),
        }
        self.writing.write(out);
    }
}
