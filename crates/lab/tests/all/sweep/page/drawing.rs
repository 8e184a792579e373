//! How the figure is drawn, its files, and its place in windows of any size.

use dumbbell_lab::table::csv;
use serde_json::json;

use super::{choose, count, example, saved};
use crate::report::browser::{self, Window};
use crate::report::{DESKTOP, assert_contrast, assert_no_errors};

#[test]
fn every_way_of_drawing_works() {
    let Some(mut browser) = browser::start("sweep-drawing") else {
        return;
    };
    let (file, ..) = example(&browser);
    let mut page = browser.open(&file, DESKTOP);
    for (id, values) in [
        ("xscale", &["linear", "log", "even", "auto"][..]),
        ("yscale", &["fit", "log", "zero"]),
        ("panels", &["free", "common"]),
    ] {
        for value in values {
            choose(&mut page, id, value);
            let lines = page.value("[...document.querySelectorAll('#figure path')].map((it) => it.getAttribute('d')).join()");
            assert!(
                !lines.as_str().expect("text").contains("NaN"),
                "{id} {value}"
            );
            assert_eq!(count(&mut page, ".point"), 24);
        }
    }
    choose(&mut page, "intervals", "bands");
    assert_eq!(
        [".band", ".interval"].map(|what| count(&mut page, what)),
        [8, 0]
    );
    choose(&mut page, "intervals", "none");
    assert_eq!(
        [".band", ".interval"].map(|what| count(&mut page, what)),
        [0, 0]
    );
    page.click("document.getElementById('choose-runs')", 1);
    let dots = "[...document.querySelectorAll('#figure .runs')].map((it) => it.getAttribute('d').split('M').length - 1)";
    assert_eq!(page.value(dots), json!([9, 9, 9, 9, 9, 9, 9, 9]));
    // With a logarithmic axis, loss rates ten times each other are equally far apart.
    let steps = page.value(
        "(() => { const xs = [...document.querySelectorAll('#figure .panel')][0].querySelectorAll('.point');
           const at = [...xs].slice(0, 3).map((it) => Number(it.getAttribute('transform').match(/[\\d.]+/)[0]));
           return Math.abs((at[2] - at[1]) / (at[1] - at[0]) - 1) < 0.01; })()",
    );
    assert_eq!(steps, true);
    // The arrow keys go from point to point.
    page.value("document.getElementById('figure').focus()");
    page.key("ArrowRight", 39);
    page.key("ArrowRight", 39);
    page.until("document.getElementById('tip').textContent.includes('bernoulli = 0.01')");
    page.key("Escape", 27);
    page.until("document.getElementById('tip').hidden");
    assert_no_errors(&mut page);
}

#[test]
fn files_have_the_figure_and_the_tables() {
    let Some(mut browser) = browser::start("sweep-files") else {
        return;
    };
    let (file, groups, runs) = example(&browser);
    let folder = browser.folder().to_owned();
    let dark = Window {
        dark: true,
        ..DESKTOP
    };
    let mut page = browser.open(&file, dark);
    page.save_to(&folder);
    let svg = saved(&mut page, &folder, "save-svg", "my-goodput.svg");
    assert!(!svg.contains("var("), "{svg}");
    // Files are for paper: light, whatever the screen is.
    assert!(
        svg.contains("fill: #1d2126") && !svg.contains("#e7e9ec"),
        "{svg}"
    );
    let parsed = page.value(&format!(
        "(() => {{ const svg = new DOMParser().parseFromString({}, 'image/svg+xml');
           return [svg.querySelectorAll('parsererror').length, svg.querySelectorAll('.curve').length,
             [...svg.querySelectorAll('text')].filter((it) => ['veno', 'reno'].includes(it.textContent)).length]; }})()",
        json!(svg)
    ));
    assert_eq!(parsed, json!([0, 8, 2]), "curves, and a legend");
    for (table, button, name) in [
        (&groups, "save-groups", "my-groups.csv"),
        (&runs, "save-runs", "my-runs.csv"),
    ] {
        let mut expected = Vec::new();
        csv::write(table, &mut expected).expect("memory takes everything");
        let expected = String::from_utf8(expected).expect("text");
        assert_eq!(saved(&mut page, &folder, button, name), expected, "{name}");
    }
    assert_no_errors(&mut page);
}

#[test]
fn the_page_fits_every_window() {
    let Some(mut browser) = browser::start("sweep-narrow") else {
        return;
    };
    let (file, ..) = example(&browser);
    let mut page = browser.open(&file, DESKTOP);
    for (width, dark) in [
        (320, false),
        (360, true),
        (700, false),
        (1023, true),
        (1600, false),
    ] {
        page.resize(Window {
            width,
            touch: width < 600,
            ..DESKTOP
        });
        let theme = if dark { "dark" } else { "light" };
        page.value(&format!(
            "document.querySelector('[name=theme][value={theme}]').click()"
        ));
        page.until(&format!("matchMedia('(width: {width}px)').matches"));
        page.until("(() => { const f = document.querySelector('#figure'); const s = f.querySelector('svg'); return Math.abs(Number(s.getAttribute('width')) - Math.max(240, f.clientWidth)) < 2; })()");
        assert_eq!(
            page.value(&format!("document.documentElement.scrollWidth <= {width}")),
            true,
            "{width}"
        );
        assert_contrast(&mut page);
    }
    let nameless = page.value(
        "[...document.querySelectorAll('button, select, summary, input')].filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).length",
    );
    assert_eq!(nameless, 0);
    assert_no_errors(&mut page);
}
