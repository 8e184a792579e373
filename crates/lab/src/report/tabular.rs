//! A table of measures on the page.

use std::fmt::Write as _;

use super::document::Tabular;
use super::number;
use crate::markup::{Beside, Text};

/// Returns the table with a link to its file.
pub(super) fn html(title: &str, table: &Tabular) -> String {
    let mut html = format!(
        r#"<figure class="drawing"><div class="scroll" role="region" tabindex="0" aria-label="{}"><table class="values"><thead><tr><th scope="col"></th>"#,
        Text(title)
    );
    for column in &table.columns {
        write!(html, r#"<th scope="col">{}</th>"#, Text(column))
            .expect("a string takes everything");
    }
    html += "</tr></thead><tbody>";
    for (name, cells) in &table.rows {
        write!(html, r#"<tr><th scope="row">{}</th>"#, Text(name))
            .expect("a string takes everything");
        for cell in cells {
            let value = match cell {
                Some((mean, Some(half))) => number::with_interval(*mean, *half),
                Some((mean, None)) => number::of_one_run(*mean),
                None => number::plain(f64::NAN),
            };
            write!(html, "<td>{value}</td>").expect("a string takes everything");
        }
        html += "</tr>";
    }
    writeln!(
        html,
        r#"</tbody></table></div><figcaption><span>Means with their 95 % intervals.</span> <span class="files">As a file: <a href="{}">CSV</a></span></figcaption></figure>"#,
        Beside(&table.stem, ".csv")
    )
    .expect("a string takes everything");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_name_and_its_numbers() {
        let table = Tabular {
            stem: "t1".to_owned(),
            columns: vec!["time, s".to_owned(), "a < b".to_owned()],
            rows: vec![("A & B".to_owned(), vec![Some((124.66, Some(0.5))), None])],
        };
        let html = html("Table", &table);
        assert!(html.contains(
            r#"<tr><th scope="row">A &amp; B</th><td>124.66 ± 0.50</td><td>–</td></tr>"#
        ));
        assert!(html.contains("a &lt; b") && html.contains(r#"href="./t1.csv""#));
    }
}
