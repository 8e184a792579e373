//! The amount of data to send.

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, range, value};
use crate::key::{Key, Shape};
use crate::quantity::clip;
use crate::text::{quote, size};

/// The amount of data that a TCP flow has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// It always has something to send.
    Unlimited,
    /// This many bytes of payload; the last segment may be shorter.
    Bytes(Bytes),
    /// This many full segments.
    Segments(u64),
}

/// The key `size`.
pub(super) struct Amount;

impl TcpKey for Amount {
    type Shape = AnySize;

    fn key() -> Key<AnySize> {
        AnySize.usually(Size::Unlimited, |form| {
            form.means("the amount to send: bytes of payload, a number of segments such as `\"500 segments\"`, or `\"unlimited\"`")
                .ranging(format!("up to {}", range::number(*AMOUNT.end())))
                .such_as([json!("20 kB"), json!("500 segments")])
        })
    }

    /// A relay has nothing to send until something is delivered to it.
    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.size = if ends.sender.relays {
            Some(0)
        } else {
            tcp.segments()
        };
    }
}

/// Bytes, segments, or unlimited.
pub(super) struct AnySize;

const UNLIMITED: &str = "unlimited";
/// The permitted numbers of bytes or segments.
const AMOUNT: RangeInclusive<u64> = 1..=1_000_000_000_000_000;

impl Shape for AnySize {
    type Value = Size;

    fn read(&self, node: &Node<'_>) -> Option<Size> {
        match node.as_text() {
            Some(UNLIMITED) => Some(Size::Unlimited),
            Some(text) if text.contains("segment") => segments(node, text).map(Size::Segments),
            Some(_) | None => node.size(AMOUNT).map(Size::Bytes),
        }
    }

    fn write(&self, amount: &Size) -> String {
        match amount {
            Size::Unlimited => quote(UNLIMITED),
            Size::Bytes(bytes) => size(bytes.0),
            Size::Segments(segments) => quote(&format!("{segments} segments")),
        }
    }

    fn form(&self) -> Form {
        value::size(AMOUNT)
            .or(Form::text(r"0*[1-9][0-9]*\s*segments?", ""))
            .or_word(UNLIMITED)
    }
}

fn segments(node: &Node<'_>, text: &str) -> Option<u64> {
    let number = text
        .trim_end_matches("segments")
        .trim_end_matches("segment")
        .trim_end();
    let segments = number
        .parse()
        .ok()
        .filter(|n| AMOUNT.contains(n) && !number.starts_with('+'));
    if segments.is_none() {
        let help = format!(
            "write for example size = \"500 segments\", from {} to {}",
            AMOUNT.start(),
            AMOUNT.end()
        );
        node.wrong(
            format!("`size`: `{}` is not a number of segments", clip(text)),
            help,
        );
    }
    segments
}
