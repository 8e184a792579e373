//! The controls that are compared.

use dumbbell_control::controller::{Origin, Signals};
use dumbbell_scenario::controls::Controls;
use dumbbell_tcp::recovery::Kind;
use toml::{Table, Value};

use crate::description::Node;

/// A control with its default recovery.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Its name in tables.
    pub name: String,
    /// The control, as a scenario names it.
    pub control: String,
    /// Parameters of the control that differ from their defaults.
    pub parameters: Table,
    /// The recovery.
    pub recovery: &'static str,
    /// The stack, if it is not that of the path.
    pub stack: Option<&'static str>,
    /// A description in one line.
    pub summary: String,
    /// Whether it is the published algorithm of that name.
    pub origin: Origin,
    /// `ecn` of its flows, if it is not that of the path. A control that needs counts of marks brings its own.
    pub ecn: Option<Value>,
    /// Whether it needs what a path may lack: routers that report queueing delays, or a queue that marks. On a path
    /// without them it has no cells.
    pub needs_reports: bool,
    /// Whether that is a queue that marks.
    pub(super) needs_marks: bool,
}

impl Contender {
    /// Its name for readers; a reconstruction is marked with an asterisk.
    pub fn label(&self) -> String {
        match self.origin {
            Origin::Published => self.name.clone(),
            Origin::Reconstruction => format!("{} *", self.name),
        }
    }

    /// The control as a value in a scenario.
    pub(super) fn value(&self) -> Value {
        if self.parameters.is_empty() {
            return self.control.as_str().into();
        }
        let mut table = self.parameters.clone();
        table.insert("name".to_owned(), self.control.as_str().into());
        table.into()
    }

    /// Sets the control, the recovery, the stack and `ecn` in a table of TCP flows. `beside` is the other control of a shared
    /// path, from whose stack this one's may differ.
    pub(super) fn give(&self, to: &mut Table, beside: Option<&Self>) {
        to.insert("control".to_owned(), self.value());
        if self.stack != Some(QUIC) {
            to.insert("recovery".to_owned(), self.recovery.into());
        }
        let other = beside.and_then(|other| other.stack).map(|_| PLAIN);
        if let Some(stack) = self.stack.or(other) {
            to.insert("stack".to_owned(), stack.into());
        }
        if let Some(ecn) = &self.ecn {
            to.insert("ecn".to_owned(), ecn.clone());
        }
    }

    /// The meaning of the asterisk.
    pub const STAR: &str =
        "* reconstructed: made up after what others say of it, not the published scheme";

    /// NewReno, with which the others are compared.
    pub(super) fn newreno() -> Self {
        Self {
            name: "newreno".to_owned(),
            control: "reno".to_owned(),
            parameters: Table::new(),
            recovery: Kind::NewReno.name(),
            stack: None,
            summary: "Reno with the recovery NewReno: what the others are compared with".to_owned(),
            origin: Origin::Published,
            ecn: None,
            needs_reports: false,
            needs_marks: false,
        }
    }
}

/// The stack whose flows have no recovery to choose.
pub(super) const QUIC: &str = "quic";

/// The stack of NewReno beside a control that has another one.
const PLAIN: &str = "plain";

/// Reads a list of controls with parameters, which have rows beside all controls.
pub(super) fn added(nodes: &[Node<'_>], controls: &Controls) -> Option<Vec<Contender>> {
    let mut added: Vec<Contender> = Vec::new();
    for node in nodes {
        let contender = match Contender::parse(node.text()?, controls) {
            Ok(contender) => contender,
            Err(error) => {
                node.wrong(error.to_string(), "write for example \"bbr:stack=linux\"");
                return None;
            }
        };
        if added.iter().any(|other| other.name == contender.name) {
            node.wrong(
                format!("the control {} is there twice", contender.name),
                "leave it out here",
            );
            return None;
        }
        added.push(contender);
    }
    Some(added)
}

/// NewReno, and every control of the catalogue with its first recovery. A control that equals
/// NewReno with its default recovery is not listed twice.
pub(super) fn all(controls: &Controls) -> Vec<Contender> {
    let mut all = vec![Contender::newreno()];
    for control in controls.all() {
        // The catalogue accepts no control without a recovery.
        let Some(recovery) = control.recoveries().first().map(|kind| kind.name()) else {
            continue;
        };
        if (control.name(), recovery) == (&*all[0].control, all[0].recovery) {
            continue;
        }
        all.push(Contender {
            name: control.name().to_owned(),
            control: control.name().to_owned(),
            parameters: Table::new(),
            recovery,
            stack: None,
            summary: control.summary().to_owned(),
            origin: control.origin(),
            ecn: usual_ecn(&control.needs()),
            needs_reports: control.needs().queueing || control.needs().marks,
            needs_marks: control.needs().marks,
        });
    }
    all
}

/// `ecn` of the flows of a control that needs counts of marks.
fn usual_ecn(needs: &Signals) -> Option<Value> {
    let word = if needs.l4s { "l4s" } else { "accurate" };
    needs.marks.then(|| word.into())
}

/// Reads the list of controls that are left out.
pub(super) fn left_out(nodes: &[Node<'_>], controls: &Controls) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for node in nodes {
        let name = node.known("control", controls.all().iter().map(|it| it.name()))?;
        if names.iter().any(|other| other == name) {
            node.wrong(
                format!("the control {name} is there twice"),
                "leave it out here",
            );
            return None;
        }
        names.push(name.to_owned());
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_is_listed_after_newreno() {
        let controls = Controls::builtin();
        let all = all(&controls);
        let pair = |c: &Contender| (c.name.clone(), c.control.clone(), c.recovery);
        assert_eq!(pair(&all[0]), ("newreno".into(), "reno".into(), "newreno"));
        let names: Vec<&str> = all[1..].iter().map(|c| c.name.as_str()).collect();
        let known = controls.all();
        assert_eq!(names, known.iter().map(|c| c.name()).collect::<Vec<_>>());
        let with = |name: &str| all.iter().find(|c| c.name == name).map(|c| c.recovery);
        assert_eq!(with("reno"), Some("reno"));
        assert_eq!(with("vegas"), Some("vegas"));
        assert_eq!(with("cubic"), Some("sack"));
        let label = |name: &str| all.iter().find(|c| c.name == name).map(Contender::label);
        assert_eq!(label("venodb").as_deref(), Some("venodb"));
        assert_eq!(label("new-veno").as_deref(), Some("new-veno *"));
    }

    #[test]
    fn an_added_control_is_listed_too() {
        let mut controls = Controls::builtin();
        let reno = |_: &dumbbell_control::event::Path| -> Box<dyn dumbbell_control::controller::Controller + Send> {
            unreachable!("nothing runs")
        };
        controls
            .register("mine", "of my own", &[Kind::Sack, Kind::Reno], reno)
            .expect("it is free");
        let all = all(&controls);
        let mine = all.last().expect("the last");
        assert_eq!((mine.name.as_str(), mine.recovery), ("mine", "sack"));
    }
}
