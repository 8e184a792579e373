//! What is sent while the window exceeds the pipe: lost segments again, then new ones.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::Instant;

use super::Rack;
use crate::connection::Connection;
use crate::segment::Output;

impl Rack {
    /// The lowest segment that is lost and has not been sent again.
    pub(super) fn next_lost<C: Controller>(&mut self, tx: &Connection<C>) -> Option<u64> {
        if self.lost == 0 {
            return None;
        }
        let start = self.first_lost.max(tx.una);
        self.first_lost = (start..tx.high).find(|&seq| tx.records.at(seq).lost())?;
        Some(self.first_lost)
    }

    pub(super) fn resend<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        seq: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        if tx.records.at(seq).lost() {
            tx.records.set_lost(seq, false);
            self.lost -= 1;
        }
        self.undo.count(now);
        tx.transmit_again(seq, now, out);
        if seq == tx.una && tx.config.timer.each_ack {
            tx.restart_timer(now);
        }
    }

    /// Sends while the window exceeds the pipe: first what is lost, then new segments.
    pub(super) fn send<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        let window = tx.usable();
        tx.begin_bursts();
        while self.pipe(tx) < window {
            let lost = match self.undo.new_first {
                true => None,
                false => self.next_lost(tx),
            };
            if lost.is_none() && !tx.has_new_data() || !tx.may_send(now) {
                return;
            }
            if lost.is_none() && !tx.may_leave(window - self.pipe(tx), now) {
                return;
            }
            match lost {
                Some(seq) => {
                    let piece = self.is_of_one_piece(tx, seq);
                    self.resend(tx, seq, now, out);
                    if !piece {
                        tx.end_paced_burst();
                    }
                }
                None => tx.send_next(now, out),
            }
        }
    }

    /// Whether this segment and the next one left at once and both are lost: then they leave at once again.
    fn is_of_one_piece<C: Controller>(&self, tx: &Connection<C>, seq: u64) -> bool {
        let next = seq + 1;
        let sent = |seq| tx.records.at(seq).sent_at();
        next < tx.high && tx.records.at(next).lost() && sent(next) == sent(seq)
    }
}
