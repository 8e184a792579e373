//! The values of parameters of controls: how they are read, written and described.

use dumbbell_control::parameter::{Kind, Parameter, Setting};
use dumbbell_control::units::{Ratio, Segments};

use crate::decimal::{self, Inexact};
use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::{flag, number, plain, rate, time, whole};
use crate::key::json;
use crate::quantity::{Measure, clip, show_segments};
use crate::suggest;
use crate::text::{self, quote};

/// The key of the control's name in a table of parameters.
pub(crate) const NAME: &str = "name";

/// A value that has parameters, such as a control.
pub(crate) trait Parametric {
    /// Returns its name.
    fn name(&self) -> &str;
    /// Returns its parameters.
    fn parameters(&self) -> Vec<Parameter>;
    /// Sets a parameter; returns whether it has been set.
    fn set(&mut self, name: &'static str, value: Setting) -> bool;
}

/// Reads the parameters in a table, ignoring the name.
pub(crate) fn read_all(table: &Table<'_>, of: &mut impl Parametric) {
    let parameters = of.parameters();
    for (span, key, value) in table.entries() {
        if key == NAME {
            continue;
        }
        let Some(parameter) = parameters.iter().find(|p| p.name == key) else {
            let message = format!("`{}` has no parameter `{}`", of.name(), clip(key));
            table.wrong_at(span, message, describe(&parameters, key));
            continue;
        };
        let Some(setting) = read(&value, parameter.kind) else {
            continue;
        };
        if !of.set(parameter.name, setting) {
            value.wrong(
                format!("`{key}` is out of range"),
                format!("it is {}", range(parameter.kind)),
            );
        }
    }
}

/// Lists the parameters, each with its range and meaning.
fn describe(parameters: &[Parameter], key: &str) -> String {
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

/// Describes the permitted values of a parameter in words.
pub(crate) fn range(kind: Kind) -> String {
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
        Kind::Rate(low, high) => {
            let show = |rate: u32| Measure::Rate.show(rate.into());
            format!(
                "a rate from \"{}\" to \"{}\", or a whole number of bit/s",
                show(low),
                show(high)
            )
        }
        Kind::Ratio(low, high) => {
            format!("a number from {} to {}", show_ratio(low), show_ratio(high))
        }
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(words) => format!("one of {}", suggest::list(words)),
    }
}

/// Reads the value of a parameter.
fn read(node: &Node<'_>, kind: Kind) -> Option<Setting> {
    let setting = match kind {
        Kind::Segments(..) => Setting::Segments(segments(node, kind)?),
        Kind::Duration(low, high) => Setting::Duration(node.time(low..=high)?),
        Kind::Count(low, high) => Setting::Count(node.whole(low.into()..=high.into())? as u32),
        Kind::Rate(low, high) => {
            let range = low.into()..=high.into();
            let rate = match node.as_number() {
                Some(_) => node.whole(range)?,
                None => node.rate_within(range)?.0,
            };
            Setting::Count(rate as u32)
        }
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

/// Reads a number of segments. It is a plain number, because windows have only one unit.
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

/// Returns a ratio as a decimal number.
fn show_ratio(ratio: Ratio) -> String {
    decimal::show(ratio.millionths().into(), 6)
}

/// Returns the value of a parameter as TOML.
pub(crate) fn write(value: Setting) -> String {
    match value {
        Setting::Segments(Segments::MAX) => quote("unlimited"),
        Setting::Segments(segments) => show_segments(segments.raw()),
        Setting::Duration(span) => text::time(span),
        Setting::Count(count) => count.to_string(),
        Setting::Ratio(ratio) => show_ratio(ratio),
        Setting::Flag(flag) => flag.to_string(),
        Setting::Choice(word) => quote(word),
    }
}

/// Returns a parameter with its default as a schema.
pub(crate) fn form(parameter: &Parameter, usual: Option<Setting>) -> Form {
    let form = match parameter.kind {
        Kind::Segments(low, high) => segments_form(low, high),
        Kind::Duration(low, high) => time(low..=high),
        Kind::Count(low, high) => whole(low.into()..=high.into()),
        Kind::Rate(low, high) => whole(low.into()..=high.into()).or(rate()),
        Kind::Ratio(low, high) => number("")
            .rule("minimum", plain(low.as_f64()))
            .rule("maximum", plain(high.as_f64())),
        Kind::Flag => flag(),
        Kind::Choice(choices) => Form::new("string", "").rule("enum", choices),
    };
    let form = form.means(parameter.doc).ranging(range(parameter.kind));
    match usual {
        Some(setting) => form.usually(json(&write(setting))),
        None => form,
    }
}

fn segments_form(low: Segments, high: Segments) -> Form {
    let form = number("").rule("minimum", plain(low.as_f64()));
    if high == Segments::MAX {
        form.or_word("unlimited")
    } else {
        form.rule("maximum", plain(high.as_f64()))
    }
}

/// Returns the value of a parameter as it is shown in a list for people.
pub(crate) fn show(setting: Setting) -> String {
    match setting {
        Setting::Segments(segments) => segments.as_f64().to_string(),
        Setting::Duration(duration) => format!("\"{}\"", Measure::Time.show(duration.as_nanos())),
        Setting::Count(count) => count.to_string(),
        Setting::Ratio(ratio) => ratio.as_f64().to_string(),
        Setting::Flag(flag) => flag.to_string(),
        Setting::Choice(word) => format!("\"{word}\""),
    }
}
