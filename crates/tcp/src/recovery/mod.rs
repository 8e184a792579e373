//! Loss recovery: what to send again, and by how much to inflate the window meanwhile. How
//! much the window shrinks is the controller's affair.

mod any;
mod newreno;
mod reno;
mod sack;
mod tahoe;
mod vegas;

pub use any::{Any, Kind};
pub use newreno::{NewReno, PartialAckTimer};
pub use reno::Reno;
pub use sack::Sack;
pub use tahoe::Tahoe;
pub use vegas::Vegas;

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant};

use crate::connection::Connection;
use crate::segment::{Output, SackBlock};

/// Duplicate ACKs that tell of a loss (RFC 5681, section 3.2).
pub const DUP_THRESHOLD: u32 = 3;

/// A loss recovery. The sender has already told the estimators when one of these is called.
pub trait Recovery {
    /// Every ACK, before it is judged: `ack` and its SACK blocks. Answers whether a duplicate
    /// carries news; one that does not is passed over.
    #[inline]
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
    ) -> bool {
        let _ = (tx, ack, blocks);
        true
    }

    /// `acked` segments are newly acknowledged; `tx.una` has moved.
    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    );

    /// A duplicate ACK.
    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    );

    /// The retransmission timer fired; the controller has been told and `tx.nxt` is `tx.una`.
    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.send_allowed(now, u64::MAX, out);
    }

    /// More may be sent than before, without an ACK: the turn of a paced segment has come.
    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        tx.send_allowed(now, u64::MAX, out);
    }

    /// A round-trip time that passed Karn's rule.
    #[inline]
    fn on_rtt(&mut self, rtt: Duration) {
        let _ = rtt;
    }

    /// Which segment an ACK of new data times: the newest that it covers, although that may have
    /// waited for a hole to be filled, or else the one that triggered it.
    #[inline]
    fn times_covered(&self) -> bool {
        false
    }

    /// Segments in the network, as well as this recovery knows.
    #[inline]
    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        tx.flight()
    }
}
