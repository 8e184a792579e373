//! The search over claims, figures and notes.

use serde_json::json;

use super::browser::{self, Window};
use super::{DESKTOP, PHONE, assert_contrast, assert_no_errors, report};

const INPUT: &str = "document.querySelector('.search input')";
const FOUND: &str = "[...document.querySelectorAll('#found [role=option]')]";

/// Replaces the words in the search box.
fn search(words: &str) -> String {
    format!(
        "(() => {{ const box = {INPUT}; box.focus(); box.value = {}; \
         box.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()",
        json!(words)
    )
}

#[test]
fn claims_figures_and_notes_are_found_by_their_words() {
    let Some(mut browser) = browser::start("search") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    let amounts = "document.querySelector('.search .amounts').textContent";
    // Four claims have the text, and the fifth has it in no place.
    page.value(&search("35.7 EXCEEDS"));
    assert_eq!(page.value(amounts), "4 claims");
    // Words of the evidence, too; upper and lower case are the same, and all words must be there.
    page.value(&search("evidence nowhere"));
    assert_eq!(page.value(amounts), "Nothing found.");
    page.value(&search("FIFTH holds"));
    assert_eq!(page.value(amounts), "1 claim");
    page.value(&search("one-fig3"));
    assert_eq!(page.value(amounts), "1 figure");
    // A row of a table in the notes of both papers.
    page.value(&search("wide word"));
    assert_eq!(page.value(amounts), "2 notes");
    // The words are marked where they stand in the result.
    let marks =
        "[...document.querySelectorAll('#found mark')].slice(0, 2).map((m) => m.textContent)";
    assert_eq!(page.value(marks), json!(["wide", "word"]));
    assert_no_errors(&mut page);

    // Names stay text.
    page.value(&search("onerror"));
    page.until(&format!("{FOUND}.length > 2"));
    assert_eq!(
        page.value("document.querySelectorAll('#found :is(img, script)').length"),
        0
    );
    assert_contrast(&mut page);
    assert_no_errors(&mut page);
}

#[test]
fn the_search_needs_only_the_keyboard() {
    let Some(mut browser) = browser::start("keys") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    page.key("/", 191);
    page.until(&format!("document.activeElement === {INPUT}"));
    page.call("Input.insertText", json!({ "text": "wide word" }));
    page.until(&format!("{FOUND}.length === 2"));
    let chosen = format!("{FOUND}.findIndex((item) => item.ariaSelected === 'true')");
    assert_eq!(page.value(&chosen), -1);
    for (key, code, at) in [
        ("ArrowDown", 40, 0),
        ("ArrowDown", 40, 1),
        ("ArrowDown", 40, 0),
        ("ArrowUp", 38, 1),
    ] {
        page.key(key, code);
        assert_eq!(page.value(&chosen), at);
    }
    assert_eq!(
        page.value(&format!("{INPUT}.getAttribute('aria-activedescendant')")),
        "found-1"
    );
    // Escape closes the list, and a second one leaves.
    let open = "!document.querySelector('.results').hidden";
    page.key("Escape", 27);
    assert_eq!(page.value(open), false);
    page.key("ArrowDown", 40);
    page.until(open);
    page.key("ArrowDown", 40);
    page.key("Enter", 13);
    assert_eq!(page.value(open), false);
    // The notes are unfolded there, and the words are marked on the page.
    page.until("document.querySelectorAll('details.notes')[1].open");
    let place = "document.activeElement.getBoundingClientRect()";
    page.until(&format!("{place}.top > 0 && {place}.bottom < innerHeight"));
    assert_eq!(page.value("document.activeElement.tagName"), "TR");
    assert!(
        page.value("CSS.highlights.get('found').size")
            .as_u64()
            .is_some_and(|size| size > 40)
    );

    // To a claim, by its address.
    page.key("/", 191);
    page.value(&search("FIFTH holds"));
    page.key("Enter", 13);
    page.until("location.hash === '#claim.one-fig2.holds'");
    // A press on a result does the same.
    page.value(&search("one-fig3"));
    page.click("document.querySelector('#found [role=option]')", 1);
    page.until("location.hash === '#figure.one-fig3'");
    assert_no_errors(&mut page);
}

#[test]
fn the_search_has_the_width_of_a_phone() {
    let Some(mut browser) = browser::start("phone-search") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(
        &file,
        Window {
            dark: true,
            ..PHONE
        },
    );
    page.value(&search("one"));
    page.until(&format!("{FOUND}.length > 2"));
    let width = |what: &str| {
        format!("document.querySelector('{what}').getBoundingClientRect().width > 300")
    };
    assert_eq!(page.value(&width(".search input")), true);
    assert_eq!(page.value(&width(".results")), true);
    assert_eq!(page.value("document.documentElement.scrollWidth"), 360);
    assert_contrast(&mut page);
    assert_no_errors(&mut page);
}
