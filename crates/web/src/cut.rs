//! The cuts of windows and the falls of rates, each with the sentence that explains it.

use dumbbell_run::explain::{Kind, Line};
use serde::Serialize;

/// The most cuts that are listed. A chart shows fewer, and each has a sentence.
pub(crate) const MOST: usize = 5000;

/// Why a window was reduced, or why a loss did not reduce it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Cut {
    /// The flow, by its position among the run's flows.
    flow: usize,
    /// In seconds.
    time: f64,
    /// `dup_acks`, `fine_timer`, `ecn`, `timeout`, `ack`, `recovery_end`, `undo` or `unused`; of a rate
    /// `report` or `timer`.
    event: &'static str,
    kind: Kind,
    /// `segments` of a congestion window, or `bit/s` of a rate.
    unit: &'static str,
    before: f64,
    after: f64,
    /// The slow-start threshold, in segments; `None` if there is no limit.
    ssthresh_before: Option<f64>,
    ssthresh_after: Option<f64>,
    /// The branch that was taken.
    rule: &'static str,
    /// Why it was taken, and what it does.
    sentence: String,
    /// Where the rule is published.
    source: &'static str,
}

impl Cut {
    /// The cut of a line; `None` if the line explains something else.
    pub(crate) fn of(line: &Line) -> Option<Self> {
        match line.kind {
            Kind::Reduction | Kind::Spared | Kind::Restoration => {}
            Kind::Growth | Kind::Hold | Kind::Transition | Kind::State | Kind::Bounds => {
                return None;
            }
        }
        let (unit, before, after) = match (line.rate_before_bps, line.rate_after_bps) {
            (Some(before), Some(after)) => ("bit/s", before, after),
            _ => ("segments", line.cwnd_before, line.cwnd_after),
        };
        Some(Self {
            flow: line.flow - 1,
            time: line.time_s,
            event: line.event,
            kind: line.kind,
            unit,
            before,
            after,
            ssthresh_before: line.ssthresh_before,
            ssthresh_after: line.ssthresh_after,
            rule: line.branch,
            sentence: sentence(line),
            source: line.source,
        })
    }
}

/// What [`Line::reason`] says, without the source.
fn sentence(line: &Line) -> String {
    let colon = if line.condition.is_empty() { "" } else { ": " };
    let comma = if line.action.is_empty() { "" } else { ", " };
    let Line {
        condition,
        branch,
        action,
        ..
    } = line;
    format!("{condition}{colon}{branch}{comma}{action}")
}
