//! Reads a congestion control and its parameters.

use dumbbell_control::parameter::{Kind, Parameter, Setting};
use dumbbell_control::units::{Ratio, Segments};
use dumbbell_tcp::recovery::Kind as RecoveryKind;

use super::decimal::{self, Inexact};
use super::document::Node;
use super::quantity::{Measure, clip, show_segments};
use super::suggest;
use crate::controls::{Control, Controls};

/// A control as a file names it.
#[derive(Clone)]
pub(super) struct Choice {
    pub(super) control: Control,
    /// The recovery that its name implies, and that name.
    pub(super) implied: Option<(RecoveryKind, &'static str)>,
}

/// Names of protocols that are a control and a recovery.
pub(super) const PAIRS: [(&str, &str, RecoveryKind); 3] = [
    ("newreno", "reno", RecoveryKind::NewReno),
    ("sack", "reno", RecoveryKind::Sack),
    ("westwoodnr", "westwood", RecoveryKind::NewReno),
];
const EXAMPLE: &str = "\"veno\"";

/// Reads the value of `control`: a name, or a table with a name and parameters.
pub(super) fn read(node: &Node<'_>, controls: &Controls) -> Option<Choice> {
    if !node.is_table() {
        return named(node, controls);
    }
    let example = "{ name = \"veno\", beta = 3 }";
    let table = node.open(&["name"], example)?;
    let mut choice = named(
        &table
            .need("name", "name = \"veno\"")?
            .called("control.name"),
        controls,
    )?;
    for (span, key, value) in table.entries() {
        if key == "name" {
            continue;
        }
        let known = choice
            .control
            .parameters()
            .iter()
            .find(|p| p.name == key)
            .copied();
        let Some(parameter) = known else {
            let message = format!(
                "`{}` has no parameter `{}`",
                choice.control.name(),
                clip(key)
            );
            table.wrong_at(span, message, describe(choice.control.parameters(), key));
            continue;
        };
        let Some(setting) = setting(&value, parameter.kind) else {
            continue;
        };
        if choice.control.set(parameter.name, setting).is_err() {
            value.wrong(
                format!("`{key}` is out of range"),
                format!("it is {}", range(parameter.kind)),
            );
        }
    }
    Some(choice)
}

fn named(node: &Node<'_>, controls: &Controls) -> Option<Choice> {
    let name = node.text(EXAMPLE)?;
    let pair = PAIRS.iter().find(|(short, ..)| *short == name);
    // A control that a program added under the name of a pair comes before the pair.
    let custom = matches!(controls.named(name), Some(Control::Custom(_)));
    if let (Some(&(short, control, recovery)), false) = (pair, custom)
        && let Some(control) = controls.named(control)
    {
        return Some(Choice {
            control,
            implied: Some((recovery, short)),
        });
    }
    if let Some(control) = controls.named(name) {
        return Some(Choice {
            control,
            implied: None,
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

/// The parameters that there are, each with its range and meaning.
pub(super) fn describe(parameters: &[Parameter], key: &str) -> String {
    if parameters.is_empty() {
        return "it has no parameters".to_owned();
    }
    let mut text = match suggest::nearest(key, parameters.iter().map(|p| p.name)) {
        Some(name) => format!("did you mean `{name}`? Its parameters are"),
        None => "its parameters are".to_owned(),
    };
    for parameter in parameters {
        text += &format!(
            "\n`{}`, {}: {}",
            parameter.name,
            range(parameter.kind),
            parameter.doc
        );
    }
    text
}

/// What a parameter may be, in words.
pub(super) fn range(kind: Kind) -> String {
    match kind {
        Kind::Segments(low, Segments::MAX) => {
            format!(
                "a number of segments from {}, or \"unlimited\"",
                show_segments(low.raw())
            )
        }
        Kind::Segments(low, high) => {
            format!(
                "a number of segments from {} to {}",
                show_segments(low.raw()),
                show_segments(high.raw())
            )
        }
        Kind::Duration(low, high) => {
            let show =
                |time: dumbbell_control::units::Duration| Measure::Time.show(time.as_nanos());
            format!("a time from \"{}\" to \"{}\"", show(low), show(high))
        }
        Kind::Count(low, high) => format!("a whole number from {low} to {high}"),
        Kind::Ratio(low, high) => {
            format!("a number from {} to {}", show_ratio(low), show_ratio(high))
        }
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(words) => format!("one of {}", suggest::list(words)),
    }
}

pub(super) fn setting(node: &Node<'_>, kind: Kind) -> Option<Setting> {
    let setting = match kind {
        Kind::Segments(..) => Setting::Segments(segments(node, kind)?),
        Kind::Duration(low, high) => Setting::Duration(node.time(low..=high)?),
        Kind::Count(low, high) => Setting::Count(node.whole(low.into()..=high.into())? as u32),
        Kind::Ratio(..) => Setting::Ratio(ratio(node, kind)?),
        Kind::Flag => Setting::Flag(node.flag()?),
        Kind::Choice(words) => {
            let words: Vec<(&'static str, &'static str)> =
                words.iter().map(|word| (*word, *word)).collect();
            Setting::Choice(node.word(&words)?)
        }
    };
    if !kind.admits(setting) {
        node.wrong(
            format!("`{}` is out of range", node.name()),
            format!("it is {}", range(kind)),
        );
        return None;
    }
    Some(setting)
}

/// A number of segments: a bare number, for there is only one unit of windows.
fn segments(node: &Node<'_>, kind: Kind) -> Option<Segments> {
    if node.as_text() == Some("unlimited") && matches!(kind, Kind::Segments(_, Segments::MAX)) {
        return Some(Segments::MAX);
    }
    let what = format!("a number, {}", range(kind));
    let read = node
        .decimal(&what, "3")?
        .and_then(|d| d.times_rounded(1 << 32));
    outside(node, kind, read).map(Segments::from_raw)
}

fn ratio(node: &Node<'_>, kind: Kind) -> Option<Ratio> {
    let what = range(kind);
    let read = node.decimal(&what, "0.5")?.and_then(|d| d.times(1_000_000));
    let read = read.and_then(|parts| u32::try_from(parts).map_err(|_| Inexact::TooLarge));
    outside(node, kind, read).map(Ratio::from_millionths)
}

fn outside<T>(node: &Node<'_>, kind: Kind, read: Result<T, Inexact>) -> Option<T> {
    match read {
        Ok(value) => return Some(value),
        Err(Inexact::TooFine) => {
            node.wrong(
                format!("`{}` has more than six decimals", node.name()),
                "ratios are kept in millionths",
            );
        }
        Err(_) => node.wrong(
            format!("`{}` is out of range", node.name()),
            format!("it is {}", range(kind)),
        ),
    }
    None
}

/// A ratio as a decimal number.
pub(super) fn show_ratio(ratio: Ratio) -> String {
    decimal::show(ratio.millionths().into(), 6)
}
