//! Results as tidy tables: a row for each run and group (or flow, or link), a column for each swept
//! value and each measure.

mod links;
mod list;
pub mod means;
mod measure;
#[cfg(test)]
mod page;
mod samples;
mod schema;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use dumbbell_run::outcome::{FlowOutcome, GroupOutcome, Outcome};
use dumbbell_run::statistics::jain;

pub use self::links::LINKS;
pub use self::list::MEASURES;
pub use self::measure::{Measure, OfLink, Range};
pub use self::samples::samples;
pub use self::schema::results as schema_of_results;
use crate::table::{Builder, Cell, Head, Table, Type};

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The flows of a group together.
    Groups,
    /// A flow.
    Flows,
    /// A direction of a link.
    Links,
}

/// A tidy table in the making: runs are added one by one, and need not be kept.
#[derive(Clone, Debug)]
pub struct Tidy {
    kind: Kind,
    builder: Builder,
}

/// A group's flows and what is known of all of them together.
#[derive(Clone, Debug)]
pub struct Group<'o> {
    /// Its name.
    pub name: &'o str,
    /// The transfers and times of its flows together; `None` if the outcome does not have them.
    pub pooled: Option<&'o GroupOutcome>,
    /// Its flows.
    pub flows: Vec<&'o FlowOutcome>,
    /// Jain's index of all flows of the run.
    pub jain_all: Option<f64>,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Groups, Self::Flows, Self::Links];

    /// The name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::Flows => "flows",
            Self::Links => "links",
        }
    }

    /// The columns after the swept values and the seed.
    pub fn heads(self) -> Vec<Head> {
        let text = |name, about| Head::new(name, Type::Text, about);
        let control = text("control", "the congestion control, or `udp`");
        let recovery = text(
            "recovery",
            "the loss recovery, if it is TCP; `quic` if it is QUIC",
        );
        let mut heads = match self {
            Self::Groups => vec![
                text("group", "the name of the group"),
                Head::new("flows", Type::Whole, "the flows of the group"),
                control,
                recovery,
            ],
            Self::Flows => vec![
                text("flow", "the name of the flow"),
                text("group", "the name of its group"),
                control,
                recovery,
            ],
            Self::Links => vec![text("link", "the name of this direction of the link")],
        };
        match self {
            Self::Groups => heads.extend(MEASURES.iter().map(Measure::head)),
            Self::Flows => heads.extend(measures_of_flows().map(Measure::head)),
            Self::Links => heads.extend(LINKS.iter().map(OfLink::head)),
        }
        heads
    }
}

impl Tidy {
    /// A table without rows. `swept` describes the values that differ between runs other than the
    /// seed, which come first.
    pub fn new(kind: Kind, swept: impl IntoIterator<Item = Head>) -> Self {
        let seed = Head::new("seed", Type::Whole, "the seed of the run");
        let heads = swept.into_iter().chain([seed]).chain(kind.heads());
        let builder = Builder::new(kind.name(), heads);
        Self { kind, builder }
    }

    /// Adds the rows of a run with these swept values.
    ///
    /// # Panics
    /// If they are not as many as were described, or of other types.
    pub fn run(&mut self, swept: &[Option<Cell<'_>>], outcome: &Outcome) {
        let seed = Some(Cell::Whole(outcome.seed));
        let first = || swept.iter().copied().chain([seed]);
        match self.kind {
            Kind::Groups => {
                for group in Group::of(outcome) {
                    let control = group.joined(|flow| Some(flow.control.as_str()));
                    let recovery = group.joined(|flow| flow.recovery);
                    let own = [
                        Some(Cell::Text(group.name)),
                        Some(Cell::Whole(group.flows.len() as u64)),
                        control.as_deref().map(Cell::Text),
                        recovery.as_deref().map(Cell::Text),
                    ];
                    let values = MEASURES.iter().map(|it| it.cell(it.of_group(&group)));
                    self.builder.row(first().chain(own).chain(values));
                }
            }
            Kind::Flows => {
                for flow in &outcome.flows {
                    let own = [
                        Some(Cell::Text(&flow.name)),
                        Some(Cell::Text(&flow.group)),
                        Some(Cell::Text(&flow.control)),
                        flow.recovery.map(Cell::Text),
                    ];
                    let values = measures_of_flows().map(|it| it.cell(it.of_flow(flow)));
                    self.builder.row(first().chain(own).chain(values));
                }
            }
            Kind::Links => {
                for link in &outcome.links {
                    let own = [Some(Cell::Text(&link.name))];
                    let values = LINKS.iter().map(|it| it.cell(it.of(link)));
                    self.builder.row(first().chain(own).chain(values));
                }
            }
        }
    }

    /// The table of the runs added so far.
    pub fn table(self) -> Table {
        self.builder.table()
    }
}

/// The measures that are known of single flows.
pub fn measures_of_flows() -> impl Iterator<Item = &'static Measure> {
    MEASURES.iter().filter(|it| it.is_of_flows())
}

/// The tidy table of runs of one scenario.
pub fn table<'o>(kind: Kind, outcomes: impl IntoIterator<Item = &'o Outcome>) -> Table {
    let mut tidy = Tidy::new(kind, []);
    for outcome in outcomes {
        tidy.run(&[], outcome);
    }
    tidy.table()
}

/// Jain's index of the goodputs of all TCP and media flows of a run; `None` if there are fewer than
/// two, or none delivers anything.
pub fn jain_all(outcome: &Outcome) -> Option<f64> {
    let adapts = |flow: &&FlowOutcome| flow.recovery.is_some() || flow.control != "udp";
    fairness(outcome.flows.iter().filter(adapts))
}

/// Jain's index of these flows' goodputs; `None` if there are fewer than two, or all are 0.
fn fairness<'o>(flows: impl Iterator<Item = &'o FlowOutcome>) -> Option<f64> {
    let goodputs: Vec<f64> = flows.map(|flow| flow.goodput_bps).collect();
    (goodputs.len() > 1).then(|| jain(&goodputs)).flatten()
}

impl<'o> Group<'o> {
    /// The groups of a run, in the order of the first flow of each.
    pub fn of(outcome: &'o Outcome) -> Vec<Self> {
        let jain_all = jain_all(outcome);
        let mut groups: Vec<Self> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for flow in &outcome.flows {
            let place = *places.entry(&flow.group).or_insert(groups.len());
            if place == groups.len() {
                let pooled = outcome.groups.iter().find(|it| it.name == flow.group);
                groups.push(Self {
                    name: &flow.group,
                    pooled,
                    flows: Vec::new(),
                    jain_all,
                });
            }
            groups[place].flows.push(flow);
        }
        groups
    }

    /// The mean over the flows that have this number; `None` if none has.
    fn mean(&self, number: fn(&FlowOutcome) -> Option<f64>) -> Option<f64> {
        let numbers: Vec<f64> = self.flows.iter().filter_map(|flow| number(flow)).collect();
        (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
    }

    /// The different words of its flows, in their order; `None` if no flow has one.
    fn joined(&self, word: impl Fn(&'o FlowOutcome) -> Option<&'o str>) -> Option<String> {
        let mut words: Vec<&str> = Vec::new();
        for word in self.flows.iter().filter_map(|flow| word(flow)) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        (!words.is_empty()).then(|| words.join(" + "))
    }
}
