//! The flight shrinks in proportion to what is delivered: in a loss episode, and after the cut for a mark.

use dumbbell_control::controller::Controller;

use super::Rack;
use crate::connection::Connection;
use crate::recovery::prr::Report;

impl Rack {
    /// Sets the inflation so that the window is what proportional rate reduction allows on this ACK.
    /// A controller that knows deliveries sets its own window in an episode.
    pub(super) fn reduce<C: Controller>(&mut self, tx: &mut Connection<C>, advanced: bool) {
        if tx.extra.deliveries.is_some() {
            return;
        }
        let pipe = self.pipe(tx);
        let Some(prr) = &mut self.prr else { return };
        let target = tx.control.window().cwnd.floor();
        let allowed = prr.allowance(&Report {
            delivered: self.ack.delivered,
            pipe,
            target,
            sent: tx.counters().sent,
            safe: advanced && self.ack.lost == 0,
        });
        tx.inflation = (pipe + allowed) as i64 - target as i64;
    }

    /// The controller has cut its window for a mark: the flight shrinks until a segment is acknowledged that is sent now or
    /// later.
    pub(super) fn shrink<C: Controller>(&mut self, tx: &Connection<C>) {
        let flight = tx.high - tx.una - self.sacked;
        if let Some(prr) = &mut self.prr
            && tx.extra.deliveries.is_none()
        {
            prr.begin(flight, tx.counters().sent);
            self.shrinks_until = Some(tx.high);
        }
    }

    /// The cumulative ACK has advanced: the window may be the controller's again.
    pub(super) fn end_shrinking<C: Controller>(&mut self, tx: &mut Connection<C>) {
        if self.shrinks_until.is_some_and(|until| tx.una > until) {
            self.shrinks_until = None;
            tx.inflation = 0;
        }
    }
}
