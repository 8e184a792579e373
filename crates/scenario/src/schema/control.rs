//! Congestion controls with their parameters, and loss recoveries with their choices.

use dumbbell_control::parameter::{Kind, Parameter, Setting};
use dumbbell_control::units::Segments;
use dumbbell_tcp::recovery::{Kind as RecoveryKind, PartialAckTimer};
use serde_json::{Value, json};

use super::form::Form;
use super::usual::Usual;
use super::value::{flag, number, plain, table, time, whole, words};
use crate::control::{PAIRS, range};
use crate::controls::{Control, Controls};
use crate::recovery::{self, EXITS, TIMERS};
use crate::{Exit, canonical};

/// A control and the names that lead to it, each with the recovery that the name implies.
pub(super) struct Named {
    pub(super) control: Control,
    pub(super) names: Vec<(String, Option<RecoveryKind>)>,
}

/// Every control with its names.
pub(super) fn all(controls: &Controls) -> Vec<Named> {
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
                // A control of a program's own comes before a pair of the same name.
                *of == name && !matches!(controls.named(short), Some(Control::Custom(_)))
            })
            .map(|(short, _, recovery)| ((*short).to_owned(), Some(*recovery)));
        let names = plain.chain(pairs).collect();
        Named { control, names }
    };
    controls.all().into_iter().map(named).collect()
}

/// The value of `control`.
pub(super) fn control(controls: &Controls) -> Value {
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
    let word = one_of(&words)
        .means(meaning)
        .ranging("")
        .needed_or("must be set in every TCP flow or in `[tcp]`");
    alternatives(&word, all.iter().map(parameters))
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

/// A word or one of some tables. Each is a schema of its own, so that an editor knows which keys
/// go together.
pub(super) fn alternatives(word: &Form, tables: impl Iterator<Item = Form>) -> Value {
    let word = word.schema();
    let mut forms = vec![word.clone()];
    forms.extend(tables.map(|table| table.schema()));
    json!({ "description": word["description"], "anyOf": forms })
}

pub(super) fn one_of(explained: &[(&str, String)]) -> Form {
    let indexed: Vec<(&str, usize)> = explained
        .iter()
        .enumerate()
        .map(|(i, (word, _))| (*word, i))
        .collect();
    words(&indexed, |i| explained[i].1.clone())
}

/// A control as a table.
fn parameters(named: &Named) -> Form {
    let Named { control, names } = named;
    let keys: Vec<&str> = std::iter::once("name")
        .chain(control.parameters().iter().map(|p| p.name))
        .collect();
    let words: Vec<(&str, String)> = names
        .iter()
        .map(|(name, implied)| (name.as_str(), explain(control, *implied)))
        .collect();
    table(&keys, |key| {
        let known = control.parameters().iter().find(|p| p.name == key);
        match known {
            Some(parameter) => parameter_form(parameter, control.get(parameter.name)),
            None => one_of(&words)
                .means("which control it is")
                .ranging("")
                .needed(),
        }
    })
    .means(format!("`{}`, {}", control.name(), control.description()))
}

pub(super) fn parameter_form(parameter: &Parameter, usual: Option<Setting>) -> Form {
    let form = match parameter.kind {
        Kind::Segments(low, high) => segments(low, high),
        Kind::Duration(low, high) => time(low..=high),
        Kind::Count(low, high) => whole(low.into()..=high.into()),
        Kind::Ratio(low, high) => number("")
            .rule("minimum", plain(low.as_f64()))
            .rule("maximum", plain(high.as_f64())),
        Kind::Flag => flag(),
        Kind::Choice(choices) => Form::new("string", "").rule("enum", choices),
    };
    let form = form.means(parameter.doc).ranging(range(parameter.kind));
    match usual {
        Some(setting) => form.usually(value(setting)),
        None => form,
    }
}

fn segments(low: Segments, high: Segments) -> Form {
    let form = number("").rule("minimum", plain(low.as_f64()));
    if high == Segments::MAX {
        form.or_word("unlimited")
    } else {
        form.rule("maximum", plain(high.as_f64()))
    }
}

/// A setting as a file has it: its plain values are those of JSON.
fn value(setting: Setting) -> Value {
    serde_json::from_str(&canonical::setting(setting)).unwrap_or_default()
}

/// The value of `recovery`.
pub(super) fn recovery(usual: &Usual) -> Value {
    let kinds: Vec<(&str, RecoveryKind)> = RecoveryKind::ALL
        .into_iter()
        .map(|kind| (kind.name(), kind))
        .collect();
    let word = words(&kinds, |kind| kind.summary().to_owned())
        .means("the loss recovery: a name, or a table with `name` and its choices")
        .ranging("")
        .otherwise("the control's usual one");
    alternatives(&word, kinds.iter().map(|(_, kind)| choices(*kind, usual)))
}

/// A recovery as a table.
fn choices(kind: RecoveryKind, usual: &Usual) -> Form {
    let at = |key: &str| usual.at(&format!("/flow/0/recovery/{key}"));
    table(recovery::keys(kind), |key| match key {
        "name" => one_of(&[(kind.name(), kind.summary().to_owned())])
            .means("which recovery it is")
            .ranging("")
            .needed(),
        "careful" => flag()
            .means("after an episode, duplicates count only above what was outstanding at its beginning")
            .ranging("")
            .usually(at(key)),
        "exit_growth" => flag()
            .means("the ACK that ends an episode lets the window grow, too, as in ns-2; not with RFC 5681")
            .ranging("")
            .usually(at(key)),
        "timer" => words(&TIMERS, |timer| match timer {
            PartialAckTimer::Impatient => "the first of an episode".to_owned(),
            PartialAckTimer::SlowButSteady => "each".to_owned(),
        })
        .means("the partial ACKs that restart the retransmission timer")
        .usually(at(key)),
        "exit" => words(&EXITS, |exit| match exit {
            Exit::Ssthresh => "ssthresh".to_owned(),
            Exit::Flight => "min(ssthresh, max(flight, 1) + 1)".to_owned(),
        })
        .means("the window at the end of an episode (RFC 6582, section 3.2, step 3)")
        .usually(at(key)),
        _ => Form::default(),
    })
    .means(format!("`{}`, {}", kind.name(), kind.summary()))
}
