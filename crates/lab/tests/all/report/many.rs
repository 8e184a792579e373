//! Many curves, and drawings on a phone.

use serde_json::json;

use super::browser::{self, Window};
use super::{DESKTOP, PHONE, assert_no_errors, draw_all, go_to, report};

#[test]
fn each_of_many_curves_has_a_small_drawing_that_brings_it_to_the_front() {
    let Some(mut browser) = browser::start("many") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, DESKTOP);
    go_to(&mut page, 0);
    go_to(&mut page, 2);
    // Four curves have a legend, nine have small drawings.
    let chart = |i: u32| format!("document.querySelectorAll('.chart')[{i}]");
    let small = |i: u32| {
        format!(
            "{}.querySelectorAll('.multiples button:not(.all)')",
            chart(i)
        )
    };
    assert_eq!(page.value(&format!("{}.length", small(0))), 0);
    assert_eq!(page.value(&format!("{}.length", small(2))), 9);
    let own = format!(
        "new Set([...{}].map((b) => b.querySelector('.own').getAttribute('d'))).size",
        small(2)
    );
    assert_eq!(page.value(&own), 9, "each has its own line");

    let plot = format!("{}.querySelector('.plot')", chart(2));
    let widths = format!(
        "{plot}.data.map(({{ line }}) => line.width > 0.1 * parseFloat(getComputedStyle({plot}).fontSize))"
    );
    let in_front = |which: &[usize]| {
        let all: Vec<bool> = (0..9).map(|i| which.contains(&i)).collect();
        format!("JSON.stringify({widths}) === '{}'", json!(all))
    };
    page.until(&in_front(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    page.click(&format!("{}[3]", small(2)), 1);
    page.until(&in_front(&[3]));
    page.click(&format!("{}[7]", small(2)), 1);
    page.until(&in_front(&[3, 7]));
    let pressed = format!(
        "[...{}].flatMap((b, i) => b.ariaPressed === 'true' ? [i] : [])",
        small(2)
    );
    assert_eq!(page.value(&pressed), json!([3, 7]));
    // By the keyboard, too.
    page.value(&format!("{}[3].focus()", small(2)));
    page.key(" ", 32);
    page.until(&in_front(&[7]));
    page.click(&format!("{}.querySelector('.all')", chart(2)), 1);
    page.until(&in_front(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    assert_no_errors(&mut page);
}

#[test]
fn on_a_phone_a_drawing_keeps_its_width() {
    let Some(mut browser) = browser::start("phone") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(&file, PHONE);
    let count = draw_all(&mut page);
    for i in 0..count {
        go_to(&mut page, i);
        let chart = format!("document.querySelectorAll('.chart')[{i}]");
        let kind = page.value(&format!("{chart}.dataset.drawn"));
        let part = page.value(&format!(
            "{chart}.querySelector('.nsewdrag').getBoundingClientRect().width / innerWidth"
        ));
        // Rows of bars and maps have names beside them, here very long ones.
        let least = if kind == "curves" { 0.7 } else { 0.4 };
        assert!(
            part.as_f64().is_some_and(|part| part > least),
            "{i} {kind}: {part}"
        );
        let below = page.value(&format!(
            "{chart}.querySelector('.plot').getBoundingClientRect().bottom <= {chart}.querySelector('.legend').getBoundingClientRect().top"
        ));
        assert_eq!(below, true, "{i}: the legend is below the drawing");
    }
    assert_no_errors(&mut page);
}

#[test]
fn numbers_are_legible_in_the_cells_of_a_map() {
    let Some(mut browser) = browser::start("cells") else {
        return;
    };
    let file = report(&browser);
    for dark in [false, true] {
        let mut page = browser.open(&file, Window { dark, ..DESKTOP });
        go_to(&mut page, 7);
        let plot = "document.querySelectorAll('.chart')[7].querySelector('.plot')";
        page.until(&format!(
            "{plot}.querySelectorAll('text.annotation-text').length === 27"
        ));
        // The contrast (WCAG 2.2) of every number with the pixel in the corner of its cell.
        let least = page.value(&format!(
            r#"(async () => {{
  const plot = {plot};
  const image = plot.querySelector("image");
  const picture = new Image();
  picture.src = image.getAttribute("href") ?? image.getAttribute("xlink:href");
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const light = (c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const frame = image.getBoundingClientRect();
  let least = 21;
  for (const text of plot.querySelectorAll("text.annotation-text")) {{
    const {{ x, y, width, height }} = text.getBoundingClientRect();
    const at = [(x + width / 2 - frame.x) / frame.width * picture.width, (y + height / 2 - frame.y) / frame.height * picture.height];
    const cell = context.getImageData(...at.map(Math.floor), 1, 1).data;
    const words = getComputedStyle(text).fill.match(/[\d.]+/g).map(Number);
    const [a, b] = [luminance(cell), luminance(words)];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }}
  return least;
}})()"#
        ));
        assert!(
            least.as_f64().is_some_and(|it| it >= 4.5),
            "dark {dark}: {least}"
        );
        assert_no_errors(&mut page);
    }
}
