//! Media flows: packets at a controlled rate, without retransmissions, with or without frames.

use dumbbell_control::units::Bytes;

use super::relay;
use crate::controls::Controls;
use crate::document::{Misplaced, Table};
use crate::form::Form;
use crate::frames::{self, Frames};
use crate::key::{Amount, Key, Shape};
use crate::rate_control;
use crate::rate_controls::RateControl;
use crate::text::Lines;

/// A media flow. Without frames it always has something to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// The rate control with its parameters.
    pub control: RateControl,
    /// Payload of a data packet: the segment size of the equation, at least 1 byte.
    pub segment: Bytes,
    /// Header bytes of a data packet.
    pub overhead: Bytes,
    /// Size of a feedback packet on the wire in bytes, at least 1.
    pub feedback: Bytes,
    /// The frames that it carries, if it does.
    pub frames: Option<Frames>,
}

/// The key that makes a flow a media flow.
pub(crate) const KIND: &str = "rate_control";
const SEGMENT: &str = "segment";
const OVERHEAD: &str = "overhead";
const FEEDBACK: &str = "feedback";
/// The keys that only a media flow has.
pub(super) const KEYS: &[&str] = &[
    KIND,
    SEGMENT,
    OVERHEAD,
    FEEDBACK,
    frames::KEYS[0],
    frames::KEYS[1],
];
/// Keys of other flows that a user may try in a media flow.
pub(super) const MISPLACED: [Misplaced; 7] = [
    (relay::KEY, relay::MISPLACED),
    (
        "payload",
        "a media flow has `segment`, what a packet carries",
    ),
    (
        "header",
        "a media flow has `overhead`, the headers of a packet",
    ),
    (
        "packet",
        "a media flow has `segment` and `overhead`; `packet` belongs to a UDP flow",
    ),
    (
        "recovery",
        "a media flow resends nothing; `recovery` belongs to a TCP flow",
    ),
    (
        "size",
        "a media flow always has something to send; a finite transfer is a TCP flow",
    ),
    (
        "stop",
        "a media flow sends to the end of the run; `stop` belongs to a UDP flow",
    ),
];
/// An example for messages.
pub(super) const EXAMPLE: &str = "{ rate_control = \"tfrc\" }";

fn segment() -> Key<Amount> {
    Amount(1..=60_000).usually(Bytes(1000), |form| {
        form.means("payload of a data packet: the segment size of the equation")
    })
}

fn overhead() -> Key<Amount> {
    Amount(0..=5_000).usually(Bytes(40), |form| form.means("headers of a data packet"))
}

fn feedback() -> Key<Amount> {
    Amount(1..=60_000).usually(Bytes(40), |form| {
        form.means("a feedback packet on the wire")
    })
}

/// Reads the keys of a media flow.
pub(super) fn read(table: &Table<'_>, controls: &Controls) -> Option<Media> {
    let control = table
        .need(KIND, "rate_control = \"tfrc\"")
        .and_then(|n| rate_control::read(&n, controls));
    let segment = segment().read(table, SEGMENT);
    let overhead = overhead().read(table, OVERHEAD);
    let feedback = feedback().read(table, FEEDBACK);
    let frames = frames::read(table);
    Some(Media {
        control: control?,
        segment: segment?,
        overhead: overhead?,
        feedback: feedback?,
        frames: frames?,
    })
}

impl Media {
    /// Returns the size of a data packet on the wire, in bytes.
    pub fn wire_bytes(&self) -> u64 {
        self.segment.0 + self.overhead.0
    }

    /// Writes the keys.
    pub(super) fn write(&self, out: &mut Lines) {
        let Self {
            control,
            segment: a,
            overhead: b,
            feedback: c,
            frames,
        } = self;
        out.set(KIND, rate_control::write(control));
        out.set(SEGMENT, segment().write(a));
        out.set(OVERHEAD, overhead().write(b));
        out.set(FEEDBACK, feedback().write(c));
        if let Some(frames) = frames {
            frames.write(out);
        }
    }
}

/// Returns the keys as schemas.
pub(super) fn forms() -> Vec<(&'static str, Form)> {
    let mut forms = vec![
        (KIND, Form::defined(KIND)),
        (SEGMENT, segment().form()),
        (OVERHEAD, overhead().form()),
        (FEEDBACK, feedback().form()),
    ];
    forms.extend(frames::forms());
    forms
}
