//! The page of a comparison: a single file that needs no network.

use std::fmt::Write as _;

use super::Comparison;
use crate::markup::{Text, fill};

const TEMPLATE: &str = include_str!("page.html");

impl Comparison {
    /// Returns the page. `pictures` are the drawings as SVG, with their file names without the
    /// extension.
    pub fn html(&self, pictures: &[(String, String)]) -> String {
        let text = |plain: &str| Text(plain).to_string();
        fill(
            TEMPLATE,
            &[
                ("title", &text(&self.title)),
                ("kind", self.kind),
                ("defined", self.defined),
                ("json", self.json),
                ("about", &text(&self.about)),
                ("heading", &text(&self.heading)),
                ("facts", &self.facts()),
                ("warnings", &self.warned()),
                ("table", &table(&self.heads, &self.rows)),
                ("compared", &self.compared()),
                ("beside", &self.beside()),
                ("pictures", &drawn(pictures)),
                ("machine", &self.machine()),
                ("scenario", &text(&self.scenario)),
                ("version", env!("CARGO_PKG_VERSION")),
            ],
        )
    }

    fn warned(&self) -> String {
        let lines = self.warnings.iter();
        lines
            .map(|it| format!("<p class=\"warning\">{}</p>", Text(it)))
            .collect()
    }

    fn compared(&self) -> String {
        let tables = self.compared.iter();
        tables
            .map(|it| {
                let rows = table(&it.heads, &it.rows);
                format!("<p>{}</p>\n<table>\n{rows}</table>\n", Text(&it.title))
            })
            .collect()
    }

    /// How connections shared the path; empty if none ran beside each other.
    fn beside(&self) -> String {
        self.beside.as_ref().map_or_else(String::new, |it| {
            format!(
                "<table>\n{}</table>\n<p>A share is the part of all that the real connections of a run carried. Jain's \
                 index of the TCP connections is 1 if all of them have the same, and 1/n if one of n has all.</p>",
                table(&it.heads, &it.rows)
            )
        })
    }

    fn facts(&self) -> String {
        let facts = self.facts.iter();
        facts
            .map(|(name, what)| format!("<dt>{}</dt><dd>{}</dd>\n", Text(name), Text(what)))
            .collect()
    }

    /// A paragraph on how punctual the machine was.
    fn machine(&self) -> String {
        let (mean, worst) = self.lateness;
        format!(
            "Packets left the emulator {:.0} us late on average; in the worst run 99 % were taken in or sent out at most \
             {:.0} us late.{}",
            mean * 1e6,
            worst * 1e6,
            match self.repeated {
                0 => String::new(),
                1 =>
                    " One run was repeated because the machine had been too slow in it.".to_owned(),
                times => format!(
                    " Runs in which the machine had been too slow were repeated, {times} times in all."
                ),
            }
        )
    }
}

/// The rows of a table.
fn table(heads: &[String], rows: &[Vec<String>]) -> String {
    let heads = heads.iter();
    let heads: String = heads.map(|it| format!("<th>{}</th>", Text(it))).collect();
    let mut table = format!("<tr>{heads}</tr>\n");
    for row in rows {
        let cells = row.iter();
        let cells: String = cells.map(|it| format!("<td>{}</td>", Text(it))).collect();
        writeln!(table, "<tr>{cells}</tr>").expect("a string takes everything");
    }
    table
}

/// The drawings, each with links to its files.
fn drawn(pictures: &[(String, String)]) -> String {
    let mut all = String::new();
    for (stem, svg) in pictures {
        writeln!(
            all,
            "<figure>{svg}<figcaption><a href=\"{stem}.svg\">SVG</a> <a href=\"{stem}.csv\">CSV</a>\
             </figcaption></figure>"
        )
        .expect("a string takes everything");
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::Beside;
    use super::*;

    #[test]
    fn a_page_has_its_text_its_table_and_its_drawings() {
        let found = Comparison {
            title: "a <path>".to_owned(),
            kind: "controls compared",
            defined: "<p>Goodput.</p>",
            json: "compare.json",
            about: "{{title}}".to_owned(),
            heading: "2 runs".to_owned(),
            warnings: vec!["INTERRUPTED".to_owned()],
            heads: vec!["control".to_owned(), "Mb/s".to_owned()],
            compared: vec![crate::comparison::Titled {
                title: "kernel & simulator".to_owned(),
                heads: vec!["quantity".to_owned()],
                rows: vec![vec!["<goodput>".to_owned()]],
            }],
            rows: vec![vec!["reno".to_owned(), "1.5".to_owned()]],
            contenders: Vec::new(),
            beside: Some(Beside {
                heads: vec!["mixture".to_owned()],
                rows: vec![vec!["reno x2".to_owned()]],
                mixtures: Vec::new(),
            }),
            first_seed: 1,
            lateness: (12e-6, 0.003),
            repeated: 2,
            facts: vec![("File", "a<b.toml".to_owned())],
            scenario: "rate = \"1 Mb/s\"".to_owned(),
        };
        let page = found.html(&[("goodput".to_owned(), "<svg></svg>".to_owned())]);
        for part in [
            "<title>a &lt;path&gt;: controls compared</title>",
            "<p>{{title}}</p>",
            "<p>Goodput.</p>",
            "<a href=\"compare.json\">",
            "<p class=\"warning\">INTERRUPTED</p>",
            "<tr><th>control</th><th>Mb/s</th></tr>\n<tr><td>reno</td><td>1.5</td></tr>\n",
            "<tr><th>mixture</th></tr>\n<tr><td>reno x2</td></tr>\n</table>",
            "<figure><svg></svg><figcaption><a href=\"goodput.svg\">SVG</a> <a href=\"goodput.csv\">CSV</a>",
            "12 us late on average; in the worst run 99 % were taken in or sent out at most 3000 us late.",
            "rate = &quot;1 Mb/s&quot;",
            "<dt>File</dt><dd>a&lt;b.toml</dd>",
            "<p>kernel &amp; simulator</p>\n<table>\n<tr><th>quantity</th></tr>\n<tr><td>&lt;goodput&gt;</td></tr>\n</table>",
            "were repeated, 2 times in all.",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }
}
