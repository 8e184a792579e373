//! The results of a run.

mod media;
mod workload;

use std::borrow::Cow;

use dumbbell_tcp::recovery::Kind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use media::MediaOutcome;
pub use workload::{TransferOutcome, TransfersOutcome, VideoOutcome, WorkloadOutcome};

/// A run's results, which are a function of its scenario and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// One entry per flow, in the order of the file, counts expanded.
    pub flows: Vec<FlowOutcome>,
    /// One entry per direction of a link.
    pub links: Vec<LinkOutcome>,
    /// One entry per group, in the order of the first flows of each.
    #[serde(default)]
    pub groups: Vec<GroupOutcome>,
    /// One entry per flow entry with a workload, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<WorkloadOutcome>,
    /// Transport data packets, retransmissions included, that left the link named `bottleneck` in
    /// the forward direction. 0 if there is no such link.
    pub packets: u64,
    /// Events that the simulator executed.
    pub events: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The version of Dumbbell that made it.
    pub version: Cow<'static, str>,
}

/// A name that the program itself defines.
type Name = &'static str;

/// The recovery of a QUIC connection, which has no choice of them.
pub const QUIC: &str = "quic";

/// A flow's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Its name: from the file, or that of its control, numbered if several flows share it.
    pub name: String,
    /// Its group: the name of its entry in the file, unless the file sets another one.
    #[serde(default)]
    pub group: String,
    /// Its congestion control; `udp` for a source without one.
    pub control: String,
    /// Whether the control is a reconstruction, and not the published algorithm of that name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reconstructed: bool,
    /// Its loss recovery, or [`QUIC`]; `None` for a source without a control.
    #[serde(deserialize_with = "recovery")]
    pub recovery: Option<Name>,
    /// Payload delivered in order, in bit/s over the time that the flow was active. This time
    /// begins with the flow's start and ends with the flow or the run; for a source that was
    /// stopped it ends with the arrival of its last packet.
    pub goodput_bps: f64,
    /// Payload that arrived until the transfer was complete, duplicates included, in bit/s over the
    /// same time.
    pub throughput_bps: f64,
    /// Its goodput divided by the rate of the slowest link on the data's path. If a rate is recorded,
    /// its mean over the time that is measured counts.
    #[serde(default)]
    pub share: Option<f64>,
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Data packets that queues dropped.
    #[serde(default)]
    pub dropped: u64,
    /// Data packets that loss models removed.
    #[serde(default)]
    pub lost: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Loss episodes that began without the retransmission timer.
    pub fast_recoveries: u64,
    /// Window reductions because of ECN marks (RFC 3168).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ecn_cuts: u64,
    /// Data packets that arrived with a mark.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub marks: u64,
    /// The scores of the flow's loss classifiers, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classified: Vec<Scores>,
    /// Time at which the flow started, in seconds.
    pub start_s: f64,
    /// Time at which the last segment of a finite transfer was acknowledged, or a source was
    /// stopped, in seconds; `None` if the run ended first.
    pub finish_s: Option<f64>,
    /// Mean round-trip time of the samples, in seconds; `None` without a sample.
    pub rtt_mean_s: Option<f64>,
    /// Median of the round-trip times, as `rtt_p95_s` is their 95th percentile.
    #[serde(default)]
    pub rtt_p50_s: Option<f64>,
    /// 95th percentile of the round-trip times, in seconds, accurate to 1.6 %, of the first 256
    /// samples and every eighth later one; `None` without a sample.
    pub rtt_p95_s: Option<f64>,
    /// 99th percentile, likewise.
    #[serde(default)]
    pub rtt_p99_s: Option<f64>,
    /// The longest round-trip time of all samples, in seconds.
    #[serde(default)]
    pub rtt_max_s: Option<f64>,
    /// Mean queueing delay of the data packets that arrived, in seconds: the time from the sender to
    /// the receiver, less what it is over idle links; `None` if none arrived.
    #[serde(default)]
    pub queueing_mean_s: Option<f64>,
    /// Median of the queueing delays, in seconds, accurate to 1.6 %, of the first 64 packets and every
    /// eighth later one, which counts eight times. Delays below 1 microsecond count as none.
    #[serde(default)]
    pub queueing_p50_s: Option<f64>,
    /// 95th percentile of the queueing delays, likewise.
    #[serde(default)]
    pub queueing_p95_s: Option<f64>,
    /// 99th percentile of the queueing delays, likewise.
    #[serde(default)]
    pub queueing_p99_s: Option<f64>,
    /// The longest queueing delay of all packets, in seconds.
    #[serde(default)]
    pub queueing_max_s: Option<f64>,
    /// Mean congestion window over time, in segments, without inflation; `None` for UDP.
    pub cwnd_mean: Option<f64>,
    /// How much its sending varies: the coefficient of variation of the number of packets that it
    /// sends in each bin of the scenario's `variation`; `None` if the scenario defines no bins, or
    /// if nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sending_variation: Option<f64>,
    /// Its frames, if it is a media flow with an encoder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Box<MediaOutcome>>,
}

/// The flows of a group together: their transfers, and their times, of which each sample of each flow
/// counts once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupOutcome {
    /// Its name.
    pub name: String,
    /// The number of its flows.
    pub flows: u64,
    /// Payload that its flows delivered in order, in bit/s over the time in which at least one of them
    /// was active. Flows one after another therefore do not add up to more than their link carries.
    pub goodput_bps: f64,
    /// Payload of its flows that arrived, duplicates included, in bit/s over the same time.
    pub throughput_bps: f64,
    /// Its goodput divided by the rate of the slowest link on the paths of all its flows, which may
    /// have different ones; `None` if the recorded rate of one of them was 0 all the time.
    #[serde(default)]
    pub share: Option<f64>,
    /// Mean round-trip time, in seconds; `None` without a sample.
    pub rtt_mean_s: Option<f64>,
    /// Median of the round-trip times, in seconds.
    pub rtt_p50_s: Option<f64>,
    /// 95th percentile of the round-trip times, in seconds.
    pub rtt_p95_s: Option<f64>,
    /// 99th percentile of the round-trip times, in seconds.
    pub rtt_p99_s: Option<f64>,
    /// The longest round-trip time, in seconds.
    pub rtt_max_s: Option<f64>,
    /// Mean queueing delay, in seconds; `None` if no data packet arrived.
    pub queueing_mean_s: Option<f64>,
    /// Median of the queueing delays, in seconds.
    pub queueing_p50_s: Option<f64>,
    /// 95th percentile of the queueing delays, in seconds.
    pub queueing_p95_s: Option<f64>,
    /// 99th percentile of the queueing delays, in seconds.
    pub queueing_p99_s: Option<f64>,
    /// The longest queueing delay, in seconds.
    pub queueing_max_s: Option<f64>,
}

/// The verdicts of a classifier on the loss episodes of a flow that began without the
/// retransmission timer, compared with what the simulator knows of the lost segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scores {
    /// The name of the classifier.
    pub classifier: String,
    /// Episodes with a segment that a queue dropped, classified as congestion.
    pub dropped_as_congestion: u64,
    /// Episodes with a segment that a queue dropped, classified as random loss.
    pub dropped_as_random: u64,
    /// Episodes with a segment that a loss model removed, classified as congestion.
    pub lost_as_congestion: u64,
    /// Episodes with a segment that a loss model removed, classified as random loss.
    pub lost_as_random: u64,
    /// Episodes without a lost segment: the segment was late, or its ACKs were lost.
    pub spurious: u64,
}

impl Scores {
    /// Takes away earlier counts of the same classifier.
    pub(crate) fn subtract(&mut self, earlier: &Self) {
        self.dropped_as_congestion -= earlier.dropped_as_congestion;
        self.dropped_as_random -= earlier.dropped_as_random;
        self.lost_as_congestion -= earlier.lost_as_congestion;
        self.lost_as_random -= earlier.lost_as_random;
        self.spurious -= earlier.spurious;
    }

    /// The fraction of the episodes with a known cause that it classified correctly; `None` without
    /// such episodes.
    pub fn accuracy(&self) -> Option<f64> {
        let right = self.dropped_as_congestion + self.lost_as_random;
        let all = right + self.dropped_as_random + self.lost_as_congestion;
        (all > 0).then(|| right as f64 / all as f64)
    }
}

/// The results of one direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Its name, for example `bottleneck` or `bottleneck.reverse`.
    pub name: String,
    /// Packets handed to it.
    pub sent: u64,
    /// Packets that reached its far end.
    pub delivered: u64,
    /// Packets that its queue dropped: those for which there was no room, and those that it dropped
    /// early or, with RED, because it was too long on average. Also those that its policer dropped.
    pub dropped: u64,
    /// Packets that its loss model removed.
    pub lost: u64,
    /// Packets that its queue dropped early, by its rule (RED: by chance); they are included in `dropped`.
    #[serde(default)]
    pub early: u64,
    /// Packets that its policer dropped; they are included in `dropped`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub policed: u64,
    /// Packets that its queue marked.
    #[serde(default)]
    pub marked: u64,
    /// Packets that an ACK filter removed.
    #[serde(default)]
    pub filtered: u64,
    /// The number of times that the link sent a packet again (ARQ).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retransmitted: u64,
    /// Copies of packets that arrived twice; they are included in `delivered`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duplicated: u64,
    /// Packets that arrived damaged; they are included in `delivered`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrupted: u64,
    /// The fraction of the run spent transmitting. If the rate varies, the bytes sent as a
    /// fraction of those that could have been sent.
    pub utilisation: f64,
    /// Mean number of packets in the queue over time, the one in transmission included.
    pub queue_mean: f64,
    /// Mean queueing delay in seconds: from a packet's arrival to the beginning of its
    /// transmission, over the packets that were not dropped; `None` if no packet has left the
    /// queue.
    pub wait_mean_s: Option<f64>,
    /// How long packets waited, from their arrival to the beginning of their transmission, if the link
    /// measures it and a packet has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sojourn: Option<Box<Sojourn>>,
    /// Of these, the packets of the queue for low latency (L) of DualPI2, those with ECT(1) or CE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l4s_sojourn: Option<Box<Sojourn>>,
}

/// How long the packets that a link transmitted had waited in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sojourn {
    /// The mean in seconds.
    pub mean_s: f64,
    /// The time that half of the packets did not exceed, in seconds, within 0.8 %.
    pub p50_s: f64,
    /// The time that 95 % of the packets did not exceed, in seconds, within 0.8 %.
    pub p95_s: f64,
    /// The time that 99 % of the packets did not exceed, in seconds, within 0.8 %.
    pub p99_s: f64,
    /// The longest in seconds.
    pub max_s: f64,
}

/// Whether a count is zero, so that its field is omitted.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Reads the name of a recovery as the static name of that recovery.
fn recovery<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'static str>, D::Error> {
    Option::<Cow<'_, str>>::deserialize(from)?
        .map(|name| match Kind::named(&name) {
            Some(kind) => Ok(kind.name()),
            None if name == QUIC => Ok(QUIC),
            None => Err(D::Error::custom(format!("there is no recovery `{name}`"))),
        })
        .transpose()
}
