//! The section of the page about the matrix.

use std::fmt::Write as _;

use serde::Serialize;

use super::document::{Cross, Document};
use crate::figure::Scatter;
use crate::markup::{Beside, Text, anchor, json};
use crate::matrix::{Cell, Contender, Mark, Matrix, Measure, Path, Table};

/// The anchor of the section.
pub(super) const PLACE: &str = "matrix";

/// Decimals of a ratio to NewReno's value.
const OF_RATIO: usize = 2;

/// Returns the section; empty if there is no matrix.
pub(super) fn html(document: &Document) -> String {
    let Some(cross) = &document.matrix else {
        return String::new();
    };
    let (usual, of_papers) = match cross.matrix.own {
        true => ("", ""),
        false => (", each with its usual recovery,", " of the papers"),
    };
    let mut html = format!(
        r#"<section class="paper" id="{PLACE}"><header><h2>Every control on every path</h2><p class="citation">{} controls{usual} on {} paths{of_papers}; means of {} runs with their 95&nbsp;% intervals.</p></header>
"#,
        cross.matrix.contenders.len(),
        cross.matrix.paths.len(),
        cross.matrix.repeat
    );
    html += &pictures(cross);
    for table in &cross.tables {
        html += &article(
            table.measure.name(),
            title(table.measure),
            table.measure.definition(),
            &self::table(cross, table, document),
        );
    }
    html += &article(
        "paths",
        "The paths and the controls",
        "",
        &lists(cross, document),
    );
    html + "</section>\n"
}

/// Its lines in the table of contents.
pub(super) fn contents(document: &Document) -> String {
    if document.matrix.is_none() {
        return String::new();
    }
    let line = |name: &str, title: &str| {
        format!(
            r##"<li><a href="#{}"><span class="name">{title}</span></a></li>"##,
            place(name)
        )
    };
    let mut list = format!(r##"<li><a class="paper" href="#{PLACE}">Matrix</a><ul>"##);
    list += &line("picture", "goodput and friendliness");
    for measure in Measure::ALL {
        list += &line(measure.name(), measure.name());
    }
    list + &line("paths", "paths and controls") + "</ul></li>"
}

fn place(name: &str) -> String {
    anchor("figure", &[&format!("{PLACE}-{name}")])
}

fn title(measure: Measure) -> &'static str {
    match measure {
        Measure::Goodput => "Goodput",
        Measure::Fairness => "Fairness",
        Measure::Friendliness => "Friendliness to NewReno",
        Measure::Delay => "Queueing delay",
    }
}

fn article(name: &str, title: &str, about: &str, content: &str) -> String {
    let place = place(name);
    let about = match about {
        "" => String::new(),
        about => format!(r#"<p class="about">{}</p>"#, Text(about)),
    };
    format!(
        r##"<article class="figure" id="{place}" aria-labelledby="{place}-title">
<h3 id="{place}-title">{title} <a class="anchor" href="#{place}" aria-label="Link to this part">#</a></h3>
{about}{content}</article>
"##
    )
}

/// The data from which the page's program draws named points.
#[derive(Serialize)]
struct Points<'a> {
    kind: &'static str,
    x_label: &'a str,
    y_label: &'a str,
    intervals: bool,
    series: Vec<Point<'a>>,
}

#[derive(Serialize)]
struct Point<'a> {
    name: &'a str,
    x: [f64; 3],
    y: [f64; 3],
    text: String,
}

/// A drawing for all paths, and one for each path.
fn pictures(cross: &Cross) -> String {
    let paths = cross.matrix.paths.iter().enumerate();
    let all = std::iter::once((None, "all, geometric mean", "overall"))
        .chain(paths.map(|(place, path)| (Some(place), path.label.as_str(), path.name.as_str())));
    let (mut choices, mut drawings) = (String::new(), String::new());
    for (path, label, name) in all {
        let scatter = cross.matrix.picture(&cross.tables, path);
        let view = format!("{PLACE}-{name}");
        write!(
            choices,
            r#"<option value="{}">{}</option>"#,
            Text(&view),
            Text(label)
        )
        .expect("a string takes everything");
        drawings += &drawing(&scatter, &view, cross.matrix.repeat, path);
    }
    let about = "Up and to the right is better: much goodput, and nothing taken from NewReno, which is where the \
                 dashed lines cross.";
    article(
        "picture",
        "Goodput against friendliness",
        about,
        &format!(
            r#"<p class="choice"><label>Path <select data-views>{choices}</select></label></p>{drawings}"#
        ),
    )
}

fn drawing(scatter: &Scatter, stem: &str, runs: u64, path: Option<usize>) -> String {
    let point = |spot: &'_ crate::figure::Spot| -> (String, [f64; 3], [f64; 3]) {
        let ends = |e: dumbbell_run::statistics::Estimate| [e.mean, e.low(), e.high()];
        let decimals = match path {
            Some(_) => Measure::Goodput.decimals(),
            None => OF_RATIO,
        };
        let words = format!(
            "goodput {}, friendliness {}",
            number(spot.x, decimals),
            number(spot.y, OF_RATIO)
        );
        (words, ends(spot.x), ends(spot.y))
    };
    let series = scatter.spots.iter().map(|spot| {
        let (text, x, y) = point(spot);
        Point {
            name: &spot.name,
            x,
            y,
            text,
        }
    });
    let data = Points {
        kind: "scatter",
        x_label: &scatter.x_label,
        y_label: &scatter.y_label,
        intervals: runs > 1,
        series: series.collect(),
    };
    format!(
        r#"<figure class="drawing" data-title="{title}" data-view="{view}">
<div class="chart" role="group" aria-label="{title}"></div>
<script type="application/json">{json}</script>
<figcaption><span>Means of {runs} runs with their 95 % intervals.</span> <span class="files">Data and drawing as files: <a href="{csv}">CSV</a>, <a href="{svg}">SVG</a></span></figcaption>
</figure>
"#,
        title = Text(&scatter.title),
        view = Text(stem),
        json = json(&data),
        csv = Beside(stem, ".csv"),
        svg = Beside(stem, ".svg"),
    )
}

fn table(cross: &Cross, table: &Table, document: &Document) -> String {
    let matrix = &cross.matrix;
    let mut html = format!(
        r#"<figure class="drawing"><div class="scroll" role="region" tabindex="0" aria-label="{}"><table class="values cross"><thead><tr><th scope="col">control</th>"#,
        Text(title(table.measure))
    );
    html += r#"<th scope="col" class="overall">overall</th>"#;
    for path in &matrix.paths {
        write!(
            html,
            r#"<th scope="col">{}</th>"#,
            figure(path, &path.label, document)
        )
        .expect("a string takes everything");
    }
    html += "</tr></thead><tbody>";
    for (contender, row) in matrix.contenders.iter().zip(&table.rows) {
        html += &format!(r#"<tr><th scope="row">{}</th>"#, Text(&contender.label()));
        html += &self::cell(&row.overall, OF_RATIO, r#" class="overall""#);
        for (path, cell) in matrix.paths.iter().zip(&row.cells) {
            html += &self::cell(cell, table.measure.decimals(), &rate(table, path, cell));
        }
        html += "</tr>";
    }
    let star = match matrix.has_reconstructions() {
        true => " A star: a reconstruction, not the published scheme.",
        false => "",
    };
    let unit = match table.measure.unit() {
        "" => String::new(),
        unit => format!("In {unit}. "),
    };
    html + &format!(
        r#"</tbody></table></div><figcaption><span>{unit}{BEST} best and {WORST} worst of a path, or not to be told from it. Overall: geometric mean of the ratios to newreno.{star}</span> <span class="files">As a file: <a href="{}">CSV</a></span></figcaption></figure>"#,
        Beside(PLACE, ".csv")
    )
}

const BEST: &str = r#"<span class="rank best" role="img" aria-label="best">▲</span>"#;
const WORST: &str = r#"<span class="rank worst" role="img" aria-label="worst">▼</span>"#;

/// A path's goodput in kb/s, shown when the mouse is over the cell.
fn rate(table: &Table, path: &Path, cell: &Cell) -> String {
    match cell.estimate {
        Some(e) if table.measure == Measure::Goodput => {
            let kbps = e.mean * path.capacity_bps * 1e-5;
            format!(r#" title="{kbps:.0} kb/s""#)
        }
        _ => String::new(),
    }
}

/// The mean with its highlight, and half the width of the interval below it.
fn cell(cell: &Cell, decimals: usize, attributes: &str) -> String {
    let Some(e) = cell.estimate else {
        return format!("<td{attributes}>–</td>");
    };
    let mean = format!("{:.decimals$}", e.mean);
    let marked = match cell.mark {
        Some(Mark::Best) => format!("<strong>{mean}</strong> {BEST}"),
        Some(Mark::Worst) => format!("<em>{mean}</em> {WORST}"),
        None => format!(r#"{mean} <span class="rank"></span>"#),
    };
    let half = e
        .half_width
        .map(|half| format!("<small>± {half:.decimals$}</small>"));
    format!("<td{attributes}>{marked}{}</td>", half.unwrap_or_default())
}

fn number(e: dumbbell_run::statistics::Estimate, decimals: usize) -> String {
    match e.half_width {
        Some(half) => format!("{:.decimals$} ± {half:.decimals$}", e.mean),
        None => format!("{:.decimals$}", e.mean),
    }
}

/// A text that links to the figure whose network a path uses, if the report has that figure.
fn figure(path: &Path, text: &str, document: &Document) -> String {
    let sections = document.papers.iter().flat_map(|paper| &paper.sections);
    match sections.into_iter().find(|s| s.name == path.figure) {
        Some(section) => format!(
            r##"<a href="#{}">{}</a>"##,
            anchor("figure", &[&section.name]),
            Text(text)
        ),
        None => Text(text).to_string(),
    }
}

fn lists(cross: &Cross, document: &Document) -> String {
    let Matrix {
        paths, contenders, ..
    } = &cross.matrix;
    let path = |path: &Path| {
        let flows = match (path.flows, path.pairs) {
            (one, other) if one == other => format!("{one} flows"),
            (1, other) => format!("1 flow; {other} for fairness and friendliness"),
            (one, other) => format!("{one} flows; {other} for friendliness"),
        };
        format!(
            r#"<div><dt>{}</dt><dd>{} {flows}, at most {:.0} kb/s of payload. The network of {}.</dd></div>"#,
            Text(&path.label),
            Text(&path.about),
            path.capacity_bps / 1e3,
            figure(path, &path.figure, document)
        )
    };
    let contender = |contender: &Contender| {
        format!(
            r#"<div><dt>{}</dt><dd>{}; recovery {}</dd></div>"#,
            Text(&contender.label()),
            Text(contender.summary.trim_end_matches('.')),
            Text(contender.recovery)
        )
    };
    let (first, last) = cross.seeds;
    let star = match cross.matrix.has_reconstructions() {
        true => format!(r#"<p class="about">{}.</p>"#, Contender::STAR),
        false => String::new(),
    };
    format!(
        r#"<h4>Paths</h4><dl class="parameters">{}</dl><h4>Controls</h4><dl class="parameters">{}</dl>{star}<p class="about">Seeds {first} to {last}. The scenario of every cell is in the folder <code>scenarios/{PLACE}</code> beside this page. Means differ if they are apart by more than one point of the capacity, 1 ms, or 0.01 of an index or a ratio, and if the 95 % interval of the differences, seed by seed and widened for all comparisons of a column, leaves no room for 0.</p>"#,
        paths.iter().map(path).collect::<String>(),
        contenders.iter().map(contender).collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn document() -> Document {
        let (matrix, results) = crate::matrix::example::measured();
        Document {
            matrix: Some(Cross {
                tables: matrix.tables(&results),
                matrix,
                seeds: (1, 2),
            }),
            ..example::document()
        }
    }

    #[test]
    fn without_a_matrix_there_is_no_section() {
        let document = example::document();
        assert_eq!(html(&document) + &contents(&document), "");
    }

    #[test]
    fn the_best_and_the_worst_are_highlighted_in_text_too() {
        let html = html(&document());
        // The best and the worst of only two controls: goodputs of 50 and 80 % of 1000 kb/s.
        for part in [
            r#"<td title="500 kb/s"><em>50.0</em> <span class="rank worst" role="img" aria-label="worst">▼</span><small>± 0.0</small></td>"#,
            r#"<td title="800 kb/s"><strong>80.0</strong> <span class="rank best" role="img" aria-label="best">▲</span><small>± 0.0</small></td>"#,
            "1 flow; 4 for fairness and friendliness, at most 1000 kb/s of payload. The network of a-fig1.",
            "2 flows, at most 1000 kb/s",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        // Two controls below a heading row, in each of four tables.
        assert_eq!(html.matches("<tr>").count(), 4 * 3);
    }

    #[test]
    fn a_path_links_to_its_figure_if_the_report_has_it() {
        let mut document = document();
        assert!(!html(&document).contains("href=\"#figure.a-fig1\""));
        document.papers[0].sections[0].name = "a-fig1".to_owned();
        assert!(html(&document).contains("<a href=\"#figure.a-fig1\">one flow</a>"));
    }

    #[test]
    fn there_is_a_drawing_for_all_paths_and_one_per_path() {
        let html = html(&document());
        assert_eq!(html.matches("class=\"chart\"").count(), 3);
        for view in ["matrix-overall", "matrix-one", "matrix-two"] {
            assert!(html.contains(&format!("<option value=\"{view}\">")));
            assert!(html.contains(&format!("data-view=\"{view}\"")));
            assert!(html.contains(&format!("href=\"./{view}.svg\"")));
        }
        let (_, data) = html.split_once("application/json\">").expect("data");
        let (data, _) = data.split_once("</script>").expect("their end");
        let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(data["kind"], "scatter");
        assert_eq!(data["series"][0]["name"], "newreno");
        assert_eq!(
            data["series"][0]["text"],
            "goodput 1.00 ± 0.00, friendliness 1.00 ± 0.00"
        );
    }

    #[test]
    fn links_within_the_section_have_targets() {
        let document = document();
        let (html, contents) = (html(&document), contents(&document));
        let mut links = 0;
        for link in contents.split("href=\"#").skip(1) {
            let (place, _) = link.split_once('"').expect("it ends");
            assert!(html.contains(&format!("id=\"{place}\"")), "{place}");
            links += 1;
        }
        assert_eq!(links, 7);
    }
}
