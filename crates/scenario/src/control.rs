//! The key `control`: a congestion control with its parameters.

use dumbbell_control::parameter::{Parameter, Setting};
use dumbbell_tcp::recovery::Kind as RecoveryKind;
use serde_json::Value;

use crate::controls::{Control, Controls};
use crate::document::Node;
use crate::form::Form;
use crate::form::value::{alternatives, one_word, table};
use crate::parameter::{self, NAME, Parametric};
use crate::quantity::clip;
use crate::suggest;
use crate::text::{self, quote};

/// The key in files.
pub(crate) const KEY: &str = "control";
/// A control as named in a file.
#[derive(Clone)]
pub(crate) struct Choice {
    pub(crate) control: Control,
    /// The recovery that its name implies, with that name.
    pub(crate) implied: Option<(RecoveryKind, &'static str)>,
    /// Those of the parameters [`LINUX`] that the file sets.
    set: Vec<&'static str>,
}

/// The parameters that are others in Linux: an ACK counts for all that it covers, and CUBIC's alpha stays and its windows
/// are whole.
const LINUX: [(&str, Setting); 4] = [
    ("counting", Setting::Choice("abc")),
    ("abc_limit", Setting::Count(255)),
    ("raise_alpha", Setting::Flag(false)),
    ("whole_segments", Setting::Flag(true)),
];

impl Choice {
    /// Sets the parameters as in Linux that the control has and the file does not set.
    pub(crate) fn fill_as_linux(&mut self) {
        self.fill(&LINUX);
    }

    /// Sets the parameters that suit QUIC likewise: an ACK counts for all that it covers.
    pub(crate) fn fill_as_quic(&mut self) {
        self.fill(&LINUX[..2]);
    }

    fn fill(&mut self, settings: &[(&'static str, Setting)]) {
        for &(name, setting) in settings {
            if !self.set.contains(&name) {
                let _ = self.control.set(name, setting);
            }
        }
    }
}

/// Names of protocols that mean a control and a recovery.
const PAIRS: [(&str, &str, RecoveryKind); 3] = [
    ("newreno", "reno", RecoveryKind::NewReno),
    ("sack", "reno", RecoveryKind::Sack),
    ("westwoodnr", "westwood", RecoveryKind::NewReno),
];
const EXAMPLE: &str = "\"veno\"";

/// Reads the value of `control`: a name, or a table with a name and parameters.
pub(crate) fn read(node: &Node<'_>, controls: &Controls) -> Option<Choice> {
    if !node.is_table() {
        return named(node, controls);
    }
    let table = node.open(&[NAME], "{ name = \"veno\", beta = 3 }")?;
    let name = table.need(NAME, "name = \"veno\"")?;
    let mut choice = named(&name.called("control.name"), controls)?;
    parameter::read_all(&table, &mut choice.control);
    let set = table.entries();
    let is_set = |name: &&str| set.iter().any(|(_, key, _)| key == name);
    choice.set = LINUX
        .map(|(name, _)| name)
        .into_iter()
        .filter(is_set)
        .collect();
    Some(choice)
}

impl Parametric for Control {
    fn name(&self) -> &str {
        self.name()
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.parameters().to_vec()
    }

    fn set(&mut self, name: &'static str, value: Setting) -> bool {
        self.set(name, value).is_ok()
    }
}

fn named(node: &Node<'_>, controls: &Controls) -> Option<Choice> {
    let name = node.text(EXAMPLE)?;
    let pair = PAIRS.iter().find(|(short, ..)| *short == name);
    // A control that a program added takes precedence over a pair of the same name.
    let custom = matches!(controls.named(name), Some(Control::Custom(_)));
    if let (Some(&(short, control, recovery)), false) = (pair, custom)
        && let Some(control) = controls.named(control)
    {
        return Some(Choice {
            control,
            implied: Some((recovery, short)),
            set: Vec::new(),
        });
    }
    if let Some(control) = controls.named(name) {
        return Some(Choice {
            control,
            implied: None,
            set: Vec::new(),
        });
    }
    let all = controls.all();
    let known = all.iter().map(Control::name);
    let pairs = PAIRS
        .iter()
        .filter(|(_, control, _)| controls.named(control).is_some())
        .map(|(short, ..)| *short);
    let names: Vec<&str> = known.chain(pairs).collect();
    node.wrong(
        format!("there is no congestion control `{}`", clip(name)),
        suggest::help(name, "the controls are", &names),
    );
    None
}

/// Returns a control as TOML.
pub(crate) fn write(control: &Control) -> String {
    let mut keys = vec![(NAME, quote(control.name()))];
    for parameter in control.parameters() {
        if let Some(value) = control.get(parameter.name) {
            keys.push((parameter.name, parameter::write(value)));
        }
    }
    text::table(&keys)
}

/// A control with its names, each with the recovery that the name implies.
pub(crate) struct Named {
    pub(crate) control: Control,
    pub(crate) names: Vec<(String, Option<RecoveryKind>)>,
}

/// Returns every control with its names.
pub(crate) fn all(controls: &Controls) -> Vec<Named> {
    let named = |control: Control| {
        let name = control.name().to_owned();
        let aliases = match &control {
            Control::Builtin(config) => config.aliases(),
            Control::Custom(_) => &[],
        };
        let plain = std::iter::once(name.as_str())
            .chain(aliases.iter().copied())
            .map(|name| (name.to_owned(), None));
        let pairs = PAIRS
            .iter()
            .filter(|(short, of, _)| {
                // A control that a program added takes precedence over a pair of the same name.
                *of == name && !matches!(controls.named(short), Some(Control::Custom(_)))
            })
            .map(|(short, _, recovery)| ((*short).to_owned(), Some(*recovery)));
        let names = plain.chain(pairs).collect();
        Named { control, names }
    };
    controls.all().into_iter().map(named).collect()
}

/// Returns the value of `control` as a schema.
pub(crate) fn schema(controls: &Controls) -> Value {
    let all = all(controls);
    let words: Vec<(&str, String)> = all
        .iter()
        .flat_map(|named| {
            named
                .names
                .iter()
                .map(|(name, implied)| (name.as_str(), explain(&named.control, *implied)))
        })
        .collect();
    let meaning = "the congestion control: a name, or a table with `name` and its parameters";
    let word = one_word(&words)
        .means(meaning)
        .ranging("")
        .needed_or("must be set in every TCP flow or in `[tcp]`");
    alternatives(&word, all.iter().map(table_form))
}

fn explain(control: &Control, implied: Option<RecoveryKind>) -> String {
    match implied {
        None => control.description(),
        Some(recovery) => format!(
            "control `{}` with recovery `{}`",
            control.name(),
            recovery.name()
        ),
    }
}

/// Returns a control as a table in a schema.
fn table_form(named: &Named) -> Form {
    let Named { control, names } = named;
    let words: Vec<(&str, String)> = names
        .iter()
        .map(|(name, implied)| (name.as_str(), explain(control, *implied)))
        .collect();
    let name = one_word(&words)
        .means("which control it is")
        .ranging("")
        .needed();
    let mut forms = vec![(NAME, name)];
    for parameter in control.parameters() {
        let usual = control.get(parameter.name);
        forms.push((parameter.name, parameter::form(parameter, usual)));
    }
    table(&forms).means(format!("`{}`, {}", control.name(), control.description()))
}

/// Returns the short names of a control with a recovery, for the catalogue.
pub(crate) fn short_names() -> Vec<(&'static str, String)> {
    PAIRS
        .iter()
        .map(|(short, control, recovery)| {
            let summary = format!("control {control} with recovery {}", recovery.name());
            (*short, summary)
        })
        .collect()
}
