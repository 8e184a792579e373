//! Files with mistakes.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A piece of a file that is removed, doubled, or replaced by another piece.
#[derive(Clone, Debug)]
pub struct Mutation {
    from: Index,
    length: usize,
    with: String,
}

/// A random mutation.
pub fn mutation() -> impl Strategy<Value = Mutation> {
    let words = vec![
        "",
        "0",
        "-1",
        "1e999",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "=",
        "\n",
        ",",
        "true",
        "\"unlimited\"",
        "\"none\"",
        "nan",
        "inf",
        "[[flow]]",
        "[tcp]",
        "99999999999999999999",
        "0x10",
        "é",
        "\u{0}",
        "\r",
        "\"\"\"",
        "#",
        "1979-05-27",
        "\"10 Mb\"",
        "\"s\"",
        ".",
        "control",
        "reverse = {}",
    ];
    (
        any::<Index>(),
        0usize..12,
        prop_oneof![select(words).prop_map(str::to_owned), ".{0,4}"],
    )
        .prop_map(|(from, length, with)| Mutation { from, length, with })
}

/// Returns the text after these mutations.
pub fn mutate(text: &str, mutations: &[Mutation]) -> String {
    let mut cells: Vec<char> = text.chars().collect();
    for mutation in mutations {
        let from = mutation.from.index(cells.len() + 1);
        let to = (from + mutation.length).min(cells.len());
        cells.splice(from..to, mutation.with.chars());
    }
    cells.into_iter().collect()
}
