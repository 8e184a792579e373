//! The ECN codepoint of a UDP or media flow (RFC 3168, section 5; RFC 9331, section 4.1).

use dumbbell_sim::Ecn;

use super::Kind;
use crate::document::Table;
use crate::form::Form;
use crate::key::{Shape, Word};
use crate::text::Lines;

/// The key in files.
pub(super) const KEY: &str = "codepoint";

const CODEPOINT: Word<Ecn> = Word {
    words: &[
        ("not-ect", Ecn::NotEct),
        ("ect0", Ecn::Ect0),
        ("ect1", Ecn::Ect1),
    ],
    explain: |codepoint| match codepoint {
        Ecn::NotEct => "queues drop them",
        Ecn::Ect0 => "queues may mark them instead of dropping them",
        Ecn::Ect1 => "likewise; they are L4S",
    },
};

/// Reads the key of a flow of this kind, if it is set. A wrong value is recorded as a mistake and gives `None`.
pub(super) fn read(table: &Table<'_>, kind: Kind) -> Option<Option<Ecn>> {
    let Some(node) = table.find(KEY) else {
        return Some(None);
    };
    if kind == Kind::Tcp {
        node.wrong(
            "a TCP flow has no `codepoint`",
            "write ecn = true, and its data carries ECT(0), or ecn = \"l4s\", ECT(1)",
        );
        return None;
    }
    CODEPOINT.read(&node).map(Some)
}

/// Writes the key.
pub(super) fn write(codepoint: Option<Ecn>, out: &mut Lines) {
    if let Some(codepoint) = codepoint {
        out.set(KEY, CODEPOINT.write(&codepoint));
    }
}

/// Returns the key as a schema.
pub(super) fn form() -> Form {
    CODEPOINT
        .form()
        .means("UDP and media only: the ECN codepoint of the packets that it sends")
        .otherwise("`\"not-ect\"`; in a media flow with `causes = \"ecn\"`, `\"ect0\"`")
}
