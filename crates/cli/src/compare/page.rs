//! The page of a comparison: one file, readable without a network.

use std::fmt::Write as _;

use dumbbell_live::compare::Comparison;
use dumbbell_scenario::Scenario;

use super::tabular;

const TEMPLATE: &str = include_str!("page.html");

/// The page. `pictures` are the drawings, with the names of their files.
pub fn html(scenario: &Scenario, found: &Comparison, pictures: &[(String, String)]) -> String {
    let title = scenario.name.as_deref().unwrap_or("one path");
    let fields = [
        ("title", text(title)),
        ("about", text(scenario.description.as_deref().unwrap_or(""))),
        ("heading", text(&tabular::heading(scenario, found))),
        ("warnings", warnings(found)),
        ("table", table(found)),
        ("pictures", drawn(pictures)),
        ("machine", machine(found)),
        ("scenario", text(&scenario.canonical())),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let mut page = String::with_capacity(TEMPLATE.len() + 200_000);
    let mut rest = TEMPLATE;
    // One pass, so that nothing in a field is taken for another.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        let field = fields.iter().find(|(field, _)| *field == name);
        page.push_str(field.map_or("", |(_, value)| value));
        rest = behind;
    }
    page.push_str(rest);
    page
}

fn warnings(found: &Comparison) -> String {
    let warnings = tabular::warnings(found);
    let lines = warnings
        .iter()
        .map(|it| format!("<p class=\"warning\">{}</p>", text(it)));
    lines.collect()
}

fn table(found: &Comparison) -> String {
    let cells = tabular::cells(found);
    let mut table = String::from("<tr>");
    for head in &cells.heads {
        // Writing to a string cannot fail, here and below.
        let _ = write!(table, "<th>{}</th>", text(head));
    }
    table.push_str("</tr>\n");
    for row in &cells.rows {
        table.push_str("<tr>");
        for cell in row {
            let _ = write!(table, "<td>{}</td>", text(cell));
        }
        table.push_str("</tr>\n");
    }
    table
}

/// The drawings, each with links to its files.
fn drawn(pictures: &[(String, String)]) -> String {
    let mut all = String::new();
    for (stem, svg) in pictures {
        let _ = writeln!(
            all,
            "<figure>{svg}<figcaption><a href=\"{stem}.svg\">SVG</a> <a href=\"{stem}.csv\">CSV</a>\
             </figcaption></figure>"
        );
    }
    all
}

/// How punctual the machine was.
fn machine(found: &Comparison) -> String {
    let runs = found.rows.iter().flat_map(|row| &row.runs);
    let (mut worst, mut sum, mut count) = (0.0f64, 0.0, 0u32);
    for run in runs {
        worst = worst.max(run.network.lateness.p99_s);
        sum += run.network.lateness.mean_s;
        count += 1;
    }
    format!(
        "Packets left the emulator {:.0} us late on average; in the worst run 99 % of them were at most \
         {:.0} us late.",
        sum / f64::from(count.max(1)) * 1e6,
        worst * 1e6
    )
}

/// Text that is none of the page's markup.
fn text(plain: &str) -> String {
    let mut escaped = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}
