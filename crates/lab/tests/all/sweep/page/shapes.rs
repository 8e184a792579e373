//! Sweeps of other shapes: paths in step, one point, no runs, a hundred curves.

use dumbbell_lab::sweep::page;
use serde_json::{Value, json};

use super::{choose, count, groups, runs, written};
use crate::report::browser;
use crate::report::{DESKTOP, assert_no_errors};
use crate::sweep::read;

#[test]
fn paths_in_step_are_one_dimension() {
    let Some(mut browser) = browser::start("sweep-zip") else {
        return;
    };
    let sweep = read(
        r#"[sweep]
repeat = 2
grid = { "bottleneck.delay" = ["5 ms", "50 ms"] }
zip = [{ "flow.main.control" = ["veno", "reno"], "flow.main.recovery" = ["reno", "newreno"] },
       { "bottleneck.rate" = ["1 Mb/s", "2 Mb/s", "4 Mb/s"], "bottleneck.queue.droptail" = [10, 20, 40] }]
"#,
    )
    .expect("it is right");
    let html = page::of(&sweep, &groups(&sweep), &runs(&sweep));
    let file = written(&browser, &html);
    let mut page = browser.open(&file, DESKTOP);
    let options = |id: &str| {
        format!("[...document.getElementById('choose-{id}').options].map((it) => it.value)")
    };
    let (step, size) = (
        "flow.main.control + flow.main.recovery",
        "bottleneck.rate + bottleneck.queue.droptail",
    );
    let dimensions = json!(["none", "bottleneck.delay", step, size, "group"]);
    assert_eq!(page.value(&options("curves")), dimensions);
    // Each path of numbers can be the x axis.
    let axes = json!([
        "bottleneck.delay",
        step,
        size,
        "bottleneck.rate",
        "bottleneck.queue.droptail",
        "group"
    ]);
    assert_eq!(page.value(&options("x")), axes);
    assert_eq!(
        page.value("document.getElementById('choose-x').value"),
        "bottleneck.rate"
    );
    let names = "[...document.querySelectorAll('#legend button')].map((it) => it.textContent)";
    assert_eq!(page.value(names), json!(["veno, reno", "reno, newreno"]));
    assert_eq!(
        [".panel", ".line", ".point"].map(|what| count(&mut page, what)),
        [4, 8, 24]
    );
    choose(&mut page, "x", "bottleneck.queue.droptail");
    let heads = "document.querySelector('#numbers thead th').textContent + [...document.querySelectorAll('#numbers tbody:first-of-type tr:not(.panel) th')].map((it) => ` ${it.textContent}`).join()";
    assert_eq!(page.value(heads), "bottleneck.queue.droptail 10, 20, 40");
    assert_no_errors(&mut page);
}

#[test]
fn small_and_large_sweeps_have_a_page() {
    let Some(mut browser) = browser::start("sweep-sizes") else {
        return;
    };
    // One point.
    let single = read("").expect("it is right");
    let file = written(
        &browser,
        &page::of(&single, &groups(&single), &runs(&single)),
    );
    let mut page = browser.open(&file, DESKTOP);
    assert_eq!(count(&mut page, ".point"), 2, "the groups");
    assert_no_errors(&mut page);

    // The values at the start go together, where not all combinations are run.
    let sparse = read(
        "[sweep]\nrepeat = 2\ngrid = { \"bottleneck.delay\" = [\"1 ms\", \"5 ms\"], \"bottleneck.loss.bernoulli\" = \
         [0.0, 0.01, 0.1], \"flow.main.control\" = [\"veno\", \"reno\"], \"bottleneck.rate\" = [\"1 Mb/s\", \"2 Mb/s\"] }\n\
         where = \"bottleneck.delay > 1 ms or bottleneck.rate > 1 Mb/s\"\n",
    )
    .expect("it is right");
    let file = written(
        &browser,
        &page::of(&sparse, &groups(&sparse), &runs(&sparse)),
    );
    let mut page = browser.open(&file, DESKTOP);
    for part in ["columns", "rows"] {
        choose(&mut page, part, "none");
    }
    assert_eq!(count(&mut page, ".point"), 6);
    let only = "document.getElementById('choose-only-bottleneck.rate').value";
    assert_eq!(page.value(only), "2 Mb/s");
    // A loss rate of 0 has no logarithm.
    choose(&mut page, "xscale", "log");
    let sentence =
        "document.getElementById('sentences').textContent.includes('takes values above 0')";
    assert_eq!(page.value(sentence), true);
    assert_no_errors(&mut page);

    // No runs.
    let mut none = groups(&single);
    for column in &mut none.columns {
        column.values = dumbbell_lab::table::Values::none(column.values.sort());
    }
    let file = written(&browser, &page::of(&single, &none, &none));
    let mut page = browser.open(&file, DESKTOP);
    let visible = "document.querySelector('p.nothing:not(noscript *)').getClientRects().length";
    assert_eq!(page.value(visible), 1);
    assert_no_errors(&mut page);

    // A hundred curves are offered as small multiples.
    let many = read(
        "[sweep]\nrepeat = 2\ngrid = { \"flow.main.start\" = { from = \"0 s\", to = \"1 s\", count = 100 }, \
         \"bottleneck.delay\" = { from = \"1 ms\", to = \"100 ms\", count = 101 } }\n",
    )
    .expect("it is right");
    let table = groups(&many);
    assert_eq!(table.rows(), 60_600);
    let html = page::of(&many, &table, &runs(&many));
    assert!(html.len() < 2_500_000, "{} bytes", html.len());
    let file = written(&browser, &html);
    let mut page = browser.open(&file, DESKTOP);
    choose(&mut page, "columns", "none");
    choose(&mut page, "rows", "none");
    choose(&mut page, "curves", "flow.main.start");
    assert_eq!(count(&mut page, ".curve"), 100);
    // 1 s / 99, which is written with all digits, is rounded for people.
    let second = "document.querySelectorAll('#legend button')[1].textContent";
    assert_eq!(page.value(second), "10.1 ms");
    page.click("document.querySelector('#offer button')", 1);
    assert_eq!(
        [".panel", ".curve"].map(|what| count(&mut page, what)),
        [100, 100]
    );
    let rows = "document.querySelectorAll('#numbers tbody tr:not(.panel)').length";
    assert_eq!(page.value(rows), 200);
    page.click("document.querySelector('#more button')", 1);
    assert_eq!(page.value(rows), 10_100);
    assert_eq!(
        page.value("document.documentElement.dataset.errors ?? null"),
        Value::Null
    );
}
