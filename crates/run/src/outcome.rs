//! What a run leaves behind: numbers for people and for machines.

use std::borrow::Cow;

use dumbbell_tcp::recovery::Kind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A run's results: a function of its scenario and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// One entry a flow, in the order of the file, counts expanded.
    pub flows: Vec<FlowOutcome>,
    /// One entry a direction of a link.
    pub links: Vec<LinkOutcome>,
    /// Transport data packets, retransmissions included, that left the link named `bottleneck`
    /// forwards. 0 where there is no such link.
    pub packets: u64,
    /// Events that the simulator executed.
    pub events: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The version of Dumbbell that made it.
    pub version: Cow<'static, str>,
}

/// A name out of the program's own.
type Name = &'static str;

/// A flow's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Its name: the file's, or its control's, numbered where several share it.
    pub name: String,
    /// Its congestion control; `udp` for a source without one.
    pub control: String,
    /// The control is a reconstruction: not what was published under its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reconstructed: bool,
    /// Its loss recovery; none for a source without a control.
    #[serde(deserialize_with = "recovery")]
    pub recovery: Option<Name>,
    /// Payload delivered in order, in bit/s over the time that the flow was active: from its start to
    /// its end or that of the run, or to the arrival of the last packet of a source that was stopped.
    pub goodput_bps: f64,
    /// Payload that arrived until all had arrived, duplicates included, in bit/s over the same time.
    pub throughput_bps: f64,
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Loss episodes that began without the retransmission timer.
    pub fast_recoveries: u64,
    /// Windows cut for marks of routers (RFC 3168).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ecn_cuts: u64,
    /// Data packets that arrived with a mark.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub marks: u64,
    /// What classifiers of losses said of its loss episodes, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classified: Vec<Scores>,
    /// When the flow started.
    pub start_s: f64,
    /// When the last segment of a finite transfer was acknowledged, or a source was told to stop; none
    /// if the run ended first.
    pub finish_s: Option<f64>,
    /// Mean round-trip time of the samples; none without a sample.
    pub rtt_mean_s: Option<f64>,
    /// 95th percentile of the round-trip times, within 1.6 %, of the first 256 samples and
    /// every eighth later one; none without a sample.
    pub rtt_p95_s: Option<f64>,
    /// Mean congestion window over time, in segments, without inflation; none for UDP.
    pub cwnd_mean: Option<f64>,
    /// How much its sending varies: the coefficient of variation of the packets that it sends in each bin of
    /// the scenario's `variation`; none if the scenario has none, or if nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sending_variation: Option<f64>,
}

/// What a classifier called the loss episodes of a flow that began without the retransmission timer, and
/// what the simulator knows of the lost segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scores {
    /// The classifier.
    pub classifier: String,
    /// Dropped by a queue, and called congestion.
    pub dropped_as_congestion: u64,
    /// Dropped by a queue, and called random.
    pub dropped_as_random: u64,
    /// Taken by a loss model, and called congestion.
    pub lost_as_congestion: u64,
    /// Taken by a loss model, and called random.
    pub lost_as_random: u64,
    /// Neither: the segment was late, or its ACKs are lost.
    pub spurious: u64,
}

impl Scores {
    /// The part of the episodes of known cause that it called right; none without one.
    pub fn accuracy(&self) -> Option<f64> {
        let right = self.dropped_as_congestion + self.lost_as_random;
        let all = right + self.dropped_as_random + self.lost_as_congestion;
        (all > 0).then(|| right as f64 / all as f64)
    }
}

/// The results of one direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Its name, for instance `bottleneck` and `bottleneck.reverse`.
    pub name: String,
    /// Packets handed to it.
    pub sent: u64,
    /// Packets that reached its far end.
    pub delivered: u64,
    /// Packets that its queue dropped: those that found it full, and those that a RED queue dropped
    /// early or because it was too long on average.
    pub dropped: u64,
    /// Packets that its loss model took.
    pub lost: u64,
    /// Those of the dropped packets that a RED queue dropped early, by chance.
    #[serde(default)]
    pub early: u64,
    /// Packets that a RED queue marked.
    #[serde(default)]
    pub marked: u64,
    /// Packets that an ACK filter removed.
    #[serde(default)]
    pub filtered: u64,
    /// Time spent transmitting, as a part of the run; where the rate is recorded, the bytes sent, as a
    /// part of those that could have been.
    pub utilisation: f64,
    /// Mean number of packets in the queue over time, the one in transmission included.
    pub queue_mean: f64,
    /// Mean queueing delay: from a packet's arrival to the beginning of its transmission, in seconds,
    /// of the packets that were not dropped; none if no packet has left the queue.
    pub wait_mean_s: Option<f64>,
}

/// Whether there is nothing to write down.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The name of a recovery, as the recovery itself has it.
fn recovery<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'static str>, D::Error> {
    Option::<Cow<'_, str>>::deserialize(from)?
        .map(|name| match Kind::named(&name) {
            Some(kind) => Ok(kind.name()),
            None => Err(D::Error::custom(format!("there is no recovery `{name}`"))),
        })
        .transpose()
}
