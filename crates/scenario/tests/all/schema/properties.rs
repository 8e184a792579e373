//! The schema accepts every file that the reader accepts.

use proptest::prelude::*;
use proptest::sample::Index;

use super::parse;
use crate::generated::{examples, mutate, mutation, scenario};
use crate::judge::{complaints, json};

fn check(text: &str) {
    let file = json(text).unwrap_or_else(|| panic!("no TOML:\n{text}"));
    let found = complaints(&file);
    assert!(found.is_empty(), "{found:#?}\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_files_are_accepted_as_they_are_and_in_full(text in scenario()) {
        check(&text);
        check(&parse(&text).expect("generated files are right").canonical());
    }

    #[test]
    fn a_mutated_file_that_the_reader_accepts_is_accepted(
        example in any::<Index>(),
        mutations in proptest::collection::vec(mutation(), 1..4),
    ) {
        let examples = examples();
        let example: &String = example.get(&examples);
        let text = mutate(example, &mutations);
        if parse(&text).is_ok() {
            check(&text);
        }
    }
}
