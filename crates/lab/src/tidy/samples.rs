//! The samples of a run as a table, with the columns of the CSV.

use dumbbell_run::outcome::Outcome;
use dumbbell_run::{Reading, Series, Subject};

use crate::table::{Builder, Cell, Head, Table, Type};

/// The table of these samples: a row for each.
pub fn samples(outcome: &Outcome, series: &[Series]) -> Table {
    let heads = [
        Head::new("time_s", Type::Number, "when the sample was taken").unit("s"),
        Head::new("subject", Type::Text, "the flow or the link"),
        Head::new("quantity", Type::Text, "what was sampled"),
        Head::new(
            "value",
            Type::Number,
            "the number, in the unit of the quantity",
        ),
        Head::new(
            "word",
            Type::Text,
            "the word, if the quantity is not a number",
        ),
    ];
    let mut builder = Builder::new("samples", heads);
    for one in series {
        let subject = match one.subject {
            Subject::Flow(flow) => &outcome.flows[flow].name,
            Subject::Link(link) => &outcome.links[link].name,
        };
        for (time, reading) in &one.points {
            let (value, word) = match *reading {
                Reading::Number(number) => (Some(Cell::Number(number)), None),
                Reading::Word(word) => (None, Some(Cell::Text(word))),
            };
            builder.row([
                Some(Cell::Number(*time)),
                Some(Cell::Text(subject)),
                Some(Cell::Text(&one.quantity)),
                value,
                word,
            ]);
        }
    }
    builder.table()
}
