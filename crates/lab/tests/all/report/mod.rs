//! Tests of the report page in a browser, which check what tests of the HTML cannot.
//!
//! They run if a Chromium is installed; with `DUMBBELL_REQUIRE_BROWSER=1` they fail if there is
//! none.

pub(crate) mod browser;
mod charts;
mod cross;
#[path = "../../../src/report/example.rs"]
mod example;
mod front;
mod many;
mod page;
mod search;
mod start;

use std::fs;
use std::path::PathBuf;

use dumbbell_lab::claim::{self, Judgement, Standing, Verdict};
use dumbbell_lab::figure::{Kind, Lane, Mark, Rows};
use dumbbell_lab::report::{
    Document, Drawing, Exploration, Flip, JudgedClaim, Marks, Paper, PointFile, Reading, Run,
    Section, Series, html,
};
use serde_json::{Value, json};

use browser::{Browser, Page, Window};

pub(crate) const DESKTOP: Window = Window {
    width: 1400,
    height: 900,
    dark: false,
    touch: false,
};

const PHONE: Window = Window {
    width: 360,
    height: 740,
    touch: true,
    ..DESKTOP
};

/// Writes the invented report to a file in the browser's folder.
fn report(browser: &Browser) -> PathBuf {
    let file = browser.folder().join("report.html");
    fs::write(&file, html(&example::document())).expect("it is written");
    file
}

/// Scrolls to every drawing and waits until it is drawn.
fn draw_all(page: &mut Page<'_>) -> u64 {
    let count = page.value("document.querySelectorAll('.chart').length");
    let count = count.as_u64().expect("a number");
    for i in 0..count {
        go_to(page, i);
    }
    count
}

fn go_to(page: &mut Page<'_>, chart: u64) {
    let element = format!("document.querySelectorAll('.chart')[{chart}]");
    // Its neighbours are drawn, too, and may move it: what is pointed at must stay where it is.
    page.until(&format!(
        "(() => {{
           const chart = {element};
           chart.scrollIntoView({{ block: 'center', behavior: 'instant' }});
           const isNear = ({{ top, bottom }}) => bottom > -300 && top < innerHeight + 300;
           return [...document.querySelectorAll('.chart')].every(
             (each) => each.dataset.drawn !== undefined || !isNear(each.getBoundingClientRect()),
           ) && chart.dataset.drawn !== undefined;
         }})()"
    ));
}

pub(crate) fn assert_no_errors(page: &mut Page<'_>) {
    assert_eq!(
        page.value("document.documentElement.dataset.errors ?? null"),
        Value::Null
    );
}

/// Checks that every text has the contrast that WCAG 2.1 (AA) requires: 4.5, or 3 for large text.
pub(crate) fn assert_contrast(page: &mut Page<'_>) {
    page.value("for (const d of document.querySelectorAll('details')) d.open = true");
    // Changes of colours may take a moment.
    page.until("document.getAnimations().length === 0");
    let weak = page.value(
        r#"(() => {
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  let texts = 0;
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || e.closest("svg, script, .anchor, noscript") || e.getClientRects().length === 0) continue;
    texts += 1;
    const { color, fontSize, fontWeight } = getComputedStyle(e);
    const [a, b] = [luminance(parse(color)), luminance(ground(e))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && fontWeight >= 700);
    if (contrast < (large ? 3 : 4.5)) found.add(`${e.tagName}.${e.className} ${contrast.toFixed(2)}`);
  }
  return texts > 80 ? [...found] : [`only ${texts} texts`];
})()"#,
    );
    assert_eq!(weak, json!([]));
}
