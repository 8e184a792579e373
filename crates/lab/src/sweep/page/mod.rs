//! The page of a sweep: one file without a network, whose program draws what its reader chooses.
//!
//! `docs/sweep.md` describes the page for its readers.

mod data;
#[cfg(test)]
mod tests;

use self::data::Data;
use super::{Repeat, Seeds, Sweep};
use crate::markup::{Text, fill, json};
use crate::report::{BEGIN, SYMBOLS, colours};
use crate::table::Table;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The style of figures, which is also part of their files.
const FIGURE: &str = include_str!("figure.css");
const PROGRAM: [&str; 11] = [
    include_str!("scale.js"),
    include_str!("data.js"),
    include_str!("means.js"),
    include_str!("view.js"),
    include_str!("marks.js"),
    include_str!("panel.js"),
    include_str!("figure.js"),
    include_str!("hover.js"),
    include_str!("files.js"),
    include_str!("choosers.js"),
    include_str!("start.js"),
];

/// Returns the page of a sweep. `groups` is its tidy table, `runs` has a row for each run
/// ([`Collector`](super::Collector) makes both).
///
/// Rows that belong to no point of the sweep are not drawn, and columns without any value are left
/// out. The page has all digits of every number: about 300 bytes a row.
pub fn of(sweep: &Sweep, groups: &Table, runs: &Table) -> String {
    let data = Data::of(sweep, groups, runs);
    fill(
        TEMPLATE,
        &[
            ("name", &Text(&sweep.name).to_string()),
            ("facts", &facts(sweep, runs.rows())),
            ("paths", &paths(sweep)),
            ("style", STYLE),
            ("figure", FIGURE),
            ("colours", &colours()),
            ("colours_light", colours().trim_start_matches(":root")),
            ("begin", BEGIN),
            ("version", env!("CARGO_PKG_VERSION")),
            ("data", &json(&data)),
            ("symbols", SYMBOLS),
            ("program", &PROGRAM.concat()),
        ],
    )
}

/// Points, runs and seeds, as items of a list.
fn facts(sweep: &Sweep, runs: usize) -> String {
    let mut facts = vec![count(sweep.points.len(), "point")];
    if sweep.excluded > 0 {
        facts.push(format!("{} excluded by <code>where</code>", sweep.excluded));
    }
    facts.push(count(runs, "run"));
    facts.push(match &sweep.repeat {
        Repeat::Times(times) => format!("{times} at each point"),
        Repeat::Until(until) => format!(
            "{} to {} at each point, until the 95 % interval of <code>{}</code>{} is within {} % of its mean",
            until.at_least,
            until.at_most,
            Text(&until.measure),
            match &until.group {
                Some(group) => format!(" of the group <code>{}</code>", Text(group)),
                None => String::new(),
            },
            // 0.07 * 100 is not 7.
            (until.interval * 1e8).round() / 1e6
        ),
    });
    facts.push(match (sweep.seeds, &sweep.repeat) {
        (Seeds::Independent, _) => "every point with seeds of its own".to_owned(),
        (Seeds::Common, Repeat::Times(1)) => format!("seed {}", sweep.seed),
        (Seeds::Common, Repeat::Times(times)) => format!(
            "seeds {} to {}, the same at every point",
            sweep.seed,
            sweep.seed.wrapping_add(times - 1)
        ),
        (Seeds::Common, Repeat::Until(_)) => {
            format!("seeds from {}, the same at every point", sweep.seed)
        }
    });
    let item = |fact: String| format!("<li>{fact}</li>");
    facts.into_iter().map(item).collect()
}

fn count(number: usize, of: &str) -> String {
    match number {
        1 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

/// The swept paths and their values, as rows of a table.
fn paths(sweep: &Sweep) -> String {
    let row = |path: &super::Path| {
        let values: Vec<String> = path
            .values
            .iter()
            .map(|it| Text(&it.text).to_string())
            .collect();
        format!(
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n",
            Text(&path.name),
            values.len(),
            values.join("<span class=\"comma\">,</span> ")
        )
    };
    sweep.paths.iter().map(row).collect()
}
