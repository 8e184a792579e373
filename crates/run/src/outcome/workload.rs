//! The results of workloads: completion times by classes of size, and the playing of videos.

use serde::{Deserialize, Serialize};

/// The results of a flow entry with a workload, all its pairs of hosts together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadOutcome {
    /// The name of the entry.
    pub name: String,
    /// `transfers`, `requests` or `video`.
    pub application: String,
    /// Payload of the transfers that began, in bit/s over the time that is measured, divided by the rate of the
    /// slowest link on the paths of all pairs; `None` if there is no such rate.
    pub offered_load: Option<f64>,
    /// Transfers that were refused, because too many were under way.
    pub refused: u64,
    /// The largest number of connections of one pair at the same time, since the start of the run.
    pub most_alive: u64,
    /// All transfers.
    pub all: TransfersOutcome,
    /// The same by classes of size, the smallest first.
    pub classes: Vec<TransfersOutcome>,
    /// How videos were played; `None` if the application is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<VideoOutcome>,
    /// Each transfer, pair by pair, if the file asks for a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<TransferOutcome>,
}

/// Transfers of some sizes that began in the time that is measured. A transfer is complete when its last byte
/// has arrived. Its completion time begins when it arrives at the sender or is requested by the client, so it
/// includes the handshake of a connection of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransfersOutcome {
    /// The smallest size of the class, in bytes.
    pub from_bytes: u64,
    /// All sizes are below this one; `None` for the class of the largest.
    pub below_bytes: Option<u64>,
    /// Transfers that began.
    pub started: u64,
    /// Transfers that are complete.
    pub finished: u64,
    /// Transfers under way at the end; `started` is `finished + alive`.
    pub alive: u64,
    /// Payload of the transfers that began, in bytes.
    pub bytes: u64,
    /// Mean completion time, in seconds; `None` if no transfer is complete.
    pub completion_mean_s: Option<f64>,
    /// Median of the completion times, in seconds, accurate to 1.6 %.
    pub completion_p50_s: Option<f64>,
    /// 95th percentile, likewise.
    pub completion_p95_s: Option<f64>,
    /// 99th percentile, likewise.
    pub completion_p99_s: Option<f64>,
    /// The longest completion time, in seconds.
    pub completion_max_s: Option<f64>,
    /// Mean slowdown: the completion time divided by what it would be if the path were idle and the window
    /// unlimited.
    pub slowdown_mean: Option<f64>,
    /// Median of the slowdowns, accurate to 1.6 %.
    pub slowdown_p50: Option<f64>,
    /// 95th percentile, likewise.
    pub slowdown_p95: Option<f64>,
    /// 99th percentile, likewise.
    pub slowdown_p99: Option<f64>,
    /// The largest slowdown.
    pub slowdown_max: Option<f64>,
}

/// One transfer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransferOutcome {
    /// When it arrived or was requested, in seconds.
    pub start_s: f64,
    /// Its payload, in bytes.
    pub bytes: u64,
    /// Its completion time, in seconds; `None` if it was under way at the end.
    pub completion_s: Option<f64>,
}

/// How the clients of a flow entry played their videos, since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VideoOutcome {
    /// Clients.
    pub clients: u64,
    /// Clients that have begun to play.
    pub playing: u64,
    /// Mean time from the start of a client to the begin of playing, in seconds; `None` if none has begun.
    pub startup_mean_s: Option<f64>,
    /// The longest of these times, in seconds.
    pub startup_max_s: Option<f64>,
    /// How often a buffer ran empty.
    pub stalls: u64,
    /// How long playing stood still after it had begun, in seconds, over all clients.
    pub stalled_s: f64,
    /// How long was played, in seconds, over all clients.
    pub played_s: f64,
    /// Mean rate of the chunks that arrived, in bit/s; `None` if none did.
    pub rate_mean_bps: Option<f64>,
    /// How often a chunk had another rate than the one before it.
    pub switches: u64,
}
