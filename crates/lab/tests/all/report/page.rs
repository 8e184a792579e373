//! The page as a whole: its themes, its width, and whether it is valid and accessible.

use serde_json::json;

use super::browser::{self, Window};
use super::{DESKTOP, PHONE, assert_contrast, assert_no_errors, draw_all, go_to, report};

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

#[test]
fn the_page_never_scrolls_sideways() {
    let Some(mut browser) = browser::start("narrow") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, PHONE);
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

    page.resize(PHONE);
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
