//! What a comparison was made with: for the reader of its page who did not make it.

use std::path::Path;

use chrono::{DateTime, Utc};
use dumbbell_live::{doctor, machine};
use dumbbell_scenario::Scenario;

use crate::exit::Exit;

/// The file, the path, the machine, the time and the command: names, and what they are.
pub fn of(file: &Path, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let now: DateTime<Utc> = std::time::SystemTime::now().into();
    let file = match file.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => file.display().to_string(),
    };
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut facts = vec![("File", file)];
    facts.extend(path(&scenario.canonical()).map(|path| ("Bottleneck", path)));
    facts.push(("Kernel", format!("Linux {}", machine::release())));
    facts.push(("Processor", processor(&cpuinfo)));
    facts.push(("Time", now.format("%Y-%m-%d %H:%M UTC").to_string()));
    facts.push(("Command", command(std::env::args())));
    facts
}

/// How exactly this machine keeps time, measured after the runs, and up to which rate it is to be believed.
pub fn timing() -> Result<String, Exit> {
    anstream::eprintln!("measuring the timing of this machine, for some eight seconds");
    Ok(format!("{} (after the runs)", doctor::measure()?.found))
}

/// The bottleneck of a dumbbell, from the text of its scenario: rate, delay, queue and losses.
fn path(scenario: &str) -> Option<String> {
    let lines = scenario.lines();
    let told = lines.filter_map(|line| line.strip_prefix("bottleneck = { "));
    let told = told.map(|keys| keys.split_once(", aqt = ").map_or(keys, |(first, _)| first));
    told.map(str::to_owned).next()
}

/// How many processors of which model.
fn processor(cpuinfo: &str) -> String {
    let values = |key: &str| {
        let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        let values = lines.filter(|(name, _)| name.trim() == key);
        values
            .map(|(_, value)| value.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let count = values("processor").len();
    match values("model name").first() {
        Some(model) => format!("{count} x {model}"),
        None => format!("{count} of unknown model"),
    }
}

/// A command as one would type it.
fn command(words: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+".contains(c);
    let words = words.map(|word| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_bottleneck() {
        let scenario = "[dumbbell]\nbottleneck = { rate = \"5 Mb/s\", delay = \"20 ms\", aqt = false, reverse = { } }\n";
        let said = "rate = \"5 Mb/s\", delay = \"20 ms\"";
        assert_eq!(path(scenario).as_deref(), Some(said));
        assert_eq!(path("[parking_lot]\n"), None);
    }

    #[test]
    fn a_processor_has_a_count_and_a_model() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Fast\n\nprocessor\t: 1\nmodel name\t: Fast\n";
        assert_eq!(processor(cpuinfo), "2 x Fast");
        assert_eq!(processor("processor: 0\n"), "1 of unknown model");
    }

    #[test]
    fn a_command_can_be_typed_again() {
        let words = ["dumbbell", "compare", "my file.toml", "--set", "it's"];
        let words = words.map(str::to_owned).into_iter();
        assert_eq!(
            command(words),
            r"dumbbell compare 'my file.toml' --set 'it'\''s'"
        );
    }
}
