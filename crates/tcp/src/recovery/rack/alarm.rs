//! The timers of the recovery, which fire before the retransmission timer (RFC 8985, section 8).

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::Rack;
use crate::connection::{Connection, Phase};

/// A timer of the recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    /// The reordering window of the segments that may be lost ends.
    Reordering,
    /// A loss probe is due.
    Probe,
}

impl Rack {
    /// Gives the sender's deadline back to the retransmission timer.
    pub(super) fn disarm<C: Controller>(&mut self, tx: &mut Connection<C>) {
        if let Some((_, at)) = self.alarm.take()
            && tx.deadline == at
        {
            tx.deadline = self.timeout_at;
        }
    }

    /// Sets the sender's deadline to the first of the timers (RFC 8985, section 8).
    pub(super) fn arm<C: Controller>(&mut self, tx: &mut Connection<C>, now: Instant) {
        debug_assert!(self.counts_hold(tx));
        self.timeout_at = tx.deadline;
        self.alarm = None;
        let quiet = tx.phase == Phase::Open && self.sacked == 0 && self.lost == 0;
        let probe = self.probe.as_mut();
        let probe = probe.and_then(|probe| probe.schedule(tx, quiet, now));
        if tx.una == tx.high {
            return;
        }
        let reordering = self.detection.due.map(|due| {
            let at = tx.config.timer.firing_of_detection(now, due.since(now));
            (Alarm::Reordering, at)
        });
        let first = reordering.or_else(|| Some((Alarm::Probe, probe?.min(tx.deadline))));
        if let Some((_, at)) = first
            && at <= tx.deadline
        {
            self.alarm = first;
            tx.deadline = at;
        }
    }
}
