//! How the sentences of a paper stand, and what other readings of its text change.

use std::fmt::Write as _;

use super::document::{Document, Exploration, Flip, JudgedClaim, Paper, Reading};
use super::number::{many, unbroken};
use super::tally::{Tally, mark};
use crate::claim::Standing;
use crate::markup::{Beside, Text, anchor};

/// The opening of a paper: its sentences by how they stand, and the readings that were tried.
pub(super) fn opening(paper: &Paper) -> String {
    let tally = Tally::of_paper(paper);
    let mut html = String::new();
    if tally.total() > 0 {
        html += r#"<div class="standings">"#;
        for (at, (word, meaning)) in Standing::WORDS.iter().zip(Standing::MEANINGS).enumerate() {
            html += &sentences(paper, at, word, meaning);
        }
        html += "</div>";
    }
    let others = tally.others();
    if !others.is_empty() {
        write!(html, r#"<p class="hint">{}</p>"#, Text(others.trim_start()))
            .expect("a string takes everything");
    }
    if !paper.readings.is_empty() {
        write!(
            html,
            r#"<details class="fold readings"><summary>Other readings of the text <span class="amount">{}</span></summary>
<p class="hint">By the verdicts on record; <code>dumbbell reproduce {}-explored</code> makes them again. A verdict within the noise is no verdict here, because some of so many would hold by chance. Different sentences may need different readings.</p>{}</details>
"#,
            paper.readings.len(),
            Text(&paper.name),
            table(&paper.readings, std::slice::from_ref(paper))
        )
        .expect("a string takes everything");
    }
    html
}

/// The sentences that stand so.
fn sentences(paper: &Paper, standing: usize, word: &str, meaning: &str) -> String {
    let claims = paper.sections.iter().flat_map(|section| {
        let claims = section.claims.iter();
        claims.map(move |claim| (section.name.as_str(), claim))
    });
    let here = |(_, claim): &(&str, &JudgedClaim)| {
        claim.stands.as_ref().map(Standing::position) == Some(standing)
    };
    let claims: Vec<_> = claims.filter(here).collect();
    let summary = format!("{}<b>{}</b> {meaning}", mark(word), claims.len());
    if claims.is_empty() {
        return format!(r#"<p class="standing {word}">{summary}</p>"#);
    }
    let mut list = String::new();
    for (figure, claim) in claims {
        let under = match &claim.stands {
            Some(Standing::Elsewhere(readings)) => {
                format!(
                    r#" <span class="remark">{}</span>"#,
                    Text(&readings.join("; "))
                )
            }
            _ => String::new(),
        };
        write!(
            list,
            r##"<li><a href="#{}">{}</a>{under}</li>"##,
            anchor("claim", &[figure, &claim.id]),
            Text(&unbroken(&claim.text))
        )
        .expect("a string takes everything");
    }
    format!(
        r#"<details class="standing {word}"><summary>{summary}</summary><ul>{list}</ul></details>"#
    )
}

/// All explorations.
pub(super) fn explorations(document: &Document) -> String {
    let all = document.explorations.iter();
    all.map(|it| exploration(it, &document.papers)).collect()
}

fn exploration(exploration: &Exploration, papers: &[Paper]) -> String {
    format!(
        r#"<section class="paper exploration" id="{}"><header><h2>{}</h2><p class="about">{}</p></header>
{}<p class="data">Beside this page: <a href="{}">every judgement</a> (CSV).</p></section>
"#,
        anchor("paper", &[&exploration.name]),
        Text(&exploration.title),
        Text(exploration.about.trim()),
        table(&exploration.readings, papers),
        Beside(&exploration.name, ".csv")
    )
}

/// The explorations in the table of contents.
pub(super) fn contents(document: &Document) -> String {
    let entry = |it: &Exploration| {
        format!(
            r##"<li><a class="paper" href="#{}">{}</a></li>"##,
            anchor("paper", &[&it.name]),
            Text(&it.name)
        )
    };
    document.explorations.iter().map(entry).collect()
}

/// What each reading does to the verdicts. Claims on figures of these papers are linked.
fn table(readings: &[Reading], papers: &[Paper]) -> String {
    let mut html = r#"<div class="scroll" role="region" tabindex="0" aria-label="Readings"><table class="readings-table"><thead><tr><th scope="col">Reading</th><th scope="col">Claims of its figures</th><th scope="col">hold as taken</th><th scope="col">hold</th><th scope="col">not decided</th><th scope="col">Comes to hold</th><th scope="col">Ceases to hold</th></tr></thead><tbody>"#.to_owned();
    for reading in readings {
        write!(
            html,
            r#"<tr><th scope="row">{}<span class="remark">{}{}</span></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"#,
            Text(&reading.title),
            Text(&reading.about),
            if reading.contrary {
                " It contradicts what is printed: no sentence is said to hold by it."
            } else {
                ""
            },
            reading.claims,
            reading.held,
            reading.hold,
            reading.undecided,
            flips(&reading.gained, papers),
            flips(&reading.lost, papers)
        )
        .expect("a string takes everything");
    }
    html + "</tbody></table></div>"
}

fn flips(flips: &[Flip], papers: &[Paper]) -> String {
    if flips.is_empty() {
        return "–".to_owned();
    }
    let mut list = String::new();
    for flip in flips {
        let name = format!("{} {}", flip.figure, flip.claim);
        let mut sections = papers.iter().flat_map(|paper| &paper.sections);
        let known = sections.any(|section| section.name == flip.figure);
        let name = if known {
            let place = anchor("claim", &[&flip.figure, &flip.claim]);
            format!(r##"<a href="#{place}">{}</a>"##, Text(&name))
        } else {
            Text(&name).to_string()
        };
        let here = match &flip.here {
            Some(here) => format!(": {}", Text(&unbroken(here))),
            None => String::new(),
        };
        write!(
            list,
            r#"<li title="{}">{name} ({} → {}){here}</li>"#,
            Text(&flip.text),
            flip.taken,
            flip.now
        )
        .expect("a string takes everything");
    }
    format!(
        r#"<details><summary>{}</summary><ul>{list}</ul></details>"#,
        many(flips.len(), "claim")
    )
}
