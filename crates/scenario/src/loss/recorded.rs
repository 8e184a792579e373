//! Losses as they were recorded, packet by packet.

use dumbbell_sim::loss::Recorded;
use serde_json::json;

use crate::document::Node;
use crate::form::Form;
use crate::form::range::number;
use crate::quantity::clip;
use crate::sort::Sort;
use crate::text::quote;

/// The most packets of a sequence.
const MOST: usize = 10_000_000;

/// Packets are lost as in a recorded sequence.
pub(super) struct RecordedLoss;

impl Sort for RecordedLoss {
    type Value = Recorded;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "recorded";
    const ENTRY: (&'static str, &'static str) = (
        "recorded = \"0010..\"",
        "packets are lost as in a sequence: 0 for each that arrives, 1 for each that is lost",
    );

    fn read(node: &Node<'_>) -> Option<Recorded> {
        let text = node.text("\"0010\"")?;
        read(node, &format!("`{}`", node.name()), text)
    }

    fn write(recorded: &Recorded) -> String {
        let digits = recorded
            .lost
            .iter()
            .map(|lost| if *lost { '1' } else { '0' });
        quote(&digits.collect::<String>())
    }

    fn form() -> Form {
        let most = number(MOST as u64);
        Form::text(
            r"(?:\s*[01])+\s*",
            format!("1 to {most} digits `0` and `1`, with spaces and line breaks between them"),
        )
        .means("packets are lost as in this sequence, which starts over at its end: 0 for each that arrives, 1 for each that is lost")
        .such_as([json!("0001000000")])
    }

    fn simulated(recorded: &Recorded, (): ()) -> dumbbell_sim::LossModel {
        dumbbell_sim::LossModel::Recorded(recorded.clone())
    }
}

/// Reads a sequence that a node holds or names; `whose` names it in messages.
pub(super) fn read(node: &Node<'_>, whose: &str, text: &str) -> Option<Recorded> {
    match parse(text) {
        Ok(recorded) => Some(recorded),
        Err((line, what)) => {
            let line = line.map_or(String::new(), |line| format!(":{line}"));
            node.wrong(format!("{whose}{line}: {what}"), HELP);
            None
        }
    }
}

/// A hint about the format.
const HELP: &str =
    "each digit is a packet: 0 if it arrives, 1 if it is lost; for example 0001000000";

/// Reads a sequence; returns what is wrong, and in which line, counted from 1.
fn parse(text: &str) -> Result<Recorded, (Option<usize>, String)> {
    let mut lost = Vec::new();
    for (line, digits) in (1..).zip(text.lines()) {
        for digit in digits.chars().filter(|c| !c.is_whitespace()) {
            match digit {
                '0' | '1' => lost.push(digit == '1'),
                other => {
                    let what = format!("`{}` is neither 0 nor 1", clip(&other.to_string()));
                    return Err((Some(line), what));
                }
            }
        }
    }
    match lost.len() {
        0 => Err((None, "there is no packet".to_owned())),
        n if n > MOST => Err((None, format!("there are more than {MOST} packets"))),
        _ => Ok(Recorded { lost: lost.into() }),
    }
}
