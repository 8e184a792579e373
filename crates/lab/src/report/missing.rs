//! What a report says as long as it is not complete.

use std::fmt::Write as _;

use super::document::Document;
use super::number::many;
use crate::markup::Text;

/// A note on what is still to come; nothing if the report is complete.
pub(super) fn note(document: &Document) -> String {
    let missing = &document.missing;
    if missing.is_empty() {
        return String::new();
    }
    let papers = document.papers.iter();
    let figures: usize = papers.map(|paper| paper.sections.len()).sum();
    let there = figures + document.explorations.len() + usize::from(document.matrix.is_some());
    let mut list = String::new();
    for (name, title) in missing {
        write!(
            list,
            r#"<li><span class="name">{}</span> {}</li>"#,
            Text(name),
            Text(title)
        )
        .expect("a string takes everything");
    }
    format!(
        r#"<div class="note missing" role="status"><p><strong>Not complete yet.</strong> {there} of {} are here, after {:.0} s; the numbers below count these alone. The page is replaced while the command runs: reload it to see more. If the command has ended early, the same command continues: <code>{}</code></p>
<details><summary>Still to come: {}</summary><ul>{list}</ul></details></div>"#,
        many(there + missing.len(), "figure"),
        document.run.seconds,
        Text(&document.run.command),
        missing.len(),
    )
}

#[cfg(test)]
mod tests {
    use crate::report::{self, example};

    #[test]
    fn a_report_says_what_is_still_to_come() {
        let mut document = example::document();
        let complete = report::html(&document);
        assert!(!complete.contains("Not complete yet"));
        assert!(complete.contains("Made in 67.8 s"));
        document.missing = vec![
            ("one-fig9".to_owned(), "Delay & loss".to_owned()),
            ("two-fig3".to_owned(), example::HOSTILE.to_owned()),
        ];
        let page = report::html(&document);
        for part in [
            "Not complete yet.",
            "5 of 7 figures are here, after 68 s",
            "<code>dumbbell reproduce --seed 1</code>",
            "Still to come: 2",
            "one-fig9</span> Delay &amp; loss</li>",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("<img src=x"));
        // Neither the time nor the number of runs is known.
        assert!(!page.contains("Made in 67.8 s"));
    }
}
