//! The key `rate_control`: a rate control with its parameters.

use serde_json::Value;

use crate::controls::Controls;
use crate::document::Node;
use crate::form::Form;
use crate::form::value::{alternatives, one_word, table};
use crate::parameter::{self, NAME};
use crate::quantity::clip;
use crate::rate_controls::{GCC, RateControl};
use crate::suggest;
use crate::text::{self, quote};

/// Reads the value of `rate_control`: a name, or a table with a name and parameters.
pub(crate) fn read(node: &Node<'_>, controls: &Controls) -> Option<RateControl> {
    if !node.is_table() {
        return read_name(node, controls);
    }
    let table = node.open(&[NAME], "{ name = \"tfrc-veno\", theta1 = 0.8 }")?;
    let name = table.need(NAME, "name = \"tfrc-veno\"")?;
    let mut control = read_name(&name.called("rate_control.name"), controls)?;
    parameter::read_all(&table, &mut control);
    control.check(&table);
    Some(control)
}

fn read_name(node: &Node<'_>, controls: &Controls) -> Option<RateControl> {
    let name = node.text("\"tfrc\"")?;
    let found = controls.rate_named(name);
    if found.is_none() && name == GCC {
        node.wrong(
            "the rate control `gcc` is not built in",
            "build the command with `--features gcc`, or choose another one",
        );
    } else if found.is_none() {
        let all = controls.all_rates();
        let names: Vec<&str> = all.iter().map(RateControl::name).collect();
        node.wrong(
            format!("there is no rate control `{}`", clip(name)),
            suggest::help(name, "the rate controls are", &names),
        );
    }
    found
}

/// Returns a rate control as TOML.
pub(crate) fn write(control: &RateControl) -> String {
    let mut keys = vec![(NAME, quote(control.name()))];
    for parameter in control.parameters() {
        match control.get(parameter.name) {
            Some(value) if !control.ignores(parameter.name) => {
                keys.push((parameter.name, parameter::write(value)));
            }
            _ => {}
        }
    }
    text::table(&keys)
}

/// Returns the value of `rate_control` as a schema.
pub(crate) fn schema(controls: &Controls) -> Value {
    let all = controls.all_rates();
    let words: Vec<(&str, String)> = all.iter().map(word).collect();
    let word = one_word(&words)
        .means("the rate control: a name, or a table with `name` and its parameters")
        .ranging("")
        .needed_or("must be set in a media flow");
    alternatives(&word, all.iter().map(table_form))
}

fn word(control: &RateControl) -> (&str, String) {
    (control.name(), control.summary().to_owned())
}

/// Returns a rate control as a table in a schema.
fn table_form(control: &RateControl) -> Form {
    let name = one_word(&[word(control)])
        .means("which rate control it is")
        .ranging("")
        .needed();
    let mut forms = vec![(NAME, name)];
    for parameter in control.parameters() {
        let usual = control.get(parameter.name);
        forms.push((parameter.name, parameter::form(&parameter, usual)));
    }
    table(&forms).means(format!("`{}`, {}", control.name(), control.summary()))
}
