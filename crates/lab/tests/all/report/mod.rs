//! Tests of the report page in a browser, which check what tests of the HTML cannot.
//!
//! They run if a Chromium is installed; with `DUMBBELL_REQUIRE_BROWSER=1` they fail if there is
//! none.

pub(crate) mod browser;
mod cross;
#[path = "../../../src/report/example.rs"]
mod example;
mod front;
mod many;
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
    let (x, y) = page.point_until(
        &format!("{marks}[2]"),
        &format!("{hover}.includes('cut at 100: </script><script>throw')"),
    );
    page.press(x, y, 1);
    page.until(
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

#[test]
fn the_page_works_in_light_dark_and_print() {
    let Some(mut browser) = browser::start("theme") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(
        &file,
        Window {
            dark: true,
            ..DESKTOP
        },
    );
    let theme = "document.documentElement.dataset.theme";
    let letters = "document.querySelector('.plot').layout.font.color";
    go_to(&mut page, 0);
    assert_eq!(page.value(theme), "dark");
    let light_letters = page.value(letters);
    assert_contrast(&mut page);

    page.value("document.querySelector('[name=theme][value=light]').click()");
    assert_eq!(page.value(theme), "light");
    page.until(&format!(
        "{letters} !== '{}'",
        light_letters.as_str().expect("a colour")
    ));
    let dark_letters = page.value(letters);
    assert_contrast(&mut page);

    // Printed pages are light, and have all drawings.
    page.value("document.querySelector('[name=theme][value=auto]').click()");
    assert_eq!(page.value(letters), light_letters);
    page.value("void dispatchEvent(new Event('beforeprint'))");
    assert_eq!(page.value(letters), dark_letters);
    assert_eq!(
        page.value("document.querySelectorAll('[data-drawn]').length"),
        8
    );
    page.value("void dispatchEvent(new Event('afterprint'))");
    assert_eq!(page.value(letters), light_letters);
    assert_no_errors(&mut page);
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

#[test]
fn the_page_never_scrolls_sideways() {
    let Some(mut browser) = browser::start("narrow") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(
        &file,
        Window {
            width: 360,
            height: 740,
            touch: true,
            ..DESKTOP
        },
    );
    let count = draw_all(&mut page);
    page.value("for (const d of document.querySelectorAll('details')) d.open = true");
    for width in [360, 320, 390, 481, 768, 1000, 1400] {
        page.resize(Window {
            width,
            touch: width < 600,
            ..DESKTOP
        });
        page.until(&format!("matchMedia('(width: {width}px)').matches"));
        // The drawings adapt to the width of the window when one comes to them.
        for i in 0..count {
            go_to(&mut page, i);
            let plot = format!("document.querySelectorAll('.plot')[{i}]");
            page.until(&format!("{plot}.querySelector('svg').getBoundingClientRect().width <= {plot}.clientWidth + 1"));
        }
        assert_eq!(
            page.value(&format!("document.documentElement.scrollWidth <= {width}")),
            true,
            "{width}"
        );
        page.value("void (location.hash = '#point.one-fig2.5')");
        page.until("document.querySelector('dialog').open");
        let edges = page.value(
            "(() => { const r = document.querySelector('dialog').getBoundingClientRect(); return [r.left >= 0, r.right <= innerWidth, r.bottom <= innerHeight]; })()",
        );
        assert_eq!(edges, json!([true, true, true]), "{width}");
        page.value("document.querySelector('dialog').close()");
        page.until("location.hash === '#figure.one-fig2'");
    }

    page.resize(Window {
        width: 360,
        height: 740,
        touch: true,
        ..DESKTOP
    });
    let visible = "document.getElementById('contents').getClientRects().length > 0";
    page.until(&format!("!({visible})"));
    page.value("document.querySelector('button.menu').click()");
    page.until(visible);
    assert_eq!(page.value("document.documentElement.scrollWidth"), 360);
    page.value("document.querySelector('#contents a[href=\"#claims\"]').click()");
    page.until(&format!("!({visible})"));
    assert_no_errors(&mut page);
}

#[test]
fn the_page_is_valid_and_accessible() {
    let Some(mut browser) = browser::start("made") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    draw_all(&mut page);
    let twice = page.value(
        "(() => { const ids = [...document.querySelectorAll('[id]')].filter((e) => !e.closest('.plot')).map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i); })()",
    );
    assert_eq!(twice, json!([]), "names of places");
    let levels = page.value(
        "[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map((h) => Number(h.tagName[1]))",
    );
    let levels: Vec<u64> = serde_json::from_value(levels).expect("numbers");
    assert!(levels.len() > 8 && levels[0] == 1, "{levels:?}");
    assert!(
        levels.windows(2).all(|pair| pair[1] <= pair[0] + 1),
        "{levels:?}"
    );
    let nameless = page.value(
        "[...document.querySelectorAll('button, a, select, summary')].filter((e) => !(e.ariaLabel || e.textContent.trim())).length",
    );
    assert_eq!(nameless, 0);
    // Everything that can be clicked can be reached with the keyboard.
    let out_of_reach = page.value(
        "[...document.querySelectorAll('button, select, summary, a[href], .scroll')].filter((e) => e.tabIndex < 0).length",
    );
    assert_eq!(out_of_reach, 0);
    assert_no_errors(&mut page);
}
