//! Choices of Linux at the ends of episodes and while a loss is repaired, which RFC 8985 leaves to others.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::Rack;
use crate::connection::Connection;

impl Rack {
    /// The window that an episode or the repair of a probe has left grows by what the ACK delivers, unless that shows
    /// another loss (Linux, `tcp_cong_control`, `tcp_process_tlp_ack`).
    pub(super) fn grow_at_exit<C: Controller>(
        &self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
    ) {
        if self.exit_growth && self.lost == 0 {
            tx.grow(self.ack.delivered.min(acked), now);
        }
    }

    /// Starts the retransmission timer anew, as Linux does, if a SACK reports a segment that was sent before the oldest
    /// outstanding one was sent again: what the path still delivers of that time says nothing about the retransmission.
    /// If segments may be lost, the reordering timer is the one that runs.
    pub(super) fn renew_timer<C: Controller>(&mut self, tx: &mut Connection<C>, now: Instant) {
        let again = tx.records.at(tx.una).sent_at();
        let before = self.ack.original_sent.is_some_and(|sent| sent < again);
        if before && tx.config.timer.each_ack && self.detection.due.is_none() {
            tx.restart_timer(now);
        }
    }
}
