//! Words in messages.

use dumbbell_scenario::suggest;
use pyo3::prelude::*;

/// How many names a message lists.
const MOST_NAMED: usize = 12;

/// What to say behind a wrong name: the nearest right one or, if none is near and there are few, all.
pub fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match suggest::nearest(wrong, names.iter().copied()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.len() <= MOST_NAMED => format!("; there are: {}", suggest::list(&names)),
        None => String::new(),
    }
}

/// A value as a message shows it: short.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|it| it.to_string());
    let text = text.unwrap_or_else(|_| "a value without a `repr`".to_owned());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
