//! The reference of the format: its examples are valid, its messages are real, and it explains every
//! key.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

const REFERENCE: &str = include_str!("../../../../docs/scenario.md");

/// Returns the code blocks in a language, each with the number of its first line.
fn blocks(language: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut wanted = false;
    for (number, line) in REFERENCE.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|_| wanted)),
            (Some(word), None) => {
                wanted = word == language;
                open = Some((number + 2, String::new()));
            }
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn every_example_is_a_valid_scenario() {
    let examples = blocks("toml");
    assert!(examples.len() >= 15, "only {} examples", examples.len());
    for (line, text) in examples {
        let name = format!("docs/scenario.md, the example on line {line}");
        let scenario = Scenario::parse(&name, &text, &Controls::builtin())
            .unwrap_or_else(|wrong| panic!("{wrong}"));
        let canonical = scenario.canonical();
        let again = Scenario::parse("canonical", &canonical, &Controls::builtin());
        assert_eq!(
            again.unwrap_or_else(|wrong| panic!("{wrong}")),
            scenario,
            "{name}"
        );
    }
}

#[test]
fn the_report_in_the_reference_is_real() {
    let sample = &blocks("toml")[0].1;
    let wrong = Scenario::parse(
        "lossy.toml",
        &sample.replace("10 Mb/s", "10 Mb"),
        &Controls::builtin(),
    );
    assert_eq!(wrong.unwrap_err().to_string(), blocks("text")[0].1);
}

#[test]
fn every_key_of_a_canonical_file_is_explained() {
    let examples = blocks("toml");
    for (_, text) in &examples {
        let canonical = Scenario::parse("example", text, &Controls::builtin())
            .unwrap()
            .canonical();
        // The inner lines of an array are indented.
        for line in canonical.lines().filter(|line| !line.starts_with(' ')) {
            if let Some((key, _)) = line.split_once(" = ") {
                assert!(
                    REFERENCE.contains(&format!("`{key}`")),
                    "`{key}` is not explained"
                );
            }
        }
    }
}
