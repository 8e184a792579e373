//! Explicit congestion notification (RFC 3168), and how much of it the receiver reports.

use dumbbell_tcp::config::EcnMode;
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::{Key, Shape};
use crate::text::quote;

/// The key `ecn`.
pub(super) struct Ecn;

/// A Boolean, or a kind of feedback.
pub(super) struct AnyMode;

/// The feedback that is more than RFC 3168.
const EXTENT: &[(&str, EcnMode)] = &[
    ("accurate", EcnMode::Accurate),
    ("l4s", EcnMode::L4s),
    ("dctcp", EcnMode::Dctcp),
];

impl Shape for AnyMode {
    type Value = EcnMode;

    fn read(&self, node: &Node<'_>) -> Option<EcnMode> {
        match node.as_flag() {
            Some(true) => Some(EcnMode::Classic),
            Some(false) => Some(EcnMode::Off),
            None => {
                let text = node.as_text();
                let found = EXTENT.iter().find(|(word, _)| text == Some(word));
                if found.is_none() {
                    node.wrong(
                        "`ecn` must be true, false, \"accurate\", \"l4s\" or \"dctcp\"",
                        "write ecn = true for RFC 3168; the words report how many segments were marked",
                    );
                }
                found.map(|(_, mode)| *mode)
            }
        }
    }

    fn write(&self, mode: &EcnMode) -> String {
        match EXTENT.iter().find(|(_, known)| known == mode) {
            Some((word, _)) => quote(word),
            None => mode.is_on().to_string(),
        }
    }

    fn form(&self) -> Form {
        let words = EXTENT.iter().map(|(word, _)| *word);
        words.fold(value::flag(), Form::or_word)
    }
}

impl TcpKey for Ecn {
    type Shape = AnyMode;

    fn key() -> Key<AnyMode> {
        AnyMode.usually(EcnMode::Off, |form| {
            form.means("explicit congestion notification: routers may mark data instead of dropping it")
                .ranging("`false`; `true`: RFC 3168; `\"accurate\"`: each ACK has the number of marked segments so far; `\"l4s\"`: likewise, and data is L4S, ECT(1); `\"dctcp\"`: an ACK echoes the marks of what it covers, as DCTCP's receiver does")
                .such_as([json!(true), json!("accurate")])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.ecn = tcp.ecn;
        ends.receiver.ecn = tcp.ecn;
        ends.sender.scalable = tcp.control.needs().marks;
    }
}
