//! The encoder of a media flow. The defaults are those of the video of RFC 8867, section 4.4.

use dumbbell_control::units::Duration;
use dumbbell_media::source::{EncoderConfig, Keys, Pause, Sizes};
use serde_json::json;

use super::sizes::SizesKey;
use crate::document::{Node, Table};
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Real, Shape, Span, Speed, Whole};
use crate::limits::LONGEST_RUN;
use crate::quantity::BitRate;
use crate::text;

record! {
    /// What makes the frames of a media flow.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Encoder {
        /// Frames per second, 1 to 240.
        fps: f64 = Real {
            range: 1.0..=240.0,
            what: "a number of frames per second from 1 to 240",
            words: "1 to 240",
            example: "30",
        }.usually(30.0, |form| form.means("frames per second")),
        /// The lowest rate.
        floor: BitRate = Speed.usually(BitRate(150_000), |form| form
            .means("the lowest rate, which is encoded even if the rate control allows less")),
        /// The highest rate.
        ceiling: BitRate = Speed.usually(BitRate(1_500_000), |form| form
            .means("the highest rate, at least `floor`")),
        /// The rate before the first target takes effect.
        start: BitRate = Speed.usually(BitRate(150_000), |form| form
            .means("the rate before the first target takes effect, within `floor` and `ceiling`")),
        /// The time from a target to the frames that follow it.
        lag: Duration = Span(Duration::ZERO..=Duration::from_secs(10))
            .usually(Duration::from_millis(100), |form| form
                .means("the time from a target to the first frame that follows it, rounded up to whole frames")),
        /// How the sizes of frames vary.
        sizes: Sizes = SizesKey.usually(Sizes::Constant, |form| form
            .means("how the sizes of frames vary around the mean that the rate gives")
            .such_as([json!({ "laplace": 0.1 })])),
        /// The frames from one key frame to the next; 0 without regular ones.
        key_every: u32 = Whole(0..=1_000_000).usually(0, |form| form
            .means("the frames from one key frame to the next; with 0, only the first frame is one, those that a record says, and those that the player asks for")),
        /// The size of a key frame as a multiple of the others'.
        key_factor: f64 = Real {
            range: 1.0..=100.0,
            what: "a number from 1 to 100",
            words: "1 to 100",
            example: "4",
        }.usually(4.0, |form| form
            .means("the size of a key frame as a multiple of the others'; regular ones do not change the mean rate")),
        /// In this time the encoder wants the queue at the sender to be empty.
        drain: Duration = Span(Duration::from_millis(1)..=LONGEST_RUN)
            .usually(Duration::from_millis(500), |form| form
                .means("in this time the encoder wants to empty the queue at the sender: the target is the allowed rate less the queue's size divided by it")),
        /// Frames that have waited at the sender for longer are discarded.
        patience: Duration = Span(Duration::from_millis(1)..=LONGEST_RUN)
            .usually(Duration::from_secs(1), |form| form
                .means("a frame of which no packet was sent in this time is discarded")),
        /// How long after its start the encoder pauses.
        pause_after: Duration = Span(Duration::ZERO..=LONGEST_RUN)
            .usually(Duration::ZERO, |form| form
                .means("how long after the start of the flow the encoder pauses, if it has a `pause`")),
        /// For how long the encoder makes no frames; zero if it does not pause.
        pause: Duration = Span(Duration::ZERO..=LONGEST_RUN)
            .usually(Duration::ZERO, |form| form
                .means("for how long the encoder makes no frames, once; the picture is then frozen")),
    }
    check(floor, ceiling) = fitting;
}

/// The key in files.
pub(super) const KEY: &str = "encoder";
pub(super) const ENTRY: (&str, &str) = (
    "encoder = { .. }",
    "makes frames whose sizes follow the rate that the rate control allows",
);
pub(super) const EXAMPLE: &str = "{ fps = 30, ceiling = \"1.5 Mb/s\" }";

fn fitting(table: &Table<'_>, floor: BitRate, ceiling: BitRate) -> Option<()> {
    if floor > ceiling {
        let place = table.find("ceiling").or_else(|| table.find("floor"));
        let message = "the encoder's `floor` is above its `ceiling`";
        let help = format!("here `floor` is {floor} and `ceiling` is {ceiling}");
        match place {
            Some(node) => node.wrong(message, help),
            None => table.wrong(message, help),
        }
        return None;
    }
    Some(())
}

/// Reads the value of the key.
pub(super) fn read(node: &Node<'_>) -> Option<Encoder> {
    let table = node.table(Encoder::KEYS, &[], EXAMPLE)?;
    let encoder: Encoder = Record::read(&table)?;
    if matches!(encoder.sizes, Sizes::Recorded(_)) && encoder.key_every > 0 {
        if let Some(node) = table.find("key_every") {
            node.wrong(
                "a record says which frames are key frames",
                "leave `key_every` out, or the record",
            );
        }
        return None;
    }
    Some(encoder)
}

/// Returns the value of the key as TOML.
pub(super) fn write(encoder: &Encoder) -> String {
    text::table(&Record::write(encoder))
}

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Encoder::forms())
        .means(
            "what makes the frames of the flow; without it, the flow always has something to send",
        )
        .otherwise("none")
}

impl Encoder {
    /// Returns the configuration of the encoder itself.
    pub fn config(&self) -> EncoderConfig {
        EncoderConfig {
            fps: self.fps,
            floor: self.floor.0 as f64,
            ceiling: self.ceiling.0 as f64,
            start: self.start.0 as f64,
            lag: self.lag,
            keys: Keys {
                every: self.key_every,
                factor: self.key_factor,
            },
            sizes: self.sizes.clone(),
            pause: Pause {
                after: self.pause_after,
                span: self.pause,
            },
        }
    }
}
