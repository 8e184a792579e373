//! docs/measures.md lists exactly the measures of the code.

use super::{LINKS, MEASURES};

const PAGE: &str = include_str!("../../../../docs/measures.md");

/// The rows of the tables below a heading, without their heads, cell by cell.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(heading).expect("the heading is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells = line.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim()).collect()
        })
        .collect()
}

#[test]
fn the_page_lists_the_measures_of_flows_and_groups() {
    let code: Vec<Vec<String>> = MEASURES
        .iter()
        .map(|it| {
            let tables = if it.is_of_flows() {
                "groups, flows"
            } else {
                "groups"
            };
            let word = format!("`{}`", it.word);
            [&word, it.unit, it.about, it.range.words(), tables]
                .map(str::to_owned)
                .to_vec()
        })
        .collect();
    assert_eq!(rows("\n## Groups and flows\n"), code);
}

#[test]
fn the_page_lists_the_measures_of_links() {
    let code: Vec<Vec<String>> = LINKS
        .iter()
        .map(|it| {
            let word = format!("`{}`", it.word);
            [&word, it.unit, it.about, it.range.words()]
                .map(str::to_owned)
                .to_vec()
        })
        .collect();
    assert_eq!(rows("\n## Links\n"), code);
}
