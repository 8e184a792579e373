//! Which segments are lost (RFC 8985, section 6.2).
//!
//! | state | reordering window |
//! |---|---|
//! | no reordering seen, and in an episode or with three SACKed segments | 0 |
//! | otherwise | a quarter of the least round-trip time, and one more for each round with a DSACK, at most SRTT |
//!
//! After 16 episodes without a DSACK, it is a quarter again.
//!
//! A segment is lost when it has been under way for longer than the round-trip time of the segment that was sent last of
//! those delivered, and the window. Linux (`tcp_rack_advance`) takes that of the segment that it processes last instead:
//! SACKs come first, then what the ACK covers, each in the order of their numbers.

use core::ops::Range;

use dumbbell_control::units::{Duration, Instant};

use crate::records::{Record, Records};

/// The episodes without a DSACK that end the growth of the reordering window.
const PERSISTENCE: u32 = 16;

/// The segment that was sent last of those delivered, and the reordering seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Detection {
    /// When that segment was sent, and its number (RACK.xmit_ts, RACK.end_seq).
    newest: Option<(Instant, u64)>,
    /// Its round-trip time (RACK.rtt), or that of the segment processed last.
    rtt: Duration,
    /// Whether it is the latter.
    pub(super) takes_last: bool,
    /// The least round-trip time of a segment sent once.
    min_rtt: Option<Duration>,
    /// The segment after the highest delivered (RACK.fack).
    above: u64,
    reordered: bool,
    /// Quarters of the least round-trip time, less one, that the reordering window has
    /// (RACK.reo_wnd_mult), and the recoveries without a DSACK after which it has none (RACK.reo_wnd_persist).
    more: u64,
    persist: u32,
    /// The window grows again once this segment is acknowledged (RACK.dsack_round).
    round: Option<u64>,
    /// The same, of what the current ACK delivers.
    delivered: Option<(Instant, u64)>,
    /// Of those, the one processed last: whether the ACK covers it, its number, and when it was sent.
    last: Option<(bool, u64, Instant)>,
    /// The least round-trip time and the highest segment before that ACK.
    min_rtt_before: Option<Duration>,
    above_before: u64,
    /// When the last of the segments that may be lost is.
    pub(super) due: Option<Instant>,
}

impl Detection {
    /// The handshake's round-trip time counts for the least one.
    pub(super) fn on_handshake(&mut self, rtt: Duration) {
        self.min_rtt = Some(rtt);
    }

    /// An ACK arrives.
    pub(super) fn begin(&mut self) {
        self.delivered = None;
        self.last = None;
        self.min_rtt_before = self.min_rtt;
        self.above_before = self.above;
    }

    /// Takes a segment that the ACK delivers.
    pub(super) fn deliver(&mut self, seq: u64, record: Record, covered: bool, now: Instant) {
        let once = record.transmissions() == 1;
        let rtt = now.since(record.sent_at());
        if once {
            self.reordered |= seq < self.above_before;
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        self.above = self.above.max(seq + 1);
        // A shorter time than the least one is that of an earlier transmission.
        if once || self.min_rtt_before.is_none_or(|least| rtt >= least) {
            let sent = (record.sent_at(), seq);
            self.delivered = Some(self.delivered.map_or(sent, |last| last.max(sent)));
            self.last = self.last.max(Some((covered, seq, record.sent_at())));
        }
    }

    /// All that the ACK delivers has been taken.
    pub(super) fn end(&mut self, now: Instant) {
        if let Some(delivered) = self.delivered {
            let timed = self.last.filter(|_| self.takes_last);
            self.rtt = now.since(timed.map_or(delivered.0, |(_, _, sent_at)| sent_at));
            self.newest = self.newest.max(Some(delivered));
        }
    }

    /// A late segment arrived although its retransmission had not.
    pub(super) fn on_reordering(&mut self) {
        self.reordered = true;
    }

    /// Adapts the reordering window to DSACKs (section 6.2, step 4). `over` is whether an episode or a timeout
    /// ends.
    pub(super) fn adapt(&mut self, una: u64, high: u64, dsack: bool, over: bool) {
        if self.round.is_some_and(|round| una >= round) {
            self.round = None;
        }
        if dsack && self.round.is_none() {
            self.round = Some(high);
            self.more += 1;
            self.persist = PERSISTENCE;
        } else if over {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.more = 0;
            }
        }
    }

    /// The reordering window. `few` is whether no episode is going on and fewer than three segments are
    /// SACKed.
    pub(super) fn window(&self, few: bool, srtt: Option<Duration>) -> Duration {
        if !self.reordered && !few {
            return Duration::ZERO;
        }
        let least = self.min_rtt.unwrap_or(Duration::ZERO).as_nanos();
        let window = least.saturating_mul(self.more + 1) / 4;
        Duration::from_nanos(window).min(srtt.unwrap_or(Duration::MAX))
    }

    /// Whether a segment has been under way for longer than a round-trip time and the window.
    pub(super) fn is_overdue(&self, record: Record, window: Duration, now: Instant) -> bool {
        record.sent_at() + self.rtt + window <= now
    }

    /// Marks the segments that are lost by now, passes them to `lose`, and sets when the last of those
    /// that may be lost is.
    pub(super) fn detect(
        &mut self,
        records: &mut Records,
        flight: Range<u64>,
        window: Duration,
        now: Instant,
        mut lose: impl FnMut(u64),
    ) {
        self.due = None;
        let Some(newest) = self.newest else { return };
        for seq in flight {
            let record = records.at(seq);
            if record.sacked() || record.lost() {
                continue;
            }
            if (record.sent_at(), seq) >= newest {
                if record.transmissions() == 1 {
                    return; // All above were sent later still.
                }
            } else if self.is_overdue(record, window, now) {
                records.set_lost(seq, true);
                lose(seq);
            } else {
                self.due = self.due.max(Some(record.sent_at() + self.rtt + window));
            }
        }
    }
}
