//! What is known of a transfer afterwards, and while it runs.

use std::time::{Duration, Instant};

use quinn::Connection;
use serde::{Deserialize, Serialize};

use crate::round_trips::RoundTrips;
use crate::watch::Record;

/// A finished, or stopped, transfer. As JSON, it is what `--json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `get`, `put` or, of a server, `serve`.
    pub transfer: String,
    /// The file's name at the server.
    pub name: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Bytes that were there before, and were not sent again.
    pub resumed_from: u64,
    /// Bytes of the file that this transfer moved and that the receiver has.
    pub transferred: u64,
    /// Seconds from the first to the last byte of the file, as this end saw them.
    pub seconds: f64,
    /// `transferred` in bits, by `seconds`.
    pub goodput_bps: f64,
    /// Whether the receiver has the whole file, and its hash is the sender's.
    pub complete: bool,
    /// The blake3 hash of the whole file, if complete.
    pub blake3: Option<String>,
    /// The end that sent the file. Missing where a `get` stopped early: the server had no time to tell.
    pub sender: Option<Statistics>,
}

/// One end of a connection, as a sender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The congestion control.
    pub control: String,
    /// Packets sent, with those of the handshake.
    pub sent_packets: u64,
    /// Packets declared lost.
    pub lost_packets: u64,
    /// Bytes of UDP payload sent.
    pub sent_bytes: u64,
    /// Bytes of packets declared lost.
    pub lost_bytes: u64,
    /// Bytes of acknowledged packets.
    pub acked_bytes: u64,
    /// How often the stack told the control of congestion.
    pub congestion_events: u64,
    /// Round-trip times: `now - sent` of the newest packet of each ACK, with the peer's ACK delay.
    pub rtt: RoundTrips,
    /// The congestion window at the end, in bytes.
    pub window_bytes: u64,
    /// The largest UDP payload, in bytes.
    pub mtu_bytes: u16,
    /// Samples in time, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// The sender at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the transfer began.
    pub at_s: f64,
    /// The congestion window, in bytes.
    pub window_bytes: u64,
    /// Bytes in flight after the last ACK.
    pub in_flight_bytes: u64,
    /// The last round-trip time, in seconds.
    pub rtt_s: f64,
    /// The smoothed round-trip time, in seconds.
    pub srtt_s: f64,
    /// Packets sent so far.
    pub sent_packets: u64,
    /// Packets declared lost so far.
    pub lost_packets: u64,
    /// Bytes of packets acknowledged so far.
    pub acked_bytes: u64,
}

/// How far a transfer is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes of the file that are there.
    pub done: u64,
    /// Bytes of the file.
    pub size: u64,
    /// This end's connection. Only the sender's window and losses mean something.
    pub now: Sample,
}

/// One end of a connection, whose statistics can be taken.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub connection: Connection,
    pub record: Record,
    pub control: String,
    pub began: Instant,
}

impl End {
    pub fn sample(&self) -> Sample {
        let stats = self.connection.stats();
        let told = self.record.told();
        Sample {
            at_s: self.began.elapsed().as_secs_f64(),
            window_bytes: stats.path.cwnd,
            in_flight_bytes: told.in_flight,
            rtt_s: told.round_trips.last_s,
            srtt_s: stats.path.rtt.as_secs_f64(),
            sent_packets: stats.path.sent_packets,
            lost_packets: stats.path.lost_packets,
            acked_bytes: told.acked_bytes,
        }
    }

    pub fn statistics(&self, samples: Vec<Sample>) -> Statistics {
        let stats = self.connection.stats();
        let told = self.record.told();
        Statistics {
            control: self.control.clone(),
            sent_packets: stats.path.sent_packets,
            lost_packets: stats.path.lost_packets,
            sent_bytes: stats.udp_tx.bytes,
            lost_bytes: stats.path.lost_bytes,
            acked_bytes: told.acked_bytes,
            congestion_events: stats.path.congestion_events,
            rtt: told.round_trips,
            window_bytes: stats.path.cwnd,
            mtu_bytes: stats.path.current_mtu,
            samples,
        }
    }
}

/// Samples at equal distances. When there are too many, every second one goes, and the distance doubles.
#[derive(Debug)]
pub(crate) struct Samples {
    every: Duration,
    due: Instant,
    taken: Vec<Sample>,
}

/// The largest number of samples that are kept.
const MOST_SAMPLES: usize = 8192;

impl Samples {
    pub fn new(every: Duration, now: Instant) -> Self {
        Self {
            every: every.max(Duration::from_millis(1)),
            due: now,
            taken: Vec::new(),
        }
    }

    /// When the next sample is due.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Keeps a sample.
    pub fn keep(&mut self, sample: Sample, now: Instant) {
        self.taken.push(sample);
        if self.taken.len() == MOST_SAMPLES {
            let mut index = 0;
            self.taken.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
        // A late sampler does not catch up.
        self.due = (self.due + self.every).max(now);
    }

    pub fn into_taken(self) -> Vec<Sample> {
        self.taken
    }
}

/// Bits in a second.
pub(crate) fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        bytes as f64 * 8.0 / seconds
    } else {
        0.0
    }
}
