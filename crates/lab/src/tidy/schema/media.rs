//! The form of the frames of media flows.

use serde_json::Value;

use super::{closed, nullable, object, positive, whole};

/// The form of the frames of a media flow.
pub(super) fn frames() -> Value {
    let properties = object([
        ("made", whole("frames that the encoder made")),
        ("shown", whole("frames that were shown, late ones included")),
        ("shown_late", whole("those of them that were shown late")),
        (
            "late",
            whole("frames that were complete too late to be shown"),
        ),
        (
            "undecodable",
            whole("frames that were complete, but built on a missing one"),
        ),
        (
            "lost",
            whole("frames that are incomplete although a packet of a newer one has arrived"),
        ),
        (
            "discarded",
            whole("frames that the sender discarded because they had waited too long"),
        ),
        ("requests", whole("key frames that the player asked for")),
        (
            "encoded_bps",
            positive("mean rate of the frames that were made, in bit/s of payload"),
        ),
        (
            "shown_bps",
            positive("mean rate of the frames that were shown, in bit/s of payload"),
        ),
        (
            "shown_variation",
            nullable(positive(
                "coefficient of variation of that rate over whole seconds; `null` before the first picture",
            )),
        ),
        (
            "startup_s",
            nullable(positive(
                "time from the flow's start to the first picture, in seconds; `null` if there was none",
            )),
        ),
        (
            "played_s",
            positive(
                "how long pictures were shown, each for no longer than a frame's interval, in seconds",
            ),
        ),
        (
            "frozen_s",
            positive("how long the picture stood still beyond that, in seconds"),
        ),
        ("freezes", whole("how often it stood still noticeably")),
        ("delay_mean_s", delay("mean")),
        ("delay_p50_s", delay("median")),
        ("delay_p95_s", delay("95th percentile")),
        ("delay_p99_s", delay("99th percentile")),
        ("delay_max_s", delay("longest")),
        (
            "waiting_mean_s",
            nullable(positive(
                "mean time that packets waited at the sender for its rate control, in seconds; `null` if none was sent",
            )),
        ),
        (
            "waiting_max_s",
            positive("the longest of these times, in seconds"),
        ),
    ]);
    closed(
        "the frames of a media flow with an encoder, since its start; left out if there is none",
        properties,
        &[],
    )
}

fn delay(which: &str) -> Value {
    nullable(positive(&format!(
        "{which} of the times from the making of a frame to its showing, in seconds; `null` if none was shown"
    )))
}
