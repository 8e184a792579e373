//! The tables of the matrix in a window of a laptop.

use super::browser::{self, Window};
use super::{DESKTOP, assert_no_errors, report};

/// A table as `report/matrix.rs` writes it, as wide as that of all controls on the papers' paths: 13
/// paths and the column `overall`.
const TABLE: &str = r##"(() => {
  const cell = (name, mean, half, rank) =>
    `<td${name}><strong>${mean}</strong> <span class="rank ${rank}">▲</span><small>± ${half}</small></td>`;
  const paths = ["0.01 % loss", "1 % loss", "2 % loss", "UDP back", "five flows", "two RTTs", "4 Mb/s", "wired pair", "wired four", "late start", "VBR back", "parking lot", "wireless"];
  const heads = paths.map((path) => `<th scope="col"><a href="#top">${path}</a></th>`).join("");
  const row = (name) =>
    `<tr><th scope="row">${name}</th>${cell(' class="overall"', "1.23", "0.13", "best")}${paths.map(() => cell("", "98.9", "11.2", "best")).join("")}</tr>`;
  const figure = document.querySelector("figure.drawing");
  figure.innerHTML = `<div class="scroll"><table class="values cross"><thead><tr><th scope="col">control</th><th scope="col" class="overall">overall</th>${heads}</tr></thead><tbody>${["newreno", "vegas-a+ *", "westwood+"].map(row).join("")}</tbody></table></div>`;
  const { scrollWidth, clientWidth } = figure.querySelector(".scroll");
  return scrollWidth - clientWidth;
})()"##;

#[test]
fn a_table_of_all_paths_fits_into_1300_pixels() {
    let Some(mut browser) = browser::start("cross") else {
        return;
    };
    let file = report(&browser);
    let mut page = browser.open(
        &file,
        Window {
            width: 1300,
            ..DESKTOP
        },
    );
    let beyond = page.value(TABLE);
    assert!(
        beyond.as_i64().is_some_and(|it| it <= 0),
        "{beyond} pixels too wide"
    );
    assert_no_errors(&mut page);
}
