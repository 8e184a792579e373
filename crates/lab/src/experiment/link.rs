//! Measures what happened to the packets of a link, and how long they waited.

use dumbbell_run::outcome::{LinkOutcome, Outcome};

use crate::description::Node;

/// A number of one direction of a link, over the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its name in the results, for example `bottleneck` or `bottleneck.reverse`.
    pub name: String,
    /// The number.
    pub of: LinkQuantity,
}

/// A number of a link: packets by what happened to them, or how long they waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkQuantity {
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
    /// How often the link itself sent a packet again.
    SentAgain,
    /// The mean time that packets waited, in seconds.
    WaitMean,
    /// The time that 95 % of the packets did not exceed, in seconds, if the link measures it.
    WaitP95,
}

const QUANTITIES: [(&str, LinkQuantity); 8] = [
    ("sent", LinkQuantity::Sent),
    ("delivered", LinkQuantity::Delivered),
    ("dropped", LinkQuantity::Dropped),
    ("lost", LinkQuantity::Lost),
    ("missing", LinkQuantity::Missing),
    ("sent_again", LinkQuantity::SentAgain),
    ("wait_mean", LinkQuantity::WaitMean),
    ("wait_p95", LinkQuantity::WaitP95),
];

impl Link {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`link`")?;
        let name = keys.text("name", "\"bottleneck\"");
        let of = keys
            .need("of", "\"dropped\"")
            .and_then(|node| node.word(&QUANTITIES));
        keys.done();
        Some(Self {
            name: name?,
            of: of?,
        })
    }

    /// Returns the number; NaN if the run has no link of this name, or the link does not measure it.
    pub(super) fn of(&self, outcome: &Outcome) -> f64 {
        let found = outcome.links.iter().find(|link| link.name == self.name);
        found
            .and_then(|link| self.of.number(link))
            .unwrap_or(f64::NAN)
    }
}

impl LinkQuantity {
    fn number(self, link: &LinkOutcome) -> Option<f64> {
        let count = match self {
            Self::Sent => link.sent,
            Self::Delivered => link.delivered,
            Self::Dropped => link.dropped,
            Self::Lost => link.lost,
            Self::Missing => link.dropped + link.lost,
            Self::SentAgain => link.retransmitted,
            Self::WaitMean => return link.wait_mean_s,
            Self::WaitP95 => return Some(link.sojourn.as_ref()?.p95_s),
        };
        Some(count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_what_happened_to_them_and_wait() {
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
            retransmitted: 4,
            duplicated: 0,
            corrupted: 0,
            utilisation: 0.5,
            queue_mean: 1.0,
            wait_mean_s: Some(0.25),
            sojourn: None,
            l4s_sojourn: None,
        };
        let numbers = QUANTITIES.map(|(_, of)| of.number(&link));
        let counts = [100, 90, 7, 2, 9, 4].map(|count| Some(f64::from(count)));
        assert_eq!(numbers[..6], counts);
        assert_eq!(numbers[6..], [Some(0.25), None]);
    }
}
