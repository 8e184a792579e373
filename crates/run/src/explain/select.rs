//! Selects the flows to explain.

use std::fmt;

use dumbbell_control::controller::Origin;
use dumbbell_scenario::{self as scenario, Scenario, Traffic, named_flows};

/// The most flows that a message names.
const MOST_NAMED: usize = 12;

/// Why a flow cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongFlow {
    /// There is no flow with this number or name.
    Unknown {
        /// The number or name that was requested.
        asked: String,
        /// The flows that exist.
        known: String,
    },
    /// It is a UDP flow.
    Udp(String),
    /// It is a workload of many connections.
    Workload(String),
    /// It is a media flow whose rate control names no rules.
    Media(String),
    /// The scenario has no TCP flow, and no media flow whose rate control names its rules.
    NoTcp,
}

/// Returns the positions, among a run's flows, of the flows in `asked`, each given by its number
/// (from 1) or by its name. The name of an entry of the file selects all its copies. If `asked` is
/// empty, all TCP flows are selected, and all media flows whose rate control names its rules.
///
/// # Errors
/// [`WrongFlow`] if there is no such flow, or if it has neither a window nor a rate whose rules are known.
pub fn select(scenario: &Scenario, asked: &[String]) -> Result<Vec<usize>, WrongFlow> {
    let flows: Vec<Flow<'_>> = named_flows(scenario)
        .map(|(flow, name)| Flow {
            entry: &flow.name,
            name,
            explained: match &flow.traffic {
                Traffic::Tcp(_) => true,
                Traffic::Media(media) => media.control.names_rules(),
                Traffic::Udp(_) | Traffic::Workload(_) => false,
            },
            media: matches!(flow.traffic, Traffic::Media(_)),
            workload: matches!(flow.traffic, Traffic::Workload(_)),
        })
        .collect();
    if asked.is_empty() {
        let all: Vec<usize> = (0..flows.len()).filter(|i| flows[*i].explained).collect();
        return if all.is_empty() {
            Err(WrongFlow::NoTcp)
        } else {
            Ok(all)
        };
    }
    let mut chosen = Vec::new();
    for asked in asked {
        let found = find(&flows, asked);
        if found.is_empty() {
            return Err(WrongFlow::Unknown {
                asked: asked.clone(),
                known: list(&flows),
            });
        }
        if let Some(udp) = found.iter().find(|i| !flows[**i].explained) {
            let Flow {
                name,
                media,
                workload,
                ..
            } = &flows[*udp];
            let wrong = match (*media, *workload) {
                (true, _) => WrongFlow::Media,
                (_, true) => WrongFlow::Workload,
                _ => WrongFlow::Udp,
            };
            return Err(wrong(name.clone()));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

/// The names of a run's flows, in order.
pub fn names(scenario: &Scenario) -> Vec<String> {
    named_flows(scenario).map(|(_, name)| name).collect()
}

/// Returns those controls of these flows that are reconstructions.
pub fn reconstructed<'s>(scenario: &'s Scenario, flows: &[usize]) -> Vec<&'s str> {
    let name = |(place, (flow, _)): (usize, (&'s scenario::Flow, String))| match &flow.traffic {
        Traffic::Tcp(tcp) if flows.contains(&place) => {
            (tcp.control.origin() == Origin::Reconstruction).then(|| tcp.control.name())
        }
        Traffic::Tcp(_) | Traffic::Workload(_) | Traffic::Udp(_) | Traffic::Media(_) => None,
    };
    named_flows(scenario).enumerate().filter_map(name).collect()
}

struct Flow<'s> {
    entry: &'s str,
    name: String,
    /// Whether it has a window, or a rate whose rules are known.
    explained: bool,
    media: bool,
    workload: bool,
}

fn find(flows: &[Flow<'_>], asked: &str) -> Vec<usize> {
    if let Ok(number) = asked.parse::<usize>()
        && (1..=flows.len()).contains(&number)
    {
        return vec![number - 1];
    }
    let named = |test: &dyn Fn(&Flow<'_>) -> bool| -> Vec<usize> {
        (0..flows.len()).filter(|i| test(&flows[*i])).collect()
    };
    let exact = named(&|flow| flow.name == asked);
    if exact.is_empty() {
        named(&|flow| flow.entry == asked)
    } else {
        exact
    }
}

fn list(flows: &[Flow<'_>]) -> String {
    let mut names: Vec<String> = flows
        .iter()
        .enumerate()
        .take(MOST_NAMED)
        .map(|(i, flow)| format!("{} {}", i + 1, flow.name))
        .collect();
    if flows.len() > MOST_NAMED {
        let last = &flows[flows.len() - 1];
        names.push(format!("... {} {}", flows.len(), last.name));
    }
    names.join(", ")
}

impl fmt::Display for WrongFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { asked, known } => {
                write!(f, "there is no flow `{asked}`; the flows are {known}")
            }
            Self::Udp(name) => {
                write!(f, "the flow `{name}` is UDP: it has no congestion window")
            }
            Self::Workload(name) => write!(
                f,
                "the flow `{name}` is a workload of many connections, of which none is explained; explain a flow \
                 with one connection"
            ),
            Self::Media(name) => {
                write!(
                    f,
                    "the flow `{name}` has a rate and no congestion window, and its rate control names no rules, as nada and scream \
                     do; `dumbbell run --samples` shows the components of its rate"
                )
            }
            Self::NoTcp => f.write_str(
                "the scenario has no TCP flow, and no other flow has a congestion window",
            ),
        }
    }
}

impl std::error::Error for WrongFlow {}
