//! The section of the page about a figure.

use std::fmt::Write as _;

use super::compact::{Lines, runs};
use super::document::{Document, JudgedClaim, Paper, PointFile, Section};
use super::drawing::{self, Points};
use super::later;
use super::notes;
use super::number::{self, unbroken};
use super::readings;
use super::tabular;
use super::tally::{Tally, badge, certainty, is_loose, remark};
use crate::claim::Verdict;
use crate::markup::{Beside, Text, anchor, below, json};

/// All papers with their figures.
pub(super) fn papers(document: &Document) -> String {
    document.papers.iter().map(paper).collect()
}

fn paper(paper: &Paper) -> String {
    let tally = Tally::of_paper(paper);
    let mut html = format!(
        r#"<section class="paper" id="{}"><header><h2>{}</h2><p class="citation">{}</p>{}</header>
{}"#,
        anchor("paper", &[&paper.name]),
        Text(&paper.title),
        Text(&paper.citation),
        if tally.total() > 0 {
            tally.bar()
        } else {
            String::new()
        },
        readings::opening(paper) + &notes::html(paper),
    );
    let explanation = notes::explanation(paper);
    for section in &paper.sections {
        html += &figure(section, explanation.as_deref());
    }
    html + "</section>\n"
}

/// A figure of a paper; `explanation` is the anchor at which the paper's notes explain verdicts.
fn figure(section: &Section, explanation: Option<&str>) -> String {
    let place = anchor("figure", &[&section.name]);
    let points = Points::of(section);
    let mut html = format!(
        r##"<article class="figure" id="{place}" aria-labelledby="{place}-title">
<p class="kicker">{added}<span>{source}</span></p>
<h3 id="{place}-title">{title} <a class="anchor" href="#{place}" aria-label="Link to this figure">#</a></h3>
"##,
        added = if section.added {
            r#"<span class="added">added, not the paper's</span> "#
        } else {
            ""
        },
        source = Text(&section.source),
        title = Text(&section.title),
    );
    if !section.about.trim().is_empty() {
        write!(
            html,
            r#"<p class="about">{}</p>"#,
            Text(section.about.trim())
        )
        .expect("a string takes everything");
    }
    for drawing in &section.drawings {
        html += &drawing::html(section, drawing, &points);
    }
    for table in &section.tables {
        html += &tabular::html(&section.title, table);
    }
    html += &data(section);
    html += &claims(section, explanation);
    html += &parameters(section);
    html += &scenarios(section);
    html + "</article>\n"
}

/// Links to the figure's files.
fn data(section: &Section) -> String {
    let mut links = vec![format!(
        r#"<a href="{}">every run</a> (CSV)"#,
        Beside(&section.name, super::RUNS)
    )];
    if !section.points.is_empty() {
        links.push(format!(
            r#"<a href="{}/">scenario files</a> (a folder)"#,
            folder(section)
        ));
    }
    format!(
        "<p class=\"data\">Beside this page: {}.</p>\n",
        links.join(", ")
    )
}

/// The folder of the figure's scenario files.
fn folder(section: &Section) -> String {
    below(&[super::SCENARIOS, &section.name])
}

fn claims(section: &Section, explanation: Option<&str>) -> String {
    if section.claims.is_empty() {
        return String::new();
    }
    let mut html = r#"<h4>Claims</h4><ul class="claims">"#.to_owned();
    for claim in &section.claims {
        html += &self::claim(section, claim, explanation);
    }
    html + "</ul>\n"
}

fn claim(section: &Section, claim: &JudgedClaim, explanation: Option<&str>) -> String {
    let judgement = &claim.judgement;
    let unlike = matches!(judgement.verdict, Verdict::Partly | Verdict::Fails);
    format!(
        r##"<li id="{place}" class="{verdict}">
<p class="says">{text} <span class="source">{source}</span>{remark}</p>
<p class="found">{badge} <span class="certainty {loose}">{certainty}</span></p>
<dl><div><dt>Paper</dt><dd>{paper}</dd></div><div><dt>Here</dt><dd>{here}</dd></div></dl>
<p class="evidence"><span>Evidence</span> {evidence}.</p>
<p class="links"><span class="id">{id}</span> <a href="#{row}">in the table of claims</a> · <a href="{runs}">every run</a>{notes}</p>{files}
</li>
"##,
        place = anchor("claim", &[&section.name, &claim.id]),
        row = anchor("row", &[&section.name, &claim.id]),
        verdict = judgement.verdict,
        text = Text(&unbroken(&claim.text)),
        source = Text(&claim.source),
        remark = remark(claim),
        badge = badge(claim),
        loose = if is_loose(claim) { "loose" } else { "" },
        certainty = certainty(claim),
        paper = Text(&unbroken(&judgement.paper)),
        here = Text(&unbroken(&judgement.here)),
        evidence = Text(&unbroken(judgement.evidence.trim_end_matches('.'))),
        id = Text(&claim.id),
        runs = Beside(&section.name, super::RUNS),
        notes = explanation
            .filter(|_| unlike)
            .map_or_else(String::new, |place| {
                format!(r##" · <a href="#{place}">in the notes: what does not hold</a>"##)
            }),
        files = files(section, claim),
    )
}

/// A place for links to the scenario files of the points to which a claim refers. The page's program
/// makes the links when it is opened.
fn files(section: &Section, claim: &JudgedClaim) -> String {
    let known = claim.points.iter().filter(|i| **i < section.points.len());
    let summary = match known.count() {
        0 => return String::new(),
        1 => "Scenario file".to_owned(),
        n => format!("{n} scenario files"),
    };
    format!(
        r#"<details class="files" data-claim="{}"><summary>{summary} of its points</summary><p></p></details>"#,
        Text(&claim.id)
    )
}

/// The x value of a point as text: its name, or its number.
fn place(section: &Section, point: &PointFile) -> String {
    let name = number::name(&section.names, point.x);
    name.map_or_else(|| number::place(point.x), str::to_owned)
}

fn parameters(section: &Section) -> String {
    let (first, last) = section.seeds;
    let seeds = if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    };
    let mut list = format!("<div><dt>seeds</dt><dd>{seeds}</dd></div>");
    for (name, value) in &section.parameters {
        write!(
            list,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            Text(name),
            Text(value)
        )
        .expect("a string takes everything");
    }
    let list = format!(r#"<dl class="parameters">{list}</dl>"#);
    later::html("Parameters and seeds", &list) + "\n"
}

/// The points' files as data; the page's program creates a menu from them.
fn scenarios(section: &Section) -> String {
    if section.points.is_empty() {
        return String::new();
    }
    let files = serde_json::json!({
        "figure": section.title,
        "x_label": section.varied,
        "folder": folder(section),
        "runs": drawing::runs(section),
        "claims": section.claims.iter().map(|claim| serde_json::json!({
            "id": claim.id,
            "place": anchor("claim", &[&section.name, &claim.id]),
            "points": runs(claim.points.iter().copied()),
        })).collect::<Vec<_>>(),
        "points": section.points.iter().map(|point| serde_json::json!({
            "series": point.series,
            "file": point.file,
        })).collect::<Vec<_>>(),
        "texts": Lines::of(section.points.iter().map(|point| point.text.as_str())),
        "places": section.points.iter().map(|p| match section.varied {
            Some(_) => place(section, p),
            None => String::new(),
        }).collect::<Vec<_>>(),
    });
    format!(
        r#"<details class="fold scenarios"><summary>Scenario files <span class="amount">{}</span></summary><div class="picker"></div></details>
<script type="application/json" class="points">{}</script>
"#,
        section.points.len(),
        json(&files)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_figure_has_its_parts() {
        let document = example::document();
        let html = figure(&document.papers[0].sections[0], Some("notes.one"));
        for part in [
            "id=\"figure.one-fig2\"",
            "id=\"claim.one-fig2.holds\"",
            "href=\"#row.one-fig2.holds\"",
            "data-claim=\"holds\"><summary>2 scenario files of its points</summary>",
            "\"id\":\"holds\",\"place\":\"claim.one-fig2.holds\",\"points\":[0,1,2,1]",
            "href=\"./one-fig2.runs.csv\">every run</a>",
            "href=\"./scenarios/one-fig2/\"",
            "<dt>seeds</dt><dd>1 to 10</dd>",
            "<dt>duration</dt><dd>100 s</dd>",
            "Scenario files <span class=\"amount\">16</span>",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert_eq!(html.matches("class=\"chart\"").count(), 2);
        // For the claims that hold partly and that fail.
        assert_eq!(html.matches("href=\"#notes.one\"").count(), 2);
        assert!(!html.contains("not the paper's"));
    }

    #[test]
    fn missing_parts_have_no_heading() {
        let mut section = example::section("f", 1, &[1.0], (3, 3));
        section.about = " \n".to_owned();
        section.points.clear();
        let html = figure(&section, None);
        for part in [
            "<h4>",
            "class=\"about\"",
            "Scenario files",
            "class=\"points\"",
        ] {
            assert!(!html.contains(part), "{part}");
        }
        assert!(html.contains("<dd>3</dd>"), "the only seed");
    }

    #[test]
    fn without_a_varied_setting_there_are_no_x_values() {
        let mut section = example::section("f", 2, &[0.0], (1, 2));
        section.varied = None;
        let html = figure(&section, None);
        assert!(html.contains("\"x_label\":null") && html.contains("\"places\":[\"\",\"\"]"));
    }

    #[test]
    fn x_values_are_shown_by_their_names() {
        let mut section = example::section("f", 1, &[1.0, 2.0], (1, 2));
        section.names = vec![(1.0, "near".to_owned()), (2.0, "far & wide".to_owned())];
        let html = figure(&section, None);
        assert!(
            html.contains("\"places\":[\"near\",\"far \\u0026 wide\"]"),
            "{html}"
        );
    }

    #[test]
    fn the_lines_of_files_are_on_the_page_once() {
        let mut section = example::section("f", 2, &[1.0, 2.0], (1, 2));
        let html = figure(&section, None);
        assert_eq!(html.matches("duration = \\\"100 s\\\"").count(), 1);
        section.points[3].text = "duration = \"1 s\"\n".to_owned();
        let html = figure(&section, None);
        assert!(
            html.contains(r#""texts":[[0,3],[3,1,1,2],[4,1,1,2],[5,1,2,1]]"#),
            "{html}"
        );
    }

    #[test]
    fn a_missing_point_is_not_linked() {
        let mut section = example::section("f", 1, &[1.0], (1, 2));
        let mut claim = example::claim("a", Verdict::Holds);
        claim.points = vec![7];
        section.claims.push(claim);
        assert!(!figure(&section, None).contains("of its points"));
    }
}
