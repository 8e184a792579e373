//! The measures of a run, each under one word. The same words are the columns of tables, keys of JSON,
//! and the quantities of descriptions. A test compares them with docs/measures.md.

use dumbbell_run::outcome::FlowOutcome;
use dumbbell_run::statistics::percentile;

use super::measure::{Across, Measure, Range, both, of_group};
use super::{Group, fairness};

/// The measures of flows and groups, in the order of columns.
pub static MEASURES: &[Measure] = &[
    both(
        "goodput",
        "bit/s",
        Range::Positive,
        "payload delivered in order, over the time that the flow was active; of a group, over the time that at least one of its flows was",
        |f| Some(f.goodput_bps),
        Across::Own(|g| Some(g.pooled?.goodput_bps)),
    ),
    of_group(
        "goodput_per_flow",
        "bit/s",
        Range::Positive,
        "mean goodput of the group's flows",
        |g| g.mean(|f| Some(f.goodput_bps)),
    ),
    both(
        "throughput",
        "bit/s",
        Range::Positive,
        "payload that arrived, duplicates included, over the same time",
        |f| Some(f.throughput_bps),
        Across::Own(|g| Some(g.pooled?.throughput_bps)),
    ),
    both(
        "share",
        "fraction",
        Range::Positive,
        "goodput divided by the rate of the slowest link on the flow's path; of a group, on the paths of all its flows",
        |f| f.share,
        Across::Own(|g| g.pooled?.share),
    ),
    both(
        "sent",
        "packets",
        Range::Count,
        "data packets sent, retransmissions included",
        |f| Some(f.sent as f64),
        Across::Sum,
    ),
    both(
        "retransmits",
        "packets",
        Range::Count,
        "retransmissions",
        |f| Some(f.retransmits as f64),
        Across::Sum,
    ),
    both(
        "retransmit_rate",
        "fraction",
        Range::Fraction,
        "retransmissions divided by packets sent",
        |f| ratio(f.retransmits, f.sent),
        Across::Own(|g| ratio(total(g, |f| f.retransmits), total(g, |f| f.sent))),
    ),
    both(
        "timeouts",
        "timeouts",
        Range::Count,
        "expiries of the retransmission timer; of a media flow, of the no-feedback timer",
        |f| Some(f.timeouts as f64),
        Across::Sum,
    ),
    both(
        "recoveries",
        "episodes",
        Range::Count,
        "loss episodes that began without a timeout; of a media flow, loss events",
        |f| Some(f.fast_recoveries as f64),
        Across::Sum,
    ),
    both(
        "ecn_cuts",
        "cuts",
        Range::Count,
        "window reductions because of ECN marks",
        |f| Some(f.ecn_cuts as f64),
        Across::Sum,
    ),
    both(
        "marks",
        "packets",
        Range::Count,
        "data packets that arrived with an ECN mark",
        |f| Some(f.marks as f64),
        Across::Sum,
    ),
    both(
        "dropped",
        "packets",
        Range::Count,
        "data packets that a queue dropped: congestion",
        |f| Some(f.dropped as f64),
        Across::Sum,
    ),
    both(
        "lost",
        "packets",
        Range::Count,
        "data packets that a loss model removed: random loss",
        |f| Some(f.lost as f64),
        Across::Sum,
    ),
    both(
        "rtt",
        "s",
        Range::Positive,
        "mean round-trip time of all samples",
        |f| f.rtt_mean_s,
        Across::Own(|g| g.pooled?.rtt_mean_s),
    ),
    both(
        "rtt_p50",
        "s",
        Range::Positive,
        "median of the round-trip times",
        |f| f.rtt_p50_s,
        Across::Own(|g| g.pooled?.rtt_p50_s),
    ),
    both(
        "rtt_p95",
        "s",
        Range::Positive,
        "95th percentile of the round-trip times",
        |f| f.rtt_p95_s,
        Across::Own(|g| g.pooled?.rtt_p95_s),
    ),
    both(
        "rtt_p99",
        "s",
        Range::Positive,
        "99th percentile of the round-trip times",
        |f| f.rtt_p99_s,
        Across::Own(|g| g.pooled?.rtt_p99_s),
    ),
    both(
        "rtt_max",
        "s",
        Range::Positive,
        "longest round-trip time",
        |f| f.rtt_max_s,
        Across::Own(|g| g.pooled?.rtt_max_s),
    ),
    both(
        "queueing",
        "s",
        Range::Positive,
        "mean queueing delay: what a data packet takes from sender to receiver beyond what it takes over idle links",
        |f| f.queueing_mean_s,
        Across::Own(|g| g.pooled?.queueing_mean_s),
    ),
    both(
        "queueing_p50",
        "s",
        Range::Positive,
        "median of the queueing delays",
        |f| f.queueing_p50_s,
        Across::Own(|g| g.pooled?.queueing_p50_s),
    ),
    both(
        "queueing_p95",
        "s",
        Range::Positive,
        "95th percentile of the queueing delays",
        |f| f.queueing_p95_s,
        Across::Own(|g| g.pooled?.queueing_p95_s),
    ),
    both(
        "queueing_p99",
        "s",
        Range::Positive,
        "99th percentile of the queueing delays",
        |f| f.queueing_p99_s,
        Across::Own(|g| g.pooled?.queueing_p99_s),
    ),
    both(
        "queueing_max",
        "s",
        Range::Positive,
        "longest queueing delay",
        |f| f.queueing_max_s,
        Across::Own(|g| g.pooled?.queueing_max_s),
    ),
    both(
        "window",
        "segments",
        Range::Positive,
        "mean congestion window over time, without inflation; of a group, the mean over its flows",
        |f| f.cwnd_mean,
        Across::Mean,
    ),
    both(
        "variation",
        "fraction",
        Range::Positive,
        "coefficient of variation of the packets sent in each bin of the scenario's `variation`; of a group, the mean over its flows",
        |f| f.sending_variation,
        Across::Mean,
    ),
    both(
        "completed",
        "flows",
        Range::Count,
        "TCP flows that completed a finite transfer",
        |f| Some(f64::from(completion(f).is_some())),
        Across::Sum,
    ),
    both(
        "completion",
        "s",
        Range::Positive,
        "time from the flow's start to its last acknowledgement; of a group, the mean over the flows that completed",
        completion,
        Across::Mean,
    ),
    of_group(
        "completion_p50",
        "s",
        Range::Positive,
        "median of the completion times of the group's flows",
        |g| percentile(&completions(g), 50),
    ),
    of_group(
        "completion_p95",
        "s",
        Range::Positive,
        "95th percentile of the completion times of the group's flows",
        |g| percentile(&completions(g), 95),
    ),
    of_group(
        "completion_max",
        "s",
        Range::Positive,
        "longest completion time of the group's flows",
        |g| percentile(&completions(g), 100),
    ),
    both(
        "encoded",
        "bit/s",
        Range::Positive,
        "mean rate of the frames that the encoder of a media flow made; of a group, the sum",
        |f| Some(f.media.as_ref()?.encoded_bps),
        Across::Sum,
    ),
    both(
        "shown",
        "bit/s",
        Range::Positive,
        "mean rate of the frames that the player of a media flow showed; of a group, the sum",
        |f| Some(f.media.as_ref()?.shown_bps),
        Across::Sum,
    ),
    both(
        "shown_variation",
        "fraction",
        Range::Positive,
        "coefficient of variation of the rate of the frames that were shown, over whole seconds; of a group, the mean over its flows",
        |f| f.media.as_ref()?.shown_variation,
        Across::Mean,
    ),
    both(
        "frames",
        "frames",
        Range::Count,
        "frames that the encoder made",
        |f| Some(f.media.as_ref()?.made as f64),
        Across::Sum,
    ),
    both(
        "frames_shown",
        "frames",
        Range::Count,
        "frames that were shown, late ones included",
        |f| Some(f.media.as_ref()?.shown as f64),
        Across::Sum,
    ),
    both(
        "frames_late",
        "frames",
        Range::Count,
        "frames that were complete only after they were due, shown or not",
        |f| f.media.as_ref().map(|it| (it.shown_late + it.late) as f64),
        Across::Sum,
    ),
    both(
        "frames_lost",
        "frames",
        Range::Count,
        "frames of which a packet is missing, or that the sender discarded",
        |f| Some(f.media.as_ref()?.lost as f64),
        Across::Sum,
    ),
    both(
        "frozen",
        "fraction",
        Range::Fraction,
        "the part of the time since the first picture in which the picture stood still; of a group, the mean over its flows",
        |f| f.media.as_ref()?.frozen_share(),
        Across::Mean,
    ),
    both(
        "freezes",
        "freezes",
        Range::Count,
        "how often the picture stood still for more than three frame intervals, and more than 150 ms beyond one",
        |f| Some(f.media.as_ref()?.freezes as f64),
        Across::Sum,
    ),
    both(
        "frame_delay",
        "s",
        Range::Positive,
        "mean time from the making of a frame to its showing; of a group, the mean over its flows",
        |f| f.media.as_ref()?.delay_mean_s,
        Across::Mean,
    ),
    both(
        "frame_delay_p95",
        "s",
        Range::Positive,
        "95th percentile of the times from the making of a frame to its showing; of a group, the mean over its flows",
        |f| f.media.as_ref()?.delay_p95_s,
        Across::Mean,
    ),
    of_group(
        "jain",
        "index",
        Range::Fraction,
        "Jain's index of the goodputs of the group's flows, from 1/n to 1; none for a single flow",
        |g| fairness(g.flows.iter().copied()),
    ),
    of_group(
        "jain_all",
        "index",
        Range::Fraction,
        "Jain's index of the goodputs of all TCP and media flows of the run",
        |g| g.jain_all,
    ),
];

impl Measure {
    /// The measure of this name.
    pub fn named(word: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|it| it.word == word)
    }
}

fn total(group: &Group<'_>, of: fn(&FlowOutcome) -> u64) -> u64 {
    group.flows.iter().map(|flow| of(flow)).sum()
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The time that a finite transfer took. A source without a control that stops has completed nothing.
fn completion(flow: &FlowOutcome) -> Option<f64> {
    let finish = flow.finish_s.filter(|_| flow.recovery.is_some());
    finish.map(|finish| finish - flow.start_s)
}

fn completions(group: &Group<'_>) -> Vec<f64> {
    group
        .flows
        .iter()
        .filter_map(|flow| completion(flow))
        .collect()
}
