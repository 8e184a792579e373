//! Sampled series as CSV.

use std::fmt::Write as _;

use crate::csv::quoted;
use crate::outcome::Outcome;
use crate::probe::{Reading, Series, Subject};

/// One line a sample: time in seconds, the flow or link, the quantity and the value.
pub fn csv(outcome: &Outcome, series: &[Series]) -> String {
    let mut text = String::from("time_s,subject,quantity,value\n");
    for one in series {
        let subject = match one.subject {
            Subject::Flow(flow) => &outcome.flows[flow].name,
            Subject::Link(link) => &outcome.links[link].name,
        };
        let (subject, quantity) = (quoted(subject), quoted(&one.quantity));
        for (time, reading) in &one.points {
            let value = match reading {
                Reading::Number(number) => number.to_string(),
                Reading::Word(word) => quoted(word),
            };
            writeln!(text, "{time},{subject},{quantity},{value}")
                .expect("a string takes everything");
        }
    }
    text
}
