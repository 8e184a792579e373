//! The sorts of queues, losses and sources, of which a table has only one.

use crate::flow;
use crate::loss::LossModel;
use crate::queue::DISCIPLINES;
use crate::source::Source;

/// The keys of the sorts that a table with this key can have, one of them at a time.
pub(super) fn sorts(of: &str) -> Option<&'static [&'static str]> {
    match of {
        "loss" => Some(LossModel::KEYS),
        "queue" => Some(DISCIPLINES),
        flow::SOURCE => Some(Source::KEYS),
        _ => None,
    }
}
