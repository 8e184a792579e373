//! Sets a value at a place of a document.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Place;
use super::locate::Step;
use super::sorts::sorts;
use crate::log::Log;
use crate::parameter::NAME;
use crate::quantity::clip;
use crate::{control, flow, recovery, tcp};

/// Sets the value at a place. Tables on the way are created; a name of an algorithm becomes a table
/// with that name, so that a parameter can be added to it; a sort of queue, loss or source replaces
/// another sort.
pub(crate) fn put<'d>(
    document: &mut DeTable<'d>,
    place: &Place,
    value: &Spanned<DeValue<'d>>,
    log: &Log,
) -> Option<()> {
    let mut indices = vec![None];
    if place.steps.contains(&Step::All) {
        let flows = document.get(flow::KEY).map(Spanned::get_ref);
        let count = flows.and_then(DeValue::as_array).map_or(0, |all| all.len());
        indices = (0..count).map(Some).collect();
    }
    for index in indices {
        let one = |step: &Step| match (step, index) {
            (Step::All, Some(index)) => Step::Index(index),
            (step, _) => step.clone(),
        };
        let steps: Vec<Step> = place.steps.iter().map(one).collect();
        copy_default(document, &steps);
        let putter = Putter {
            span: &place.span,
            log,
        };
        putter.set_in(document, &steps, value)?;
    }
    Some(())
}

/// A part of a default that `[tcp]` sets can be changed for one flow only in a copy of it.
fn copy_default(document: &mut DeTable<'_>, steps: &[Step]) {
    let [
        Step::Key(flow, _),
        Step::Index(index),
        Step::Key(key, _),
        _,
        ..,
    ] = steps
    else {
        return;
    };
    if flow != flow::KEY {
        return;
    }
    let defaults = document.get(tcp::KEY).map(Spanned::get_ref);
    let default = defaults.and_then(|tcp| tcp.as_table()?.get(key.as_str()).cloned());
    let flows = document.get_mut(flow::KEY).map(Spanned::get_mut);
    let Some((default, DeValue::Array(flows))) = default.zip(flows) else {
        return;
    };
    if let Some(DeValue::Table(flow)) = flows.get_mut(*index).map(Spanned::get_mut) {
        let key = Spanned::new(default.span(), Cow::Owned(key.clone()));
        flow.entry(key).or_insert(default);
    }
}

struct Putter<'p> {
    /// The position of the path.
    span: &'p Range<usize>,
    log: &'p Log,
}

impl Putter<'_> {
    fn set_in<'d>(
        &self,
        table: &mut DeTable<'d>,
        steps: &[Step],
        value: &Spanned<DeValue<'d>>,
    ) -> Option<()> {
        let (Step::Key(name, span), rest) = steps.split_first()? else {
            return None;
        };
        let key = || Spanned::new(span.clone(), Cow::Owned(name.clone()));
        if rest.is_empty() {
            // The key is that of the path, so that a mistake in it is shown there.
            table.remove(name.as_str());
            table.insert(key(), value.clone());
            return Some(());
        }
        let empty = || Spanned::new(self.span.clone(), DeValue::Table(DeTable::new()));
        let next = table.entry(key()).or_insert_with(empty);
        if let DeValue::String(word) = next.get_ref() {
            let word = word.clone();
            if let Some(promoted) = promoted(name, word, next.span()) {
                *next = Spanned::new(self.span.clone(), DeValue::Table(promoted));
            }
        }
        if let (DeValue::Table(of), Some(Step::Key(sort, _))) = (next.get_mut(), rest.first()) {
            remove_others(of, name, sort);
        }
        self.set_below(next, steps, value)
    }

    /// Sets the value below a key, the first of the steps.
    fn set_below<'d>(
        &self,
        at: &mut Spanned<DeValue<'d>>,
        steps: &[Step],
        value: &Spanned<DeValue<'d>>,
    ) -> Option<()> {
        let rest = &steps[1..];
        match (at.get_mut(), rest.first()) {
            (DeValue::Table(table), _) => self.set_in(table, rest, value),
            (DeValue::Array(elements), Some(Step::Index(index))) => {
                let element = elements.get_mut(*index)?;
                if rest.len() == 1 {
                    *element = value.clone();
                    return Some(());
                }
                self.set_below(element, rest, value)
            }
            _ => {
                let first = match &steps[0] {
                    Step::Key(name, _) => name.as_str(),
                    Step::Index(_) | Step::All => "an element of a list",
                };
                let below = match rest.first() {
                    Some(Step::Key(name, span)) => (clip(name), span.clone()),
                    _ => (String::new(), self.span.clone()),
                };
                self.log.note(
                    below.1,
                    format!("`{first}` is a single value, which has no `{}`", below.0),
                    format!("set `{first}` itself, or leave `.{}` out", below.0),
                );
                None
            }
        }
    }
}

/// The table that a word stands for, as the value of this key; `None` if it stands for none.
fn promoted<'d>(key: &str, word: Cow<'d, str>, span: Range<usize>) -> Option<DeTable<'d>> {
    let mut table = DeTable::new();
    if [control::KEY, recovery::KEY, flow::RATE_CONTROL].contains(&key) {
        let name = Spanned::new(span.clone(), Cow::Borrowed(NAME));
        table.insert(name, Spanned::new(span, DeValue::String(word)));
    } else if sorts(key).is_none() || key == flow::SOURCE {
        return None;
    }
    Some(table)
}

/// Removes the other sorts from a table that can have only one of them.
fn remove_others(table: &mut DeTable<'_>, of: &str, sort: &str) {
    let Some(sorts) = sorts(of).filter(|sorts| sorts.contains(&sort)) else {
        return;
    };
    let others: Vec<String> = table
        .keys()
        .map(|key| key.get_ref().to_string())
        .filter(|key| sorts.contains(&key.as_str()) && key != sort)
        .collect();
    for other in others {
        table.remove(other.as_str());
    }
}
