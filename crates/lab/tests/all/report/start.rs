//! What opening the page costs, in elements and drawings: what it costs in time depends on the machine.

use std::fs;

use dumbbell_lab::report::html;

use super::{DESKTOP, assert_no_errors, browser, example};

#[test]
fn a_large_report_is_laid_out_and_drawn_only_where_one_looks() {
    let Some(mut browser) = browser::start("large") else {
        return;
    };
    // As many figures, claims and points as the whole reproduction has.
    let xs: Vec<f64> = (1..=8).map(|i| f64::from(i) * 0.01).collect();
    let mut document = example::document();
    let claims = document.papers[0].sections[0].claims.clone();
    document.papers[0].sections = (0..80)
        .map(|i| {
            let mut section = example::section(&format!("one-fig{i}"), 5, &xs, (1, 10));
            for point in &mut section.points {
                point.text += &"key = \"value\"\n".repeat(125);
            }
            section.claims = claims.clone();
            section
        })
        .collect();
    let file = browser.folder().join("report.html");
    fs::write(&file, html(&document)).expect("it is written");
    let mut page = browser.open(&file, DESKTOP);
    // What is far away has not been drawn, and what is folded away is text.
    assert_eq!(
        page.value("document.querySelectorAll('[data-drawn]').length"),
        0
    );
    assert_eq!(
        page.value("document.querySelectorAll('.values, .picker *').length"),
        0
    );
    let each = page.value("document.querySelectorAll('article.figure *').length / 80");
    assert!(
        each.as_f64().is_some_and(|each| each < 130.0),
        "{each} elements a figure"
    );
    assert_no_errors(&mut page);

    // A link far down the page arrives there, although nothing on the way has been laid out.
    page.value("void (location.hash = '#claim.one-fig70.fails')");
    let place = "document.getElementById('claim.one-fig70.fails').getBoundingClientRect()";
    page.until(&format!("{place}.top > 0 && {place}.top < innerHeight / 2"));
    assert_no_errors(&mut page);
}
