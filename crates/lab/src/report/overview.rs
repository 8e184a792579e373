//! The top of the page: the summary, the papers, the table of claims; and the table of contents
//! beside them.

use std::fmt::Write as _;

use super::document::{Document, Exploration, Flip, Paper, Reading, Run, Section};
use super::matrix;
use super::notes;
use super::number::{many, unbroken};
use super::readings;
use super::tally::{Tally, badge, certainty, has_changed, is_loose, mark, remark};
use crate::claim::Standing;
use crate::markup::{Text, anchor};

/// The results in one or two sentences.
pub(super) fn summary(document: &Document) -> String {
    let tally = Tally::of_all(document);
    let papers = many(document.papers.len(), "paper");
    if let (Some(cross), []) = (&document.matrix, &document.papers[..]) {
        return format!(
            "{} on {}{}.",
            many(cross.matrix.contenders.len(), "control"),
            many(cross.matrix.paths.len(), "path"),
            if cross.matrix.own {
                ""
            } else {
                " of the papers"
            }
        );
    }
    if tally.total() == 0 {
        let explored: Vec<String> = document.explorations.iter().map(explored).collect();
        if document.papers.is_empty() && !explored.is_empty() {
            return explored.join(" ");
        }
        return format!("{papers}, no claims judged.{}", tally.others());
    }
    let mut summary = format!(
        "Of {} of {papers}, {}.{}",
        many(tally.total(), "sentence"),
        tally.in_words(),
        tally.others()
    );
    match tally.loose {
        0 => {}
        1 => summary += " One of the verdicts lies within the noise.",
        n => write!(summary, " {n} of the verdicts lie within the noise.")
            .expect("a string takes everything"),
    }
    match tally.changed {
        0 => {}
        1 => summary += " One is not the verdict on record.",
        n => write!(summary, " {n} are not the verdicts on record.")
            .expect("a string takes everything"),
    }
    summary
}

/// An exploration in a sentence.
fn explored(exploration: &Exploration) -> String {
    let flips = |it: fn(&Reading) -> &Vec<Flip>| -> usize {
        exploration
            .readings
            .iter()
            .map(|reading| it(reading).len())
            .sum()
    };
    format!(
        "{}: {}, under which verdicts become “holds” {} times and cease to {} times.",
        exploration.name,
        many(exploration.readings.len(), "reading"),
        flips(|reading| &reading.gained),
        flips(|reading| &reading.lost)
    )
}

/// How the sentences stand, with their counts. The page's program turns them into filters for the
/// rows of the table.
pub(super) fn counts(document: &Document) -> String {
    let tally = Tally::of_all(document);
    let mut counts = String::new();
    for (at, (word, meaning)) in Standing::WORDS.iter().zip(Standing::MEANINGS).enumerate() {
        write!(
            counts,
            r#"<button type="button" class="tile {word}" data-standing="{word}" aria-pressed="false">{}<b>{}</b> <span>{meaning}</span></button>"#,
            mark(word),
            tally.count(at)
        )
        .expect("a string takes everything");
    }
    counts
}

/// A warning if the numbers are less reliable than usual.
pub(super) fn note(run: &Run) -> &'static str {
    if run.quick {
        r#"<p class="note"><strong>A quick look.</strong> It has fewer points and seeds than the experiments ask for: its intervals are wider, and its verdicts may differ from those of the whole.</p>"#
    } else {
        ""
    }
}

/// How long the reproduction took.
pub(super) fn made(run: &Run) -> String {
    format!(
        r##"<p class="made">Made in {:.1} s: {} simulated, {} kept from before. <a href="#run">How it was made</a></p>"##,
        run.seconds,
        many(run.simulated, "run"),
        run.kept
    )
}

/// A card for each paper.
pub(super) fn papers(document: &Document) -> String {
    let mut cards = String::new();
    for paper in &document.papers {
        let tally = Tally::of_paper(paper);
        let figures = many(paper.sections.len(), "figure");
        let claims = match tally.total() {
            0 => format!("no sentences in {figures}.{}", tally.others()),
            n => format!(
                "{} in {figures}: {}.{}",
                many(n, "sentence"),
                tally.in_words(),
                tally.others()
            ),
        };
        let notes = match notes::explanation(paper) {
            Some(_) => format!(
                r##"<a class="notes-link" href="#{}">Notes</a>"##,
                notes::place(paper)
            ),
            None => String::new(),
        };
        write!(
            cards,
            r##"<li class="card"><strong><a href="#{}">{}</a></strong><span class="citation">{}</span>{}<span class="tally">{claims}</span>{notes}</li>"##,
            anchor("paper", &[&paper.name]),
            Text(&paper.title),
            Text(&paper.citation),
            tally.bar(),
        )
        .expect("a string takes everything");
    }
    cards
}

/// The rows of the table of claims, grouped by paper.
pub(super) fn claims(document: &Document) -> String {
    let mut groups = String::new();
    for paper in &document.papers {
        if paper
            .sections
            .iter()
            .all(|section| section.claims.is_empty())
        {
            continue;
        }
        write!(
            groups,
            r##"<tbody role="rowgroup"><tr role="row" class="group"><th role="rowheader" scope="rowgroup" colspan="6"><a href="#{}">{}</a></th></tr>"##,
            anchor("paper", &[&paper.name]),
            Text(&paper.title)
        )
        .expect("a string takes everything");
        for section in &paper.sections {
            rows(section, &mut groups);
        }
        groups += "</tbody>";
    }
    groups
}

fn rows(section: &Section, out: &mut String) {
    for claim in &section.claims {
        let judgement = &claim.judgement;
        let loose = if is_loose(claim) { "loose" } else { "" };
        write!(
            out,
            r##"<tr role="row" id="{row}" class="claim" data-verdict="{verdict}" data-standing="{stands}"{changed}>
<th role="rowheader" scope="row"><a href="#{place}">{text}</a>{remark}</th>
<td role="cell" data-label="Paper" class="number">{paper}</td>
<td role="cell" data-label="Here" class="number">{here}</td>
<td role="cell" data-label="Verdict">{badge}</td>
<td role="cell" data-label="Certainty"><span class="certainty {loose}">{certainty}</span></td>
<td role="cell" data-label="Figure"><a href="#{figure}">{name}</a></td></tr>
"##,
            row = anchor("row", &[&section.name, &claim.id]),
            verdict = judgement.verdict,
            stands = claim.stands.as_ref().map_or("", Standing::word),
            remark = remark(claim),
            changed = if has_changed(claim) {
                " data-changed"
            } else {
                ""
            },
            place = anchor("claim", &[&section.name, &claim.id]),
            text = Text(&unbroken(&claim.text)),
            paper = Text(&unbroken(&judgement.paper)),
            here = Text(&unbroken(&judgement.here)),
            badge = badge(claim),
            certainty = certainty(claim),
            figure = anchor("figure", &[&section.name]),
            name = Text(&section.name),
        )
        .expect("a string takes everything");
    }
}

/// The table of contents: papers and their figures, with the verdicts on their claims.
pub(super) fn contents(document: &Document) -> String {
    let papers: String = document.papers.iter().map(contents_of).collect();
    papers + &readings::contents(document) + &matrix::contents(document)
}

fn contents_of(paper: &Paper) -> String {
    let mut list = format!(
        r##"<li><a class="paper" href="#{}" title="{}">{}</a><ul>"##,
        anchor("paper", &[&paper.name]),
        Text(&paper.title),
        Text(short(&paper.title))
    );
    if notes::explanation(paper).is_some() {
        write!(
            list,
            r##"<li><a href="#{}"><span class="name">notes</span></a></li>"##,
            notes::place(paper)
        )
        .expect("a string takes everything");
    }
    for section in &paper.sections {
        write!(
            list,
            r##"<li><a href="#{}" title="{}"><span class="name">{}</span><span class="counts">{}</span></a></li>"##,
            anchor("figure", &[&section.name]),
            Text(&section.title),
            Text(&section.name),
            Tally::of(&section.claims).marks()
        )
        .expect("a string takes everything");
    }
    list + "</ul></li>"
}

/// The part of a title before the colon, which is its name.
fn short(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn the_summary_has_the_counts() {
        assert_eq!(
            summary(&example::document()),
            "Of 5 sentences of 2 papers, 1 holds under the reading taken, 1 holds under another reading, \
             1 fails under every reading tried and 2 are not decidable from the text. One of the verdicts lies within the noise. One is not the verdict on record."
        );
        let mut document = example::document();
        document.papers.remove(0);
        assert_eq!(summary(&document), "1 paper, no claims judged.");
        assert_eq!(claims(&document), "");
    }

    #[test]
    fn a_row_has_everything_about_its_claim() {
        let rows = claims(&example::document());
        assert_eq!(rows.matches("class=\"claim\"").count(), 5);
        assert_eq!(rows.matches("data-changed").count(), 1);
        for part in [
            "id=\"row.one-fig2.holds\"",
            "href=\"#claim.one-fig2.holds\"",
            "href=\"#figure.one-fig2\"",
            "At p &lt; 0.1\u{a0}% &amp; above",
            "+35.7\u{a0}%",
            "+33.0\u{a0}±\u{a0}2.1\u{a0}%",
            ">within noise<",
            ">firm<",
        ] {
            assert!(rows.contains(part), "{part}");
        }
    }

    #[test]
    fn a_card_counts_claims_and_figures_and_links_to_the_notes() {
        let mut document = example::document();
        let cards = papers(&document);
        assert!(
            cards.contains("5 sentences in 3 figures: 1 holds under the reading taken, "),
            "{cards}"
        );
        assert!(cards.contains("no sentences in 1 figure.<"));
        assert_eq!(cards.matches("href=\"#notes.").count(), 2);
        document.papers[1].notes.clear();
        assert!(!papers(&document).contains("href=\"#notes.two"));
        assert!(!contents(&document).contains("href=\"#notes.two"));
        assert!(made(&document.run).contains("Made in 67.8 s: 12 runs simulated, 345 kept"));
    }

    #[test]
    fn the_name_of_a_title_is_before_the_colon() {
        assert_eq!(short("RoVegas: a router-based mechanism"), "RoVegas");
        assert_eq!(short("On 10:1 dumbbells"), "On 10:1 dumbbells");
    }

    #[test]
    fn the_contents_list_every_figure() {
        let document = example::document();
        let contents = contents(&document);
        for paper in &document.papers {
            for section in &paper.sections {
                let link = format!("href=\"#{}\"", anchor("figure", &[&section.name]));
                assert!(contents.contains(&link), "{link}");
            }
        }
    }
}
