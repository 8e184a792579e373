//! The values of TFRC Veno's equations as printed, beside the corrected ones.

use super::question::{Asked, Question};
use super::words::{heading, number};
use crate::table;

/// Returns a table with one row for each.
pub fn table(question: &Question) -> String {
    let Asked::Throughput(losses) = &question.asked else {
        unreachable!("errata are asked of loss rates only");
    };
    let mut table = table::new_table([
        "loss rate",
        "equation",
        "quantity",
        "printed",
        "corrected",
        "printed/corrected",
    ]);
    for &p in losses {
        for erratum in question.errata(p) {
            table.add_row([
                number(p),
                format!("({})", erratum.equation),
                erratum.quantity.to_owned(),
                number(erratum.printed),
                number(erratum.corrected),
                format!("{:.4}", erratum.printed / erratum.corrected),
            ]);
        }
    }
    let mut text = format!("{}\n{table}\n", heading(question));
    for erratum in question.errata(losses[0]) {
        text += &format!("({}): {}\n", erratum.equation, erratum.mistake);
    }
    text
}
