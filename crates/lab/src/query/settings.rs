//! The values of a scenario as paths and numbers.

use std::collections::BTreeMap;

use dumbbell_scenario::quantity::Measure;
use dumbbell_store::CODE;
use toml::Value;

/// The table of what is sampled, the last one of a canonical text.
const PROBE: &str = "\n[probe]\n";

/// A value of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number, with its unit if it has one: bit/s, s or B.
    Number(f64, Option<&'static str>),
    /// A whole number without a unit.
    Whole(u64),
    /// A word, or a list as it stands in a file.
    Text(String),
    /// Yes or no.
    Flag(bool),
}

/// Returns a canonical text without what is sampled, which changes no result of a tidy table.
pub fn unsampled(text: &str) -> &str {
    // No string in a canonical text contains a line break, so this line is the table itself.
    match text.rfind(PROBE) {
        Some(end) => &text[..end],
        None => text,
    }
}

/// Returns the values of a scenario's canonical text by their paths, as `--set` takes them:
/// `bottleneck.delay`, `flow.NAME.control`. What lists have names or numbers from 0 on, and the code
/// of a control that a program adds has the path `code.NAME`. Empty for a text that is damaged.
pub fn settings(text: &str) -> BTreeMap<String, Setting> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, code)) = line.strip_prefix(CODE).and_then(|it| it.split_once(": ")) {
            all.insert(format!("code.{name}"), Setting::Text(code.to_owned()));
        }
    }
    let Ok(table) = text.parse::<toml::Table>() else {
        return all;
    };
    for (key, value) in &table {
        // A path leaves out the table of a dumbbell.
        match (key.as_str(), value) {
            ("dumbbell", Value::Table(parts)) => {
                for (key, value) in parts {
                    flatten(word(key), value, &mut all);
                }
            }
            _ => flatten(word(key), value, &mut all),
        }
    }
    all
}

/// A word of a path, in quotes if it needs them.
fn word(key: &str) -> String {
    match key.contains(|c: char| c == '.' || c.is_whitespace()) {
        true => format!("\"{key}\""),
        false => key.to_owned(),
    }
}

fn flatten(path: String, value: &Value, all: &mut BTreeMap<String, Setting>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                flatten(format!("{path}.{}", word(key)), value, all);
            }
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_table) => {
            let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_owned);
            let names: Vec<Option<String>> = items.iter().map(name).collect();
            for (at, item) in items.iter().enumerate() {
                let own = names[at].as_ref();
                let own =
                    own.filter(|own| names.iter().flatten().filter(|it| it == own).count() == 1);
                let step = own.map_or_else(|| at.to_string(), |own| word(own));
                flatten(format!("{path}.{step}"), item, all);
            }
        }
        value => {
            all.insert(path, leaf(value));
        }
    }
}

fn leaf(value: &Value) -> Setting {
    match value {
        Value::Boolean(flag) => Setting::Flag(*flag),
        Value::Float(number) => Setting::Number(*number, None),
        Value::Integer(number) => match u64::try_from(*number) {
            Ok(number) => Setting::Whole(number),
            Err(_) => Setting::Number(*number as f64, None),
        },
        Value::String(text) => quantity(text).unwrap_or_else(|| Setting::Text(text.clone())),
        other => Setting::Text(other.to_string()),
    }
}

/// Reads a rate, a time or a size.
fn quantity(text: &str) -> Option<Setting> {
    let read = |measure: Measure| measure.read(text).ok().map(|value| value as f64);
    let rate = || Some(Setting::Number(read(Measure::Rate)?, Some("bit/s")));
    let time = || Some(Setting::Number(read(Measure::Time)? / 1e9, Some("s")));
    let size = || Some(Setting::Number(read(Measure::Size)?, Some("B")));
    rate().or_else(time).or_else(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_paths_and_units() {
        let text = "# code of mine: 1f\n\
             duration = \"90 s\"\n\
             [dumbbell]\n\
             bottleneck = { rate = \"2 Mb/s\", delay = \"5 ms\", loss = { bernoulli = 0.25 } }\n\
             [[flow]]\n\
             name = \"a b\"\n\
             control = { name = \"mine\", beta = 3 }\n\
             payload = \"1000 B\"\n\
             ecn = false\n\
             [[flow]]\n\
             values = [1, 2]\n";
        let all = settings(text);
        let expected = [
            ("bottleneck.delay", Setting::Number(0.005, Some("s"))),
            ("bottleneck.loss.bernoulli", Setting::Number(0.25, None)),
            ("bottleneck.rate", Setting::Number(2e6, Some("bit/s"))),
            ("code.mine", Setting::Text("1f".to_owned())),
            ("duration", Setting::Number(90.0, Some("s"))),
            ("flow.\"a b\".control.beta", Setting::Whole(3)),
            (
                "flow.\"a b\".control.name",
                Setting::Text("mine".to_owned()),
            ),
            ("flow.\"a b\".ecn", Setting::Flag(false)),
            ("flow.\"a b\".name", Setting::Text("a b".to_owned())),
            ("flow.\"a b\".payload", Setting::Number(1000.0, Some("B"))),
            ("flow.1.values", Setting::Text("[1, 2]".to_owned())),
        ];
        let all: Vec<(&str, Setting)> = all.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_damaged_text_has_no_values() {
        assert!(settings("duration = ").is_empty());
    }
}
