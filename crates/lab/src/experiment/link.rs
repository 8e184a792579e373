//! Measures what happened to the packets of a link.

use dumbbell_run::outcome::{LinkOutcome, Outcome};

use crate::description::Node;

/// A count of packets in one direction of a link, over the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its name in the results, for example `bottleneck` or `bottleneck.reverse`.
    pub name: String,
    /// The packets that are counted.
    pub of: Packets,
}

/// Packets of a link by what happened to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packets {
    /// Packets handed to it.
    Sent,
    /// Packets that reached its far end.
    Delivered,
    /// Packets that its queue dropped: congestion.
    Dropped,
    /// Packets that its loss model removed.
    Lost,
    /// Packets that were dropped or lost.
    Missing,
}

const PACKETS: [(&str, Packets); 5] = [
    ("sent", Packets::Sent),
    ("delivered", Packets::Delivered),
    ("dropped", Packets::Dropped),
    ("lost", Packets::Lost),
    ("missing", Packets::Missing),
];

impl Link {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`link`")?;
        let name = keys.text("name", "\"bottleneck\"");
        let of = keys
            .need("of", "\"dropped\"")
            .and_then(|node| node.word(&PACKETS));
        keys.done();
        Some(Self {
            name: name?,
            of: of?,
        })
    }

    /// Returns the number of packets; NaN if the run has no link of this name.
    pub(super) fn of(&self, outcome: &Outcome) -> f64 {
        let found = outcome.links.iter().find(|link| link.name == self.name);
        found.map_or(f64::NAN, |link| self.of.count(link) as f64)
    }
}

impl Packets {
    fn count(self, link: &LinkOutcome) -> u64 {
        match self {
            Self::Sent => link.sent,
            Self::Delivered => link.delivered,
            Self::Dropped => link.dropped,
            Self::Lost => link.lost,
            Self::Missing => link.dropped + link.lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_what_happened_to_them() {
        let link = LinkOutcome {
            name: "bottleneck".to_owned(),
            sent: 100,
            delivered: 90,
            dropped: 7,
            lost: 2,
            early: 3,
            policed: 0,
            marked: 0,
            filtered: 1,
            retransmitted: 0,
            duplicated: 0,
            corrupted: 0,
            utilisation: 0.5,
            queue_mean: 1.0,
            wait_mean_s: None,
            sojourn: None,
        };
        let counts = PACKETS.map(|(_, of)| of.count(&link));
        assert_eq!(counts, [100, 90, 7, 2, 9]);
    }
}
