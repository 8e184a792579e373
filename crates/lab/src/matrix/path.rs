//! A path: a network with its flows.

use std::path::{self as file, PathBuf};

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Scenario, Traffic};
use toml::{Table, Value};

use super::task::Role;
use super::{Contender, flows, route};
use crate::description::{Malformed, Node, is_word};
use crate::experiment::set_key;

/// The name in files for all paths together.
pub(super) const OVERALL: &str = "overall";

/// A column of the matrix.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its name in files.
    pub name: String,
    /// Its name in tables.
    pub label: String,
    /// A description.
    pub about: String,
    /// The figure whose network it uses, or the file of its scenario.
    pub figure: String,
    /// The payload that the bottleneck can carry, in bit/s; with several in a row, that of the slowest.
    pub capacity_bps: f64,
    /// The links in whose queues packets wait, by their names in results.
    pub links: Vec<String>,
    /// The number of flows when all have the same control.
    pub flows: usize,
    /// The number of flows when half of them use NewReno.
    pub pairs: usize,
    pub(super) own: Table,
    pub(super) shared: Option<Table>,
    /// The folder of the traces that its scenarios may name.
    pub(super) folder: Option<PathBuf>,
}

/// Reads a path; `scenario` returns the text of a scenario by its name. With a `folder`, in which the
/// scenarios may name traces, it is one's own: its flows may have controls, which are replaced, and
/// need not come in pairs.
pub(super) fn read<T: AsRef<str>>(
    node: &Node<'_>,
    scenario: &impl Fn(&str) -> Option<T>,
    folder: Option<&file::Path>,
) -> Option<Path> {
    let keys = node.keys("a path")?;
    let name = keys.text("name", "\"single\"");
    let keys = keys.called(name.as_ref().map(|name| format!("the path {name}")));
    let (label, about) = (
        keys.text("label", "\"one flow\""),
        keys.text("about", "\"One flow.\""),
    );
    let figure = keys.text_if_any("figure");
    let set = keys
        .find("set")
        .map_or(Some(Table::new()), |node| node.table());
    let own = keys.need("flows", "\"venodb/single\"");
    let pairs = keys.find("pairs");
    let named = keys.texts("links");
    keys.done();
    let name = name?;
    let wrong = |key, what: String| {
        let what = format!("the path {name}: {what}");
        node.part(key).unwrap_or(node.clone()).wrong(what, SEE);
    };
    if !is_word(&name) || name == OVERALL {
        wrong(
            "name",
            "a name has the letters a to z, digits and hyphens".to_owned(),
        );
        return None;
    }
    let set = set?;
    let own = own?;
    let figure = match figure.as_str() {
        "" => own.text()?.to_owned(),
        _ => figure,
    };
    let of = |file: Node<'_>| {
        let table = network(file.text()?, &set, folder.is_some(), scenario);
        table
            .map_err(|what| file.wrong(format!("the path {name}: {what}"), SEE))
            .ok()
    };
    let own = of(own)?;
    let shared = match pairs {
        Some(file) => Some(of(file)?),
        None if folder.is_some() => flows::shared(&own),
        None => None,
    };
    let mut path = Path {
        label: label?,
        about: about?,
        figure,
        capacity_bps: 0.0,
        links: Vec::new(),
        flows: 0,
        pairs: 0,
        own,
        shared,
        folder: folder.map(file::Path::to_owned),
        name: name.clone(),
    };
    match path.measure(&named) {
        Ok(()) => Some(path),
        Err(what) => {
            let key = if named.is_empty() { "flows" } else { "links" };
            wrong(key, what);
            None
        }
    }
}

/// The advice for mistakes in a path.
const SEE: &str = "docs/reproduce.md, \"The matrix\", says which keys there are, and what a scenario has to be like";

/// The scenario of a path, without controls.
fn network<T: AsRef<str>>(
    file: &str,
    set: &Table,
    is_own: bool,
    scenario: &impl Fn(&str) -> Option<T>,
) -> Result<Table, String> {
    let text = scenario(file).ok_or_else(|| format!("no scenario `{file}`"))?;
    let mut table: Table = text.as_ref().parse().map_err(|e| format!("{file}: {e}"))?;
    for (key, value) in set {
        if set_key(&mut table, key, value.clone()).is_none() {
            return Err(format!("{file} has no key `{key}` to set"));
        }
    }
    match is_own {
        true => flows::prepare(&mut table),
        false => flows::check(&table).map_err(|what| format!("{file}: {what}"))?,
    }
    Ok(table)
}

impl Path {
    /// Determines its bottlenecks, which are the named links or the default ones, and counts its
    /// flows.
    pub(super) fn measure(&mut self, named: &[String]) -> Result<(), String> {
        flows::check_pairs(self.table(Role::Mixed))?;
        let newreno = Contender::newreno();
        let controls = Controls::builtin();
        let scenario = |role| {
            let scenario = self.scenario(&newreno, role, &controls);
            scenario.map_err(|error| error.to_string())
        };
        let (own, shared) = (scenario(Role::Flows)?, scenario(Role::Mixed)?);
        let (links, rate) = route::links(&own, named)?;
        let payload = payload(&own).ok_or("there is no TCP flow")?;
        self.capacity_bps = rate * payload;
        self.links = links;
        self.flows = tcp_flows(&own);
        self.pairs = tcp_flows(&shared);
        Ok(())
    }

    /// Whether runs of this role give results that those of the other roles do not.
    pub(super) fn wants(&self, role: Role) -> bool {
        role != Role::Pairs || self.flows == 1
    }

    /// Whether the control can run on it.
    pub(super) fn takes(&self, contender: &Contender, controls: &Controls) -> bool {
        if !contender.needs_reports {
            return true;
        }
        let scenario = self.scenario(contender, Role::Flows, controls);
        scenario.is_ok_and(|scenario| !contender.needs_marks || route::marks(&scenario))
    }

    /// The scenario of a run.
    pub(super) fn scenario(
        &self,
        contender: &Contender,
        role: Role,
        controls: &Controls,
    ) -> Result<Scenario, Malformed> {
        let mut table = self.table(role).clone();
        let mut newreno = Contender::newreno();
        if let Some(tcp) = table.get_mut("tcp").and_then(Value::as_table_mut) {
            if contender.ecn.is_some() {
                // NewReno keeps the path's.
                newreno.ecn = Some(tcp.get("ecn").cloned().unwrap_or(Value::Boolean(false)));
            }
            contender.give(tcp, None);
        }
        if role == Role::Mixed {
            for flow in flows::transfers(&mut table).step_by(2) {
                newreno.give(flow, Some(contender));
            }
        }
        let name = format!("{}, {}", self.name, role.name());
        let text = table.to_string();
        let read = match &self.folder {
            Some(folder) => Scenario::parse_in(folder, &name, &text, controls),
            None => Scenario::parse(&name, &text, controls),
        };
        read.map_err(Malformed::Text)
    }

    fn table(&self, role: Role) -> &Table {
        match (role, &self.shared) {
            (Role::Pairs | Role::Mixed, Some(shared)) => shared,
            _ => &self.own,
        }
    }
}

/// The fraction of the bytes on the wire that is payload.
fn payload(scenario: &Scenario) -> Option<f64> {
    let tcp = scenario.flows.iter().find_map(|flow| match &flow.traffic {
        Traffic::Tcp(tcp) => Some(tcp),
        Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => None,
    })?;
    let (payload, header) = (tcp.payload.0 as f64, tcp.header.0 as f64);
    Some(payload / (payload + header))
}

fn tcp_flows(scenario: &Scenario) -> usize {
    let of = |flow: &dumbbell_scenario::Flow| match flow.traffic {
        Traffic::Tcp(_) => flow.count as usize,
        Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => 0,
    };
    scenario.flows.iter().map(of).sum()
}
