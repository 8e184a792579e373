//! What is wrong with a question in SQL, with the nearest right name.

use dumbbell_scenario::suggest;
use rusqlite::Error;

use super::Shape;

/// Says what is wrong with a question about these tables.
pub fn explained(error: &Error, sql: &str, tables: &[Shape]) -> String {
    let message = match error {
        Error::SqlInputError { msg, offset, .. } => {
            let place = usize::try_from(*offset).ok();
            let rest = place.and_then(|place| sql.get(place..));
            match rest.filter(|rest| !rest.is_empty()) {
                Some(rest) => format!("{msg}, at `{}`", clip(rest)),
                None => msg.clone(),
            }
        }
        Error::MultipleStatement => "only one statement is computed at a time".to_owned(),
        error => error.to_string(),
    };
    match hint(&message, tables).or_else(|| word(error, sql, tables)) {
        Some(hint) => format!("{message}\nhelp: {hint}"),
        None => message,
    }
}

/// The hint for a column whose name is a word of SQL, if the mistake is at such a word.
fn word(error: &Error, sql: &str, tables: &[Shape]) -> Option<String> {
    let Error::SqlInputError { msg, offset, .. } = error else {
        return None;
    };
    if !msg.ends_with("syntax error") {
        return None;
    }
    let start = usize::try_from(*offset).ok()?;
    let (before, rest) = sql.split_at_checked(start)?;
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = |text: &str| -> String { text.chars().take_while(|c| is_inside(*c)).collect() };
    let here = word(rest);
    // After a word such as GROUP, SQLite is surprised by what follows it.
    let earlier = before.trim_end_matches(|c| !is_inside(c));
    let earlier = earlier.rsplit(|c| !is_inside(c)).next().unwrap_or_default();
    let mut columns = tables.iter().flat_map(|table| &table.heads);
    let column = columns.find(|head| {
        [&here, earlier]
            .iter()
            .any(|word| head.name.eq_ignore_ascii_case(word))
            && !is_plain(&head.name)
    })?;
    Some(format!(
        "`{0}` is a word of SQL: the column is written in double quotes, \"{0}\"",
        column.name
    ))
}

/// Whether a name can be that of a column without quotes.
fn is_plain(name: &str) -> bool {
    let database = rusqlite::Connection::open_in_memory();
    let used = database.and_then(|it| it.execute_batch(&format!("CREATE TABLE t ({name})")));
    used.is_ok()
}

/// The beginning of a text.
fn clip(text: &str) -> String {
    const MOST: usize = 30;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What would be right.
fn hint(message: &str, tables: &[Shape]) -> Option<String> {
    let after = |what: &str| {
        let name = message.strip_prefix(what)?;
        // SQLite adds advice after a name in quotes.
        let name = name.split(", at `").next().unwrap_or(name);
        Some(name.split(" - should").next().unwrap_or(name).trim())
    };
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    if let Some(wrong) = after("no such table: ") {
        return Some(suggest::help(wrong, "the tables are", &names));
    }
    if let Some(wrong) = after("no such column: ") {
        let wrong = wrong.trim_matches('"');
        let columns = tables.iter().flat_map(|table| &table.heads);
        let all: Vec<&str> = columns.map(|head| head.name.as_str()).collect();
        // With its table before it, a name may be right without.
        let short = match wrong.split_once('.') {
            Some((table, column)) if names.contains(&table) => column,
            _ => wrong,
        };
        let quoted = |name: &str| match name.contains('.') {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.to_owned(),
        };
        let folded = |name: &&&str| name.eq_ignore_ascii_case(wrong);
        if wrong.contains('.') && all.iter().any(|name| folded(&name)) {
            return Some(format!(
                "a name with dots is in quotes: `{}`",
                quoted(wrong)
            ));
        }
        let near = suggest::nearest(short, all.iter().copied());
        return Some(match near {
            Some(near) if near == short => {
                format!("`{near}` is a column of another table: without SQL, the tables are listed")
            }
            Some(near) => format!("did you mean `{}`?", quoted(near)),
            None => "without SQL, the tables and their columns are listed".to_owned(),
        });
    }
    None
}
