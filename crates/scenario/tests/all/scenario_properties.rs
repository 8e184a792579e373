//! Properties of reading and writing scenarios.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, Scenario};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::generated::{examples, link_rate, loss, mutate, mutation, queue, rate, scenario, time};

fn parse(text: &str) -> Result<Scenario, Report> {
    Scenario::parse("p.toml", text, &Controls::builtin())
}

/// Checks that every mistake is inside the file and can be shown.
fn check_report(text: &str, report: &Report) {
    assert!(!report.problems().is_empty());
    let lines = text.matches('\n').count() + 1;
    for problem in report.problems() {
        assert!(
            problem.span.start <= problem.span.end && problem.span.end <= text.len(),
            "{problem:?}"
        );
        assert!((1..=lines).contains(&problem.line), "{problem:?}");
        let line = text.split('\n').nth(problem.line - 1).unwrap();
        assert!(
            (1..=line.chars().count() + 1).contains(&problem.column),
            "{problem:?}"
        );
        assert!(!problem.message.is_empty());
    }
    assert!(report.to_string().contains("p.toml:"));
    assert!(report.render(true).len() > report.to_string().len());
}

/// Checks that a text is either rejected with positions, or is read, and unchanged after being written
/// and read again.
fn check(text: &str) {
    match parse(text) {
        Err(report) => check_report(text, &report),
        Ok(scenario) => check_round_trip(&scenario),
    }
}

fn check_round_trip(scenario: &Scenario) {
    let canonical = scenario.canonical();
    let again = parse(&canonical).unwrap_or_else(|report| panic!("{canonical}\n{report}"));
    assert_eq!(&again, scenario);
    assert_eq!(again.canonical(), canonical);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_canonical_text_reads_as_the_same_scenario(text in scenario()) {
        match parse(&text) {
            Ok(scenario) => check_round_trip(&scenario),
            Err(report) => panic!("{text}\n{report}"),
        }
    }

    #[test]
    fn random_bytes_are_rejected_with_a_position(bytes in vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        check_report(&text, &parse(&text).expect_err("soup is no scenario"));
    }

    #[test]
    fn random_toml_is_rejected_with_a_position(text in "(duration|flow|[a-z]|=|\\[|\\]|\\{|\\}|\"|\n| |[0-9]|\\.|,|#|\\\\){0,60}") {
        check_report(&text, &parse(&text).expect_err("soup is no scenario"));
    }

    #[test]
    fn mutated_files_are_read_or_rejected_with_a_position(
        example in any::<Index>(),
        mutations in vec(mutation(), 1..6),
    ) {
        let examples = examples();
        let text: &String = example.get(&examples);
        check(&mutate(text, &mutations));
    }

    #[test]
    fn random_values_in_place_of_a_value_are_read_or_rejected(
        example in any::<Index>(),
        place in any::<Index>(),
        value in prop_oneof![
            any::<i64>().prop_map(|n| n.to_string()),
            any::<f64>().prop_map(|x| format!("{x:?}")),
            time(), rate(), link_rate(), loss(), queue(),
            select(vec!["true", "{}", "[]", "\"\"", "[{}]", "1e-400", "-0.0", "0b11"]).prop_map(str::to_owned),
        ],
    ) {
        let examples = examples();
        let text: &String = example.get(&examples);
        let signs: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
        let at = *place.get(&signs);
        let end = text[at..].find([',', '\n', '}']).map_or(text.len(), |n| at + n);
        check(&format!("{}{value}{}", &text[..at], &text[end..]));
    }
}
