//! Words in messages.

use dumbbell_scenario::suggest;

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
