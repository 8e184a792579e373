//! Compressed SACKs, as in Linux: while a hole stays, the ACKs of what arrives above it are gathered.
//!
//! | segment above a hole | ACK |
//! |---|---|
//! | one of the first three since the cumulative ACK moved | at once |
//! | while ACKs are not delayed (`quick_acks`), if it moves the cumulative ACK, or if it had arrived before | at once |
//! | begins a third run of segments, or follows 44 others | at once |
//! | any other | with others, a twentieth of the round-trip time later, at most 1 ms, and the timer's slack of 0.1 ms |
//!
//! A burst of SACKs is thus known up to 1.1 ms late, and a rate of delivery that is measured from then on to an ACK
//! that is in time is too large.
//!
//! Source: Linux, `__tcp_ack_snd_check`, `tcp_sack_new_ofo_skb`; `tcp_comp_sack_delay_ns`, `tcp_comp_sack_slack_ns`,
//! `tcp_comp_sack_nr`. Readings: the receiver takes twice the least time that a segment was under way for the
//! round-trip time, since it has no other: with the segment that opened the connection, if the handshake's time counts, as in
//! Linux (the lesser of `srtt_us`, which nothing but the handshake sets, and `rcv_rtt_est`); a segment that had arrived before is reported at once; what is gathered
//! leaves with the first segment of a third run, not just before it.

use dumbbell_control::units::{Duration, Instant};

use super::{Rare, Receiver, Response};
use crate::pacing::NEVER;
use crate::recovery::DUP_THRESHOLD;

const LONGEST: Duration = Duration::from_millis(1);
const SLACK: Duration = Duration::from_micros(100);
/// The part of the round-trip time that a wait takes at most.
const PART: u64 = 20;
/// The most segments whose ACKs are gathered.
const MOST: u32 = 44;
/// More runs than these may not all fit into the next ACKs.
const RUNS: usize = 2;

/// The ACKs that are gathered.
#[derive(Clone, Debug)]
pub(super) struct Compression {
    /// Twice the least time that a segment was under way, or the opening one, if that counts.
    round_trip: Duration,
    /// The segment missing when ACKs were counted last, and how many left at once since then.
    missing: u64,
    at_once: u32,
    /// Segments since the last ACK.
    gathered: u32,
    /// Runs of segments above the hole when the last segment arrived.
    runs: usize,
}

impl Default for Compression {
    fn default() -> Self {
        Self {
            round_trip: Duration::MAX,
            missing: 0,
            at_once: 0,
            gathered: 0,
            runs: 0,
        }
    }
}

impl Compression {
    /// Takes the time that a segment was under way.
    pub fn time(&mut self, now: Instant, sent_at: Instant) {
        let once = now.since(sent_at);
        self.round_trip = self.round_trip.min(once + once);
    }

    /// Twice the least time that a segment was under way.
    pub fn round_trip(&self) -> Duration {
        self.round_trip
    }

    /// An ACK is sent, with all that was gathered.
    pub fn on_ack(&mut self) {
        self.gathered = 0;
    }

    fn wait(&self) -> Duration {
        Duration::from_nanos(self.round_trip.as_nanos() / PART).min(LONGEST) + SLACK
    }
}

impl Receiver {
    /// A segment has arrived at or above the hole, which was at segment `before`. Whether its ACK leaves at once.
    #[cold]
    pub(super) fn compress(&mut self, now: Instant, before: u64) -> Response {
        let runs = self.above.as_ref().map_or(0, |above| above.runs.len());
        let Rare {
            compression, again, ..
        } = &mut **self.rare.get_or_insert_default();
        let again = again.is_some();
        let begins = runs > compression.runs.max(RUNS);
        compression.runs = runs;
        if runs == 0 || self.next > before + 1 || again {
            return Response::Ack;
        }
        if compression.missing != self.next {
            compression.missing = self.next;
            compression.at_once = 0;
        }
        if compression.at_once < DUP_THRESHOLD {
            compression.at_once += 1;
            return Response::Ack;
        }
        if compression.gathered >= MOST || begins && compression.gathered > 0 {
            return Response::Ack;
        }
        compression.gathered += 1;
        if self.deadline == NEVER {
            self.deadline = now + compression.wait();
        }
        Response::Wait
    }
}
