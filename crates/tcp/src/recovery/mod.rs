//! Loss recovery: which segments to send again, and by how much to inflate the window meanwhile. The
//! controller decides how much the window shrinks.

mod any;
mod newreno;
mod prr;
mod rack;
mod reno;
mod reported;
mod sack;
mod tahoe;
mod vegas;

pub use any::{Any, Kind};
pub use newreno::{NewReno, PartialAckTimer};
pub use prr::Bound;
pub use rack::Rack;
pub use reno::Reno;
pub use sack::Sack;
pub use tahoe::Tahoe;
pub use vegas::Vegas;

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant};

use crate::connection::Connection;
use crate::segment::{Output, SackBlock};

/// The number of duplicate ACKs that indicate a loss (RFC 5681, section 3.2).
pub const DUP_THRESHOLD: u32 = 3;

/// A loss recovery. For each ACK, the sender passes the sample to the controller before it calls these
/// methods.
pub trait Recovery {
    /// An ACK arrived: takes its number and SACK blocks, before the other methods are called. Returns
    /// whether a duplicate reports something new; a duplicate that does not is ignored.
    #[inline]
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        now: Instant,
    ) -> bool {
        let _ = (tx, ack, blocks, now);
        true
    }

    /// An ACK arrived that acknowledges nothing new while nothing is outstanding, or an old one.
    #[inline]
    fn on_old<C: Controller>(&mut self, tx: &mut Connection<C>, ack: u64, blocks: &[SackBlock]) {
        let _ = (tx, ack, blocks);
    }

    /// `acked` segments are newly acknowledged; `tx.una` has moved.
    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    );

    /// A duplicate ACK arrived.
    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    );

    /// The retransmission timer fired. The controller knows of it already, and `tx.nxt` is `tx.una`.
    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.send_allowed(now, u64::MAX, out);
    }

    /// The sender's deadline has come. Returns whether that was the time of a timer of the recovery, so that
    /// the retransmission timer has not fired.
    #[inline]
    fn on_alarm<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) -> bool {
        let _ = (tx, now, out);
        false
    }

    /// More may be sent without an ACK: the connection is open, a paced segment is due, or there is new data to send.
    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.send_allowed(now, u64::MAX, out);
    }

    /// Takes a round-trip time that satisfies Karn's rule.
    #[inline]
    fn on_rtt(&mut self, rtt: Duration) {
        let _ = rtt;
    }

    /// The handshake's round-trip time counts as one of the path.
    fn on_handshake(&mut self, rtt: Duration) {
        let _ = rtt;
    }

    /// An ACK of new data arrives with the timestamps option: what it echoes was sent before this time, a tick
    /// after the stamp.
    #[inline]
    fn on_echo(&mut self, before: Instant) {
        let _ = before;
    }

    /// The controller has cut its window for a mark, as it does once in a window. The ACK that told of the mark follows.
    #[inline]
    fn on_marked<C: Controller>(&mut self, tx: &mut Connection<C>) {
        let _ = tx;
    }

    /// Whether the records tell which segments were reported by SACKs, and the control hears of each once, as in Linux:
    /// if the timer has a sample per ACK, too.
    #[inline]
    fn counts_delivered(&self) -> bool {
        false
    }

    /// Whether an ACK of new data times the newest segment that it covers, although that segment may
    /// have waited for a hole to be filled. If `false`, it times the segment that triggered the ACK.
    #[inline]
    fn times_covered(&self) -> bool {
        false
    }

    /// Whether it asks for the records of segments, or sends others again than the oldest ones in order. If not, the
    /// connection can do without records.
    fn needs_records(&self) -> bool {
        true
    }

    /// Segments in the network, as this recovery estimates them.
    #[inline]
    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        tx.flight()
    }
}
