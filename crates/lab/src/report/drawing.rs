//! A drawing: its data for the page's program, and the same data as a table.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compact::{Numbers, Places};
use super::document::{Drawing, Section, Series};
use super::later;
use super::number;
use crate::figure::{Kind, Lane, Rows};
use crate::markup::{Beside, Text, anchor, json};

/// The files of a section's points, to be found by curve and x value.
pub(super) struct Points<'a> {
    section: &'a str,
    places: BTreeMap<(&'a str, u64), usize>,
}

impl<'a> Points<'a> {
    pub(super) fn of(section: &'a Section) -> Self {
        let key = |(i, point): (usize, &'a super::PointFile)| {
            ((point.series.as_str(), point.x.to_bits()), i)
        };
        Self {
            section: &section.name,
            places: section.points.iter().enumerate().map(key).collect(),
        }
    }

    fn find(&self, series: &str, x: f64) -> Option<usize> {
        self.places.get(&(series, x.to_bits())).copied()
    }

    /// The anchor at which the page shows the file.
    pub(super) fn anchor(&self, place: usize) -> String {
        anchor("point", &[self.section, &place.to_string()])
    }
}

/// The data from which the page's program draws curves.
#[derive(Serialize)]
struct Curves<'a> {
    kind: Kind,
    x_label: &'a str,
    y_label: &'a str,
    log_x: bool,
    intervals: bool,
    /// Whether every point has a symbol, and its values are in a table.
    markers: bool,
    /// The x values of all curves, if they have the same ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<Numbers>,
    series: Vec<Curve<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    names: &'a [(f64, String)],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    lanes: &'a [Lane],
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<&'a Rows>,
}

#[derive(Serialize)]
struct Curve<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<Numbers>,
    y: Numbers,
    /// Half the widths of the intervals; 0 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    half: Option<Numbers>,
    /// The values as text; without it, the program makes it of the numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Vec<String>>,
    /// The positions of the points' files.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Places>,
}

impl<'a> Curves<'a> {
    fn of(drawing: &'a Drawing, points: &Points<'_>, intervals: bool) -> Self {
        let series = &drawing.series;
        let first = series.first().map_or(&[][..], |it| &it.x);
        let common = series.len() > 1 && series.iter().all(|it| it.x == first);
        let markers = series.iter().all(|it| it.x.len() <= MOST_POINTS);
        let curve = |series: &'a Series| Curve {
            name: &series.name,
            x: (!common).then(|| Numbers::of(series.x.iter().copied())),
            y: Numbers::of(series.y.iter().copied()),
            half: intervals.then(|| Numbers::of((0..series.y.len()).map(|i| half(series, i)))),
            text: markers.then(|| {
                let texts = (0..series.y.len()).map(|i| value(series, i, intervals));
                texts.collect()
            }),
            points: Places::of(series.x.iter().map(|x| points.find(&series.name, *x))),
        };
        Self {
            kind: drawing.kind,
            x_label: &drawing.x_label,
            y_label: &drawing.y_label,
            log_x: drawing.log_x,
            intervals,
            markers,
            x: common.then(|| Numbers::of(first.iter().copied())),
            series: series.iter().map(curve).collect(),
            names: &drawing.names,
            lanes: drawing.marks.as_ref().map_or(&[], |marks| &marks.lanes),
            rows: drawing.rows.as_ref(),
        }
    }
}

/// Half the width of an interval.
fn half(series: &Series, i: usize) -> f64 {
    match (series.low.get(i), series.high.get(i)) {
        (Some(low), Some(high)) if series.one_run.get(i) != Some(&true) => (high - low) / 2.0,
        _ => 0.0,
    }
}

/// The most points of a curve that are drawn with symbols and listed in a table on the page.
const MOST_POINTS: usize = 100;

/// Returns a drawing with its table and its links to files.
pub(super) fn html(section: &Section, drawing: &Drawing, points: &Points<'_>) -> String {
    let marks = drawing.marks.as_ref();
    let runs = runs(section);
    let intervals = runs > 1 && drawing.averaged;
    let data = Curves::of(drawing, points, intervals);
    let what = if intervals {
        format!("Mean of {runs} runs with its 95 % interval")
    } else if drawing.averaged {
        "One run of each point".to_owned()
    } else {
        "One run, with the first seed".to_owned()
    };
    let values = if !data.markers {
        String::new()
    } else {
        "\n".to_owned() + &later::html("Values", &table(drawing, points, intervals))
    };
    format!(
        r#"<figure class="drawing" data-title="{title}">{heading}
<div class="chart" data-section="{section}" role="group" aria-label="{label}"></div>
<script type="application/json">{json}</script>{counts}
<figcaption><span>{what}.</span> <span class="files">Data and drawing as files: <a href="{csv}">CSV</a>, <a href="{svg}">SVG</a>{epochs}</span></figcaption>{values}
</figure>
"#,
        title = Text(&section.title),
        heading = heading(drawing),
        section = Text(&anchor("figure", &[&section.name])),
        label = Text(&format!("{} against {}", drawing.y_label, drawing.x_label)),
        json = json(&data),
        csv = Beside(&drawing.stem, ".csv"),
        svg = Beside(&drawing.stem, ".svg"),
        counts = marks.map_or_else(String::new, |marks| {
            format!(
                "\n<p class=\"counted\"><span>Epochs of congestion.</span> {}</p>",
                Text(&marks.summary)
            )
        }),
        epochs = marks.map_or_else(String::new, |_| {
            format!(
                r#", <a href="{}">epochs</a>"#,
                Beside(&drawing.stem, super::EPOCHS)
            )
        }),
    )
}

/// The drawing's title, if it has one.
fn heading(drawing: &Drawing) -> String {
    match drawing.title.as_str() {
        "" => String::new(),
        title => format!(r#"<p class="heading">{}</p>"#, Text(title)),
    }
}

/// The number of runs per point.
pub(super) fn runs(section: &Section) -> u64 {
    section
        .seeds
        .1
        .wrapping_sub(section.seeds.0)
        .wrapping_add(1)
}

fn value(series: &Series, i: usize, intervals: bool) -> String {
    let mean = series.y[i];
    let ends = (series.low.get(i), series.high.get(i));
    if intervals && series.one_run.get(i) == Some(&true) {
        return number::of_one_run(mean);
    }
    match ends {
        (Some(low), Some(high)) if intervals && mean.is_finite() => {
            number::with_interval(mean, (high - low) / 2.0)
        }
        _ => number::plain(mean),
    }
}

/// The table of values: one row per x value and one column per curve; for bars and maps, one row
/// per curve. Each value links to its scenario file.
fn table(drawing: &Drawing, points: &Points<'_>, intervals: bool) -> String {
    let mut xs: Vec<f64> = drawing.series.iter().flat_map(|s| &s.x).copied().collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let cell = |series: &Series, x: f64| cell(series, x, points, intervals);
    let curves = drawing.series.iter();
    let (corner, columns, rows) = if drawing.kind != Kind::Curves {
        let columns = match xs[..] {
            [_] if drawing.kind == Kind::Bars => vec![drawing.y_label.clone()],
            _ => {
                let name = |x: &f64| match number::name(&drawing.names, *x) {
                    Some(name) => name.to_owned(),
                    None => format!("{} {}", drawing.x_label, number::place(*x)),
                };
                xs.iter().map(name).collect()
            }
        };
        let row = |(i, series): (usize, &Series)| {
            let cells = xs.iter().map(|x| cell(series, *x)).collect();
            let name = drawing.rows.as_ref().and_then(|rows| rows.names.get(i));
            (name.unwrap_or(&series.name).clone(), cells)
        };
        let corner = drawing.rows.as_ref().map(|rows| rows.label.clone());
        let rows = curves.enumerate().map(row).collect();
        (corner.unwrap_or_default(), columns, rows)
    } else {
        let row = |x: &f64| {
            let cells = drawing.series.iter().map(|s| cell(s, *x)).collect();
            (number::place(*x), cells)
        };
        let rows: Vec<(String, String)> = xs.iter().map(row).collect();
        let columns = curves.map(|series| series.name.clone()).collect();
        (drawing.x_label.clone(), columns, rows)
    };
    let mut table = format!(
        r#"<div class="scroll" role="region" tabindex="0" aria-label="{}"><table class="values"><thead><tr><th scope="col">{}</th>"#,
        Text(&format!("Values: {}", drawing.y_label)),
        Text(&corner)
    );
    for column in columns {
        table += &format!(r#"<th scope="col">{}</th>"#, Text(&column));
    }
    table += "</tr></thead><tbody>";
    for (name, cells) in rows {
        table += &format!(r#"<tr><th scope="row">{}</th>{cells}</tr>"#, Text(&name));
    }
    table + "</tbody></table></div>"
}

fn cell(series: &Series, x: f64, points: &Points<'_>, intervals: bool) -> String {
    let Some(i) = series.x.iter().position(|other| *other == x) else {
        return "<td></td>".to_owned();
    };
    let value = value(series, i, intervals);
    match points.find(&series.name, x) {
        Some(place) => format!(
            r##"<td><a href="#{}">{value}</a></td>"##,
            points.anchor(place)
        ),
        None => format!("<td>{value}</td>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    /// The JSON that the page's program reads.
    fn data(section: &Section) -> serde_json::Value {
        let html = html(section, &section.drawings[0], &Points::of(section));
        let (_, rest) = html.split_once("application/json\">").expect("data");
        let (json, _) = rest.split_once("</script>").expect("their end");
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn the_program_finds_numbers_text_and_files() {
        let section = example::section("f", 2, &[1.0, 2.0], (1, 10));
        let data = data(&section);
        let second = &data["series"][1];
        assert_eq!(second["name"], "C1");
        assert_eq!(second["y"], serde_json::json!([1940, 1640]));
        assert_eq!(second["half"], serde_json::json!([25, 25]));
        assert_eq!(
            second["text"],
            serde_json::json!(["1940 ± 25", "1640 ± 25"])
        );
        assert_eq!(second["points"], 2);
        // The x values of both curves.
        assert_eq!(data["x"], serde_json::json!([1, 2]));
        assert_eq!(second.get("x"), None);
        assert_eq!(data["intervals"], true);
    }

    #[test]
    fn one_seed_gives_no_interval() {
        let mut section = example::section("f", 1, &[1.0, 2.0], (4, 4));
        section.drawings[0].series[0].y[1] = f64::NAN;
        let data = data(&section);
        assert_eq!(data["intervals"], false);
        assert_eq!(data["series"][0]["text"], serde_json::json!(["2000", "–"]));
        assert_eq!(data["series"][0]["y"], serde_json::json!([2000, null]));
    }

    #[test]
    fn a_long_curve_has_only_its_numbers() {
        let xs: Vec<f64> = (0..101).map(|i| f64::from(i) * 0.1).collect();
        let mut section = example::section("f", 2, &xs, (1, 10));
        section.drawings[0].averaged = false;
        section.points.clear();
        section.drawings[0].series[1].x[0] = -1.0;
        let data = data(&section);
        assert_eq!(data.get("x"), None, "the curves have different ones");
        let first = data["series"][0].as_object().expect("a curve");
        let keys: Vec<&String> = first.keys().collect();
        assert_eq!(keys, ["name", "x", "y"]);
        let steps = serde_json::json!({ "from": 0, "step": 0.1, "count": 101 });
        assert_eq!(first["x"], steps);
        assert_eq!(data["series"][1]["x"][1], 0.1);
    }

    #[test]
    fn the_table_has_the_x_values_of_all_curves() {
        let mut section = example::section("f", 2, &[1.0, 2.0], (1, 2));
        section.drawings[0].series[1].x = vec![2.0, 3.0];
        section.points.pop();
        let table = table(&section.drawings[0], &Points::of(&section), true);
        let rows: Vec<&str> = table.split("<tr>").skip(2).collect();
        assert_eq!(
            rows,
            [
                "<th scope=\"row\">1</th><td><a href=\"#point.f.0\">2000 ± 25</a></td><td></td></tr>",
                "<th scope=\"row\">2</th><td><a href=\"#point.f.1\">1700 ± 25</a></td><td>1940 ± 25</td></tr>",
                "<th scope=\"row\">3</th><td></td><td>1640 ± 25</td></tr></tbody></table></div>",
            ]
        );
    }

    #[test]
    fn bars_have_one_row_per_curve() {
        let mut section = example::section("f", 2, &[1.0, 2.0], (1, 2));
        section.drawings[0].kind = Kind::Bars;
        let table = table(&section.drawings[0], &Points::of(&section), true);
        let rows: Vec<&str> = table.split("<tr>").skip(2).collect();
        assert_eq!(
            rows[1],
            "<th scope=\"row\">C1</th><td><a href=\"#point.f.2\">1940 ± 25</a></td><td><a href=\"#point.f.3\">1640 ± 25</a></td></tr></tbody></table></div>",
        );
        let label = &section.drawings[0].x_label;
        assert!(table.contains(&format!("{label} 1</th>")));
    }

    #[test]
    fn the_rows_of_a_map_have_their_own_names() {
        let mut section = example::section("f", 2, &[1.0, 2.0], (1, 2));
        let drawing = &mut section.drawings[0];
        drawing.kind = Kind::Map;
        drawing.rows = Some(Rows {
            label: "beta".to_owned(),
            names: vec!["0.5".to_owned(), "3".to_owned()],
        });
        let table = table(&section.drawings[0], &Points::of(&section), true);
        let rows: Vec<&str> = table.split("<tr>").skip(1).collect();
        assert!(
            rows[0].starts_with("<th scope=\"col\">beta</th><th scope=\"col\">loss rate 1</th>")
        );
        assert!(
            rows[2].starts_with(
                "<th scope=\"row\">3</th><td><a href=\"#point.f.2\">1940 ± 25</a></td>"
            )
        );
        let data = data(&section);
        assert_eq!(data["kind"], "map");
        assert_eq!(data["rows"]["names"], serde_json::json!(["0.5", "3"]));
    }

    #[test]
    fn the_files_are_beside_the_page() {
        let section = example::section("a/b", 1, &[1.0], (1, 2));
        let html = html(&section, &section.drawings[0], &Points::of(&section));
        assert!(html.contains("href=\"./a%2fb.csv\"") && html.contains("href=\"./a%2fb.svg\""));
        assert!(html.contains("Mean of 2 runs with its 95 % interval"));
    }
}
