//! What opening the page costs.

use std::fs;

use dumbbell_lab::report::html;
use serde_json::json;

use super::{DESKTOP, assert_no_errors, browser, example};

#[test]
fn a_large_report_is_usable_within_a_second() {
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
    // The time of the page's thread until it was complete, which other processes do not change much.
    page.call("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    page.call("Page.reload", json!({}));
    page.until("performance.getEntriesByType('navigation')[0]?.type === 'reload' && document.readyState === 'complete'");
    let metrics = page.call("Performance.getMetrics", json!({}));
    let metrics = metrics["metrics"].as_array().expect("a list");
    let spent = metrics.iter().find(|it| it["name"] == "TaskDuration");
    let spent = spent.and_then(|it| it["value"].as_f64()).expect("seconds");
    assert!(spent < 1.0, "{spent} s");
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
