//! Habits of Linux' states Recovery and Loss that the RFCs do not have.
//!
//! | habit | event | what it does |
//! |---|---|---|
//! | `exit_growth` | the ACK that ends an episode, or that shows that a probe has repaired a loss | it grows the cut window, unless it shows another loss |
//! | `loss_state` | a timeout in an episode that has cut the threshold | the threshold stays |
//! | | a timeout while others are still in the network | the window is one more than these |
//! | | an ACK after a timeout that covers several segments | it counts for each of them |
//! | | a retransmission is lost after a timeout | an episode begins, which cuts the threshold once more |
//!
//! Sources: Linux, `tcp_cong_control`, `tcp_process_tlp_ack`, `tcp_enter_loss`, `tcp_slow_start`, and `FLAG_LOST_RETRANS` in
//! `tcp_fastretrans_alert`. RFC 5681, section 3.2, step 6, does not grow the window when it deflates it, and its section 3.1 holds
//! the threshold only where the same segment has timed out before. RFC 3465, section 2.3, counts one segment for each ACK after
//! a timeout.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::units::{Instant, Segments};

use super::Rack;
use crate::connection::{Connection, Phase};

/// Which of these a recovery has; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// The ACK that ends an episode grows the window.
    pub exit_growth: bool,
    /// What happens at a timeout and after it depends on the state that it finds.
    pub loss_state: bool,
}

impl Rack {
    /// The window of an episode's end grows by what its last ACK delivers.
    pub(super) fn grow_at_end<C: Controller>(
        &self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
    ) {
        if self.habits.exit_growth && self.lost == 0 {
            tx.grow(self.ack.delivered.min(acked), now);
        }
    }

    /// After a timeout, each segment counts, unless the ACK begins an episode.
    pub(super) fn grow_after_timeout<C: Controller>(
        &self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
    ) {
        if !self.begins_episode(tx) {
            for _ in 0..self.ack.delivered.min(acked) {
                tx.grow(1, now);
            }
        }
    }

    /// Whether what is lost begins an episode.
    pub(super) fn begins_episode<C: Controller>(&self, tx: &Connection<C>) -> bool {
        match tx.phase {
            Phase::Open => self.lost > 0,
            Phase::Loss => self.habits.loss_state && self.ack.lost_again,
            Phase::Recovery => false,
        }
    }

    /// The flight that an episode reduces: what was outstanding and not SACKed or, after a timeout, the window.
    pub(super) fn before_cut<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        match tx.phase {
            Phase::Loss => tx.control.window().cwnd.floor(),
            _ => self.ack.flight,
        }
    }

    /// Whether the episode that is going on has cut the threshold, or the flight still shrinks after a mark.
    pub(super) fn is_cut_already<C: Controller>(&self, tx: &Connection<C>) -> bool {
        let over = tx.recover.is_none_or(|recover| tx.una > recover);
        match tx.phase {
            Phase::Open => self.shrinks_until.is_some_and(|until| tx.una < until),
            Phase::Recovery => !over,
            Phase::Loss => false,
        }
    }

    /// The timer has fired, and what is lost is known: the window is one more than what is still in the network.
    pub(super) fn reopen<C: Controller>(&self, tx: &mut Connection<C>) {
        let pipe = self.pipe(tx);
        if self.habits.loss_state && pipe > 0 && tx.extra.deliveries.is_none() {
            tx.control.restore(&Window {
                cwnd: Segments::saturating_whole(pipe + 1),
                ssthresh: Segments::ZERO,
            });
        }
    }
}
