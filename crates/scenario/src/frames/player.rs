//! The player of a media flow.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_media::player::{Clock, Delay, Late, Lost, PlayerConfig};
use serde_json::json;

use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Key, Shape, Span, Word};
use crate::text;

record! {
    /// What shows the frames of a media flow.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Player {
        /// How long after it was made a frame is due.
        delay: Delay = DelayKey.usually(Delay::Fixed(Duration::from_millis(200)), |form| form
            .means("how long after it was made a frame is due: a time, or two bounds between which the delay follows those of the frames")
            .such_as([json!("200 ms"), json!({ "least": "50 ms", "most": "400 ms" })])),
        /// What becomes of frames that are complete only after that.
        late: Late = late(),
        /// What follows a frame that is missing.
        lost: Lost = lost(),
    }
}

/// The key in files.
pub(super) const KEY: &str = "player";
pub(super) const ENTRY: (&str, &str) = (
    "player = { .. }",
    "shows the frames of an encoder, each in time, late or not at all",
);
const EXAMPLE: &str = "{ delay = \"200 ms\" }";
/// The permitted delays.
const DELAY: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(10);
const LEAST: &str = "least";
const MOST: &str = "most";

fn late() -> Key<Word<Late>> {
    Word {
        words: &[("show", Late::Show), ("skip", Late::Skip)],
        explain: |late| match late {
            Late::Show => "they are shown at once, unless a newer one has been",
            Late::Skip => "they are not shown, but others can build on them",
        },
    }
    .usually(Late::Show, |form| {
        form.means("what becomes of frames that are complete only after they were due")
    })
}

fn lost() -> Key<Word<Lost>> {
    Word {
        words: &[("skip", Lost::Skip), ("freeze", Lost::Freeze)],
        explain: |lost| match lost {
            Lost::Skip => "the next complete frame is shown",
            Lost::Freeze => {
                "the picture stands still until the next key frame, for which the player asks"
            }
        },
    }
    .usually(Lost::Skip, |form| {
        form.means("what follows a frame that is missing when the next one is due")
    })
}

/// A time, or two bounds.
struct DelayKey;

fn least() -> Key<Span> {
    Span(DELAY).needed("least = \"50 ms\"", |form| {
        form.means("the shortest delay, and the first")
            .such_as([json!("50 ms")])
    })
}

fn most() -> Key<Span> {
    Span(DELAY).needed("most = \"400 ms\"", |form| {
        form.means("the longest delay, at least `least`")
            .such_as([json!("400 ms")])
    })
}

impl Shape for DelayKey {
    type Value = Delay;

    fn read(&self, node: &Node<'_>) -> Option<Delay> {
        if !node.is_table() {
            return node.time(DELAY).map(Delay::Fixed);
        }
        let table = node.table(
            &[LEAST, MOST],
            &[],
            "{ least = \"50 ms\", most = \"400 ms\" }",
        )?;
        let (low, high) = (least().read(&table, LEAST), most().read(&table, MOST));
        let (least, most) = (low?, high?);
        if least > most {
            node.wrong(
                "the shortest delay is longer than the longest",
                "`least` is at most `most`, for example { least = \"50 ms\", most = \"400 ms\" }",
            );
            return None;
        }
        Some(Delay::Adaptive { least, most })
    }

    fn write(&self, delay: &Delay) -> String {
        match *delay {
            Delay::Fixed(delay) => text::time(delay),
            Delay::Adaptive { least, most } => {
                text::table(&[(LEAST, text::time(least)), (MOST, text::time(most))])
            }
        }
    }

    fn form(&self) -> Form {
        let words = format!(
            "{}, or a table with `least` and `most`, both such times",
            value::time(DELAY).range()
        );
        value::table(&[(LEAST, least().form()), (MOST, most().form())])
            .or(value::time(DELAY))
            .ranging(words)
    }
}

/// Reads the value of the key.
pub(super) fn read(node: &Node<'_>) -> Option<Player> {
    Record::read(&node.table(Player::KEYS, &[], EXAMPLE)?)
}

/// Returns the value of the key as TOML.
pub(super) fn write(player: &Player) -> String {
    text::table(&Record::write(player))
}

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Player::forms())
        .means("what shows the frames of the `encoder`, without which there is no player")
        .otherwise("with an `encoder`, one with the defaults")
}

impl Default for Player {
    fn default() -> Self {
        Self {
            delay: Delay::Fixed(Duration::from_millis(200)),
            late: Late::Show,
            lost: Lost::Skip,
        }
    }
}

impl Player {
    /// Returns the configuration of a player whose clock is the sender's.
    pub fn config(&self) -> PlayerConfig {
        PlayerConfig {
            delay: self.delay,
            late: self.late,
            lost: self.lost,
            clock: Clock::Shared,
        }
    }
}
