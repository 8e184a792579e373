//! The whole page.

use std::fmt::Write as _;

use super::document::Document;
use super::{matrix, missing, overview, readings, section};
use crate::figure::{COLOURS, SCALE};
use crate::markup::{Text, fill};

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// Runs first: it records errors, and chooses the light or dark theme before anything is shown.
pub(crate) const BEGIN: &str = include_str!("page/begin.js");
/// What tells curves from each other.
pub(crate) const SYMBOLS: &str = include_str!("page/symbols.js");
const PROGRAM: [&str; 12] = [
    include_str!("page/navigation.js"),
    include_str!("page/search.js"),
    include_str!("page/data.js"),
    include_str!("page/chart.js"),
    SYMBOLS,
    include_str!("page/multiples.js"),
    include_str!("page/marks.js"),
    include_str!("page/curves.js"),
    include_str!("page/bars.js"),
    include_str!("page/map.js"),
    include_str!("page/scatter.js"),
    include_str!("page/scenario.js"),
];
const LIBRARY: &str = include_str!("../../vendor/plotly/plotly-cartesian.min.js");

/// Returns the report as a page: a single file that needs no network.
///
/// Names, claims and files may contain any text. The names of sections must be unique within the
/// document, and those of claims within their section; otherwise links lead to the first of the
/// same name.
pub fn html(document: &Document) -> String {
    let is_complete = document.missing.is_empty();
    let made = is_complete.then(|| overview::made(&document.run));
    let made = made.unwrap_or_default();
    fill(
        TEMPLATE,
        &[
            ("summary", &Text(&overview::summary(document)).to_string()),
            ("style", STYLE),
            ("colours", &colours()),
            ("begin", BEGIN),
            ("contents", &overview::contents(document)),
            ("counts", &overview::counts(document)),
            ("note", overview::note(&document.run)),
            ("missing", &missing::note(document)),
            ("made", &made),
            ("overview", &overview::papers(document)),
            ("claims", &overview::claims(document)),
            ("papers", &section::papers(document)),
            ("explorations", &readings::explorations(document)),
            ("matrix", &matrix::html(document)),
            ("run", &run(document)),
            ("library", LIBRARY),
            ("program", &PROGRAM.concat()),
        ],
    )
}

/// The colours of curves and of maps, equal to those of the drawings in files.
pub(crate) fn colours() -> String {
    let mut style = String::new();
    for (name, colours) in [("series", &COLOURS[..]), ("scale", &SCALE)] {
        for (i, colour) in colours.iter().enumerate() {
            write!(
                style,
                "--{name}-{i}:#{:02x}{:02x}{:02x};",
                colour.0, colour.1, colour.2
            )
            .expect("a string takes everything");
        }
        write!(style, "--{name}-count:{};", colours.len()).expect("a string takes everything");
    }
    format!(":root{{{style}}}")
}

/// How the report was made.
fn run(document: &Document) -> String {
    let Document { run, missing, .. } = document;
    let facts = [
        ("Command", format!("<code>{}</code>", Text(&run.command))),
        ("First seed", run.seed.to_string()),
        ("Version", Text(&run.version).to_string()),
        (
            "Fingerprint of the sources",
            format!("<code>{}</code>", Text(&run.fingerprint)),
        ),
        (
            "Runs",
            format!(
                "{} simulated now, {} kept from before",
                run.simulated, run.kept
            ),
        ),
        ("Time taken", format!("{:.1} s", run.seconds)),
        (
            "Extent",
            if run.quick {
                "a quick look: fewer points and seeds"
            } else {
                "all points and seeds"
            }
            .to_owned(),
        ),
    ];
    let mut list = String::new();
    // The numbers of runs and the time are known at the end.
    let known = |name: &str| missing.is_empty() || !["Runs", "Time taken"].contains(&name);
    for (name, value) in facts.into_iter().filter(|(name, _)| known(name)) {
        write!(list, "<div><dt>{name}</dt><dd>{value}</dd></div>")
            .expect("a string takes everything");
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    /// The page without the drawing library, which is third-party code.
    fn page() -> String {
        html(&example::document()).replacen(LIBRARY, "", 1)
    }

    #[test]
    fn hostile_names_are_escaped() {
        let page = page();
        for bad in [
            "<img",
            "throw 'in'</script>",
            "<b>$x$",
            "<one>",
            "<congestion>",
        ] {
            assert!(!page.contains(bad), "{bad}");
        }
        assert!(page.contains("&lt;img src=x"), "it is shown, though");
    }

    #[test]
    fn every_link_within_the_page_has_a_target() {
        let page = page();
        let mut checked = 0;
        for link in page.split("href=\"#").skip(1) {
            let (place, _) = link.split_once('"').expect("it ends");
            checked += 1;
            // The program creates the anchors of points, but their figure has to exist.
            if let Some(point) = place.strip_prefix("point.") {
                let (figure, _) = point.rsplit_once('.').expect("figure and place");
                assert!(page.contains(&format!("id=\"figure.{figure}\"")), "{place}");
            } else {
                assert!(page.contains(&format!("id=\"{place}\"")), "{place}");
            }
        }
        assert!(checked > 50, "{checked} links");
    }

    #[test]
    fn a_page_with_sixty_figures_is_not_too_large() {
        let xs: Vec<f64> = (1..=12).map(|i| f64::from(i) * 0.01).collect();
        let mut document = example::document();
        document.papers[0].sections = (0..60)
            .map(|i| {
                let mut section = example::section(&format!("one-fig{i}"), 5, &xs, (1, 10));
                for point in &mut section.points {
                    point.text = "key = \"value\"\n".repeat(125);
                }
                section
            })
            .collect();
        let size = html(&document).len();
        assert!(size < 15_000_000, "{size} bytes");
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        let page = page();
        assert!(page.contains("default-src 'none'"));
        for bad in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!page.contains(bad), "{bad}");
        }
    }

    #[test]
    fn the_library_does_not_end_its_script() {
        assert!(LIBRARY.starts_with("/**\n* plotly.js (cartesian - minified) v4.1.1\n"));
        let lower = LIBRARY.to_ascii_lowercase();
        assert!(!lower.contains("</script") && !lower.contains("<!--"));
    }

    #[test]
    fn the_page_shows_how_to_repeat_it() {
        let page = page();
        for part in [
            "<code>dumbbell reproduce --seed 1</code>",
            "<code>0123abcd</code>",
            "12 simulated now, 345 kept from before",
            "67.8 s",
            "A quick look.",
        ] {
            assert!(page.contains(part), "{part}");
        }
    }
}
