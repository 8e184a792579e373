//! The drawings: their marks, legends, zoom and hover texts, and the points that lead to their files.

use std::fs;

use serde_json::json;

use super::browser::{self, Window};
use super::{DESKTOP, assert_no_errors, draw_all, example, go_to, report};

#[test]
fn every_drawing_is_drawn_when_it_becomes_visible() {
    let Some(mut browser) = browser::start("drawn") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    assert_eq!(
        page.value("document.querySelectorAll('[data-drawn]').length"),
        0
    );
    assert_eq!(draw_all(&mut page), 8);
    assert_eq!(
        page.value("document.querySelectorAll('[data-drawn]').length"),
        8
    );

    let each = |what: &str| {
        format!(
            "[...document.querySelectorAll('.plot')].map((p) => p.querySelectorAll('{what}').length)"
        )
    };
    // Curves times x values, one of which has no value, and three markers. There is one seed, so
    // there are no intervals.
    assert_eq!(
        page.value(&each(".point")),
        json!([16, 16, 27, 1, 8, 0, 27, 0])
    );
    assert_eq!(
        page.value(&each(".errorbar path.yerror")),
        json!([16, 16, 27, 1, 0, 0, 0, 0])
    );
    // Names are shown literally, even if they contain what the library treats as markup.
    let name =
        page.value("document.querySelectorAll('.legend')[2].querySelector('button').textContent");
    assert_eq!(name, example::HOSTILE);
    go_to(&mut page, 2);
    let hover = "document.querySelectorAll('.plot')[2].querySelector('.hoverlayer').textContent";
    page.point_until(
        "document.querySelectorAll('.plot')[2].querySelector('.point')",
        &format!("{hover}.includes('2000 ± 25')"),
    );
    let hover = page.value(hover);
    assert!(
        hover
            .as_str()
            .is_some_and(|h| h.contains("</script><script>throw 'in'")),
        "{hover}"
    );
    assert_no_errors(&mut page);

    // The names and descriptions of markers are shown literally, too.
    let keys = "[...document.querySelectorAll('div.legend')[4].children].map((b) => b.textContent)";
    assert_eq!(
        page.value(keys),
        json!(["C0", "C1", "in phase", example::HOSTILE, "roles change"])
    );
    go_to(&mut page, 4);
    let marks = "document.querySelectorAll('.plot')[4].querySelectorAll('.xy2 .point')";
    assert_eq!(page.value(&format!("{marks}.length")), 3);
    let hover = "document.querySelectorAll('.plot')[4].querySelector('.hoverlayer').textContent";
    page.point_until(
        &format!("{marks}[2]"),
        &format!("{hover}.includes('cut at 100: </script><script>throw')"),
    );
    page.press_until(
        &format!("{marks}[2]"),
        "document.querySelectorAll('.picked')[4].textContent.includes(': cut at 100: </script>')",
    );
    page.click("document.querySelectorAll('div.legend')[4].children[2]", 1);
    page.until(&format!("{marks}.length === 1"));
    assert_no_errors(&mut page);

    let requests = page.requests();
    let outside: Vec<&String> = requests
        .iter()
        .filter(|url| !url.starts_with("data:") && !url.ends_with("/report.html"))
        .collect();
    assert!(!requests.is_empty() && outside.is_empty(), "{requests:?}");
    // Requests to other sites are blocked and recorded.
    page.value("void (new Image().src = 'http://127.0.0.1:9/')");
    page.until("(document.documentElement.dataset.errors ?? '').includes('img-src')");
}

#[test]
fn bars_have_one_row_per_curve_and_one_key_per_x_value() {
    let Some(mut browser) = browser::start("bars") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 6);
    let chart = "document.querySelectorAll('.chart')[6]";
    for (what, count) in [
        (".trace.bars", 3),
        (".bars .point", 27),
        ("path.xerror", 0),
        (".legend button", 3),
        (
            ".yaxislayer-above .ytick text, .yaxislayer-below .ytick text",
            9,
        ),
    ] {
        let found = format!("{chart}.querySelectorAll('{what}').length");
        assert_eq!(page.value(&found), count, "{what}");
    }
    let plot = format!("{chart}.querySelector('.plot')");
    assert_eq!(
        page.value(&format!("{plot}.layout.yaxis.ticktext[1]")),
        "C1"
    );
    // The first row is at the top, also after a reset.
    let upside_down = format!("{plot}.layout.yaxis.range[0] > {plot}.layout.yaxis.range[1]");
    assert_eq!(page.value(&upside_down), true);
    page.click(&format!("{chart}.querySelectorAll('.tools button')[2]"), 1);
    assert_eq!(page.value(&upside_down), true);
    assert_no_errors(&mut page);
}

#[test]
fn a_map_has_its_numbers_in_its_cells() {
    let Some(mut browser) = browser::start("map") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 7);
    let plot = "document.querySelectorAll('.chart')[7].querySelector('.plot')";
    page.until(&format!(
        "{plot}.querySelectorAll('text.annotation-text').length === 27"
    ));
    let words = format!("{plot}.querySelector('text.annotation-text').textContent");
    assert_eq!(page.value(&words), "2000");
    // The first row is at the bottom.
    let rows = format!("{plot}.layout.yaxis");
    assert_eq!(page.value(&format!("{rows}.ticktext[1]")), "C1");
    assert_eq!(
        page.value(&format!("{rows}.range[0] < {rows}.range[1]")),
        true
    );
    // The hover text describes the cell under the mouse.
    let (x, y) = page.point_at(&format!(
        "{plot}.querySelectorAll('text.annotation-text')[3]"
    ));
    let hover = format!("{plot}.querySelector('.hoverlayer').textContent");
    page.until(&format!("{hover}.includes('C1')"));
    page.press(x, y, 1);
    page.until("document.querySelectorAll('.chart')[7].querySelector('.picked').textContent.startsWith('C1, ')");
    // Its colours are those of the files, in the light and the dark theme.
    let scale = format!("JSON.stringify({plot}.data[0].colorscale)");
    assert!(
        page.value(&scale)
            .as_str()
            .is_some_and(|s| s.starts_with("[[0,\"#0d265c\"]"))
    );
    assert_no_errors(&mut page);
}

#[test]
fn curves_are_switched_with_the_legend() {
    let Some(mut browser) = browser::start("legend") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 0);
    let key = |i: u32| format!("document.querySelectorAll('.legend')[0].children[{i}]");
    let pressed =
        "[...document.querySelectorAll('.legend')[0].children].map((b) => b.ariaPressed).join()";
    let shown = "document.querySelector('.plot').querySelectorAll('.scatter').length";
    assert_eq!(page.value(shown), 4);

    page.click(&key(1), 1);
    page.until(&format!("{shown} === 3"));
    assert_eq!(page.value(pressed), "true,false,true,true");
    page.click(&key(1), 1);
    page.until(&format!("{shown} === 4"));

    page.click(&key(2), 2);
    page.until(&format!("{shown} === 1"));
    assert_eq!(page.value(pressed), "false,false,true,false");
    page.click(&key(2), 2);
    page.until(&format!("{shown} === 4"));

    page.value(&format!("{}.focus()", key(0)));
    page.key(" ", 32);
    page.until(&format!("{shown} === 3"));
    assert_no_errors(&mut page);
}

#[test]
fn zooming_in_and_out_works() {
    let Some(mut browser) = browser::start("zoom") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 0);
    let ticks = "[...document.querySelector('.plot').querySelectorAll('.xtick')].map((t) => t.textContent).filter(Boolean).join(' ')";
    let range =
        "document.querySelector('.plot').layout.xaxis.range.map((x) => x.toFixed(6)).join()";
    let home = page.value(range);
    let home_ticks = page.value(ticks);
    assert!(
        home_ticks
            .as_str()
            .is_some_and(|t| t.starts_with("0.0001 0.0002 0.0005 0.001 ")),
        "{home_ticks}"
    );

    let tool = |name: &str| format!("document.querySelector('.tools [aria-label=\"{name}\"]')");
    page.click(&tool("Zoom in"), 1);
    page.until(&format!("{range} !== '{}'", home.as_str().expect("text")));
    page.until(&format!("!{ticks}.startsWith('0.0001')"));
    page.click(&tool("Show the whole drawing"), 1);
    page.until(&format!("{range} === '{}'", home.as_str().expect("text")));
    assert_eq!(page.value(ticks), home_ticks);
    assert_no_errors(&mut page);
}

#[test]
fn a_point_shows_its_value_and_its_file() {
    let Some(mut browser) = browser::start("point") else {
        return;
    };
    let file = report(&browser);
    let folder = browser.folder().to_owned();
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 0);
    // C1 at 0.001: 2000 - 300 - 60.
    let point = "document.querySelectorAll('.plot .scatter')[1].querySelectorAll('.point')[1]";
    let (x, y) = page.point_at(point);
    page.until("document.querySelector('.plot .hoverlayer').textContent.includes('1640 ± 25')");
    page.press(x, y, 1);
    page.until("document.querySelector('.picked').textContent.startsWith('C1, loss rate 0.001: 1640 ± 25')");
    page.click("document.querySelector('.picked a')", 1);
    page.until("document.querySelector('dialog').open");
    assert_eq!(page.value("location.hash"), "#point.one-fig2.5");
    let part = |what: &str| format!("document.querySelector('dialog {what}').textContent");
    assert_eq!(page.value(&part("h2")), "C1, loss rate 0.001");
    assert_eq!(
        page.value(&part("code")),
        "dumbbell run c1-0.001.toml --repeat 10"
    );
    let text = "# C1 at 0.001\nduration = \"100 s\"\n";
    assert_eq!(page.value(&part("pre")), text);

    page.save_to(&folder);
    page.click("document.querySelector('dialog .download')", 1);
    page.until(&format!("{} === 'Saved as c1-0.001.toml.'", part(".done")));
    let saved = folder.join("c1-0.001.toml");
    for _ in 0..500 {
        if saved.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(fs::read_to_string(saved).expect("it was saved"), text);
    page.click("document.querySelector('dialog .copy')", 1);
    page.until(&format!("{} === 'File copied.'", part(".done")));
    page.key("Escape", 27);
    page.until("location.hash === '#figure.one-fig2'");

    // From a claim to a file, and back.
    page.click(
        "document.querySelector('.claims details.files > summary')",
        1,
    );
    page.until("document.querySelectorAll('.claims details.files a').length === 2");
    page.click("document.querySelectorAll('.claims details.files a')[1]", 1);
    page.until(&format!("{} === 'C0, loss rate 0.01'", part("h2")));
    assert_eq!(page.value(&part(".claimed")), "Claims about it: holds");
    page.click("document.querySelector('dialog .claimed a')", 1);
    page.until("!document.querySelector('dialog').open");
    assert_eq!(page.value("location.hash"), "#claim.one-fig2.holds");

    // The other ways: an address, the table of values, and the menu.
    page.value("void (location.hash = '#point.odd_20_3cone_3e_20_26_20_22two_22.0')");
    page.until("document.querySelector('dialog').open");
    assert_eq!(
        page.value(&part("code")),
        "dumbbell run './-a b'\\''s.toml' --repeat 3"
    );
    assert_eq!(
        page.value(&part("pre")),
        format!("# {}\n", example::HOSTILE)
    );
    page.click("document.querySelector('dialog .close')", 1);
    page.until("!document.querySelector('dialog').open");

    page.click("document.querySelector('figure .fold > summary')", 1);
    page.until("document.querySelector('.values td a') !== null");
    page.click("document.querySelectorAll('.values td a')[4]", 1);
    page.until(&format!("{} === 'C0, loss rate 0.001'", part("h2")));
    page.key("Escape", 27);

    page.click("document.querySelector('.scenarios > summary')", 1);
    page.until("document.querySelector('.picker select') !== null");
    page.value(
        "(() => { const [curve, place] = document.querySelectorAll('.picker select');
           curve.value = 'C3'; curve.dispatchEvent(new Event('change'));
           place.selectedIndex = 2; place.dispatchEvent(new Event('change')); })()",
    );
    page.click("document.querySelector('.picker a')", 1);
    page.until(&format!("{} === 'C3, loss rate 0.01'", part("h2")));
    assert_no_errors(&mut page);
}

#[test]
fn drawings_visible_at_the_start_are_drawn_at_once() {
    let Some(mut browser) = browser::start("start") else {
        return;
    };
    let file = report(&browser);
    let tall = Window {
        height: 30_000,
        ..DESKTOP
    };
    let mut page = browser.open(&file, tall);
    page.until("document.querySelectorAll('[data-drawn]').length === 6");
    assert_no_errors(&mut page);
}
