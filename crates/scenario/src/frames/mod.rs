//! The frames of a media flow: the encoder that makes them, and the player that shows them.

mod encoder;
mod player;
mod sizes;

use crate::document::Table;
use crate::form::Form;
use crate::text::Lines;

pub use encoder::Encoder;
pub use player::Player;

/// The frames of a media flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// What makes them.
    pub encoder: Encoder,
    /// What shows them.
    pub player: Player,
}

/// The keys of a media flow with frames.
pub(crate) const KEYS: [&str; 2] = [encoder::KEY, player::KEY];

/// The entries of the catalogue: the notation in files, and a summary.
pub(crate) const ENTRIES: [(&str, &str); 2] = [encoder::ENTRY, player::ENTRY];

/// Reads the keys of a media flow; `Some(None)` if it has none of them. A player alone has nothing to show.
pub(crate) fn read(table: &Table<'_>) -> Option<Option<Frames>> {
    let (encoder, player) = (table.find(encoder::KEY), table.find(player::KEY));
    match (encoder, player) {
        (None, None) => Some(None),
        (None, Some(player)) => {
            player.wrong(
                "a media flow has a `player`, but no `encoder` that makes frames",
                format!("write for example encoder = {}", encoder::EXAMPLE),
            );
            None
        }
        (Some(encoder), player) => {
            let encoder = encoder::read(&encoder);
            let player = player.map_or_else(|| Some(Player::default()), |node| player::read(&node));
            Some(Some(Frames {
                encoder: encoder?,
                player: player?,
            }))
        }
    }
}

impl Frames {
    /// Writes the keys.
    pub(crate) fn write(&self, out: &mut Lines) {
        out.set(encoder::KEY, encoder::write(&self.encoder));
        out.set(player::KEY, player::write(&self.player));
    }
}

/// Returns the keys as schemas.
pub(crate) fn forms() -> Vec<(&'static str, Form)> {
    vec![
        (encoder::KEY, encoder::form()),
        (player::KEY, player::form()),
    ]
}
