//! The loss probe: if no ACK arrives for two round trips, one segment is sent, whose ACK shows what is
//! lost (RFC 8985, section 7).

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant};

use super::Rack;
use crate::connection::Connection;
use crate::segment::{Output, SackBlock};

/// How long an ACK of a single segment may be delayed (TLP.max_ack_delay): 200 ms in Linux.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// The time to a probe before the first round-trip time.
const INITIAL: Duration = Duration::from_secs(1);

/// The state of the loss probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The segment after the probe (TLP.end_seq), and whether it had been sent before; `None` if no
    /// probe is under way.
    sent: Option<(u64, bool)>,
    /// Whether a round-trip time has been measured since the last probe.
    sampled: bool,
    /// When the next probe is due.
    at: Option<Instant>,
    /// `una` and `high` when that was set.
    seen: (u64, u64),
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            sent: None,
            sampled: true,
            at: None,
            seen: (0, 0),
        }
    }
}

impl Probe {
    /// An episode or a timeout begins.
    pub(super) fn reset(&mut self) {
        self.sent = None;
        self.at = None;
    }

    pub(super) fn on_rtt(&mut self) {
        self.sampled = true;
    }

    /// Whether a probe is under way that had been sent before.
    pub(super) fn repeats(&self) -> bool {
        self.sent.is_some_and(|(_, again)| again)
    }

    /// Takes an ACK (TLP_process_ack). `plain` is whether it is a duplicate without SACK blocks, `dsack` the
    /// segment that it reports to have arrived twice. Returns whether a probe has repaired a loss, for which
    /// the window is still to be cut.
    pub(super) fn repaired(&mut self, ack: u64, plain: bool, dsack: Option<SackBlock>) -> bool {
        let Some((end, again)) = self.sent else {
            return false;
        };
        if ack >= end && dsack.is_some_and(|block| block.end == end) {
            self.sent = None; // Both copies have arrived.
            return false;
        }
        if ack < end || again && ack == end && !plain {
            return false;
        }
        self.sent = None;
        again && ack > end
    }

    /// When the next probe is due: two round trips after the last new segment or the last new ACK, or
    /// `None` if something is known to be lost or SACKed (`quiet` is false).
    pub(super) fn schedule<C: Controller>(
        &mut self,
        tx: &Connection<C>,
        quiet: bool,
        now: Instant,
    ) -> Option<Instant> {
        let seen = (tx.una, tx.high);
        if !quiet || tx.una == tx.high {
            self.at = None;
        } else if self.seen != seen {
            self.at = Some(match tx.srtt() {
                None => tx.config.timer.firing(now, INITIAL),
                Some(srtt) if tx.high - tx.una == 1 => {
                    tx.config.timer.firing(now, srtt + srtt + MAX_ACK_DELAY)
                }
                Some(srtt) => tx.config.timer.firing_of_detection(now, srtt + srtt),
            });
        }
        self.seen = seen;
        self.at
    }
}

impl Rack {
    /// The probe timer fires (TLP_send_probe). A probe may exceed the window by one segment.
    pub(super) fn send_probe<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        let Some(probe) = &mut self.probe else { return };
        probe.at = None;
        if probe.sent.is_none() && probe.sampled && !tx.extra.ecn.holds() {
            probe.sampled = false;
            let again = !tx.has_new_data();
            if again {
                tx.transmit_again(tx.high - 1, now, out);
            } else {
                tx.send_next(now, out);
            }
            probe.sent = Some((tx.high, again));
            probe.seen = (tx.una, tx.high);
        }
        tx.restart_timer(now);
    }
}
