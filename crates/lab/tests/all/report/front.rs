//! The top of the page and its links: the table of claims, the notes.

use serde_json::json;

use super::{DESKTOP, assert_no_errors, browser, report};

#[test]
fn notes_open_when_a_link_leads_there() {
    let Some(mut browser) = browser::start("notes") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    let open = "[...document.querySelectorAll('details.notes')].map((d) => d.open)";
    assert_eq!(page.value(open), json!([false, false]));
    // From the top of the page, on a link above the one that covers the card.
    page.click("document.querySelectorAll('.card .notes-link')[1]", 1);
    page.until(&format!("{open}.join() === 'false,true'"));
    assert_eq!(page.value("location.hash"), "#notes.two");
    page.click("document.querySelector('.card')", 1);
    page.until("location.hash === '#paper.one'");
    // From a claim that fails.
    page.click(
        "document.querySelector('.claims .fails .links a[href*=notes]')",
        1,
    );
    page.until(&format!("{open}.join() === 'true,true'"));
    let seen = "(() => { const { top } = document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect(); return top > 0 && top < innerHeight; })()";
    page.until(seen);
    assert_eq!(
        page.value("document.querySelector('details.notes h3').textContent"),
        "Assumptions"
    );
    assert_no_errors(&mut page);
}

#[test]
fn the_table_of_claims_is_filtered_by_standing() {
    let Some(mut browser) = browser::start("claims") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    let rows = "[...document.querySelectorAll('tr.claim')].filter((r) => r.offsetHeight > 0).map((r) => r.dataset.verdict).join()";
    assert_eq!(page.value(rows), "holds,partly,fails,untestable,untestable");
    page.click("document.querySelector('.tile.nowhere')", 1);
    assert_eq!(page.value(rows), "fails");
    assert_eq!(
        page.value("document.querySelector('#claims .chosen').textContent"),
        "Shown: 1 of 5, those that fail under every reading tried."
    );
    // A link to a row that is hidden shows all rows again.
    page.value("void (location.hash = '#row.one-fig2.holds')");
    page.until(&format!(
        "{rows} === 'holds,partly,fails,untestable,untestable'"
    ));
    assert_no_errors(&mut page);
}
