//! The keys of flows of media.

use serde_json::Value;

use super::control::{alternatives, one_of, parameter_form};
use super::form::Form;
use super::usual::Usual;
use super::value::{size, table};
use crate::media::{FEEDBACK, OVERHEAD, SEGMENT};
use crate::rate_controls::RateControl;

/// A key of a flow of media; the silent scenario's third flow is one.
pub(super) fn key(key: &str, usual: &Usual) -> Form {
    let at = || usual.at(&format!("/flow/2/{key}"));
    match key {
        "rate_control" => Form::defined("rate_control"),
        "segment" => size(SEGMENT)
            .means("what a data packet carries: the segment size of the equation")
            .usually(at()),
        "overhead" => size(OVERHEAD)
            .means("headers of a data packet")
            .usually(at()),
        "feedback" => size(FEEDBACK)
            .means("a feedback packet on the wire")
            .usually(at()),
        _ => Form::default(),
    }
}

/// The value of `rate_control`.
pub(super) fn rate_control() -> Value {
    let all: Vec<RateControl> = RateControl::all().collect();
    let words: Vec<(&str, String)> = all.iter().map(word).collect();
    let word = one_of(&words)
        .means("the rate control: a name, or a table with `name` and its parameters")
        .ranging("")
        .needed_or("must be set in a flow of media");
    alternatives(&word, all.iter().map(parameters))
}

fn word(control: &RateControl) -> (&'static str, String) {
    (control.name(), control.scheme().summary().to_owned())
}

/// A rate control as a table.
fn parameters(control: &RateControl) -> Form {
    let known = control.parameters();
    let names = known.iter().map(|p| p.name);
    let keys: Vec<&str> = std::iter::once("name").chain(names).collect();
    table(&keys, |key| match known.iter().find(|p| p.name == key) {
        Some(parameter) => parameter_form(parameter, control.settings().get(parameter.name)),
        None => one_of(&[word(control)])
            .means("which rate control it is")
            .ranging("")
            .needed(),
    })
    .means(format!(
        "`{}`, {}",
        control.name(),
        control.scheme().summary()
    ))
}
