//! The retransmission timer (RFC 6298).

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Timeout;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant, Segments};

use super::{Connection, Phase};
use crate::pacing::NEVER;

impl<C: Controller> Connection<C> {
    /// Whether the retransmission timer is due.
    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.deadline <= now
    }

    #[inline]
    pub(crate) fn stop_timer(&mut self) {
        self.deadline = NEVER;
    }

    /// Restarts the retransmission timer.
    #[inline]
    pub fn restart_timer(&mut self, now: Instant) {
        let timeout = self.timer.timeout();
        self.deadline = match self.is_special() {
            true => self.config.timer.firing(now, timeout),
            false => now + timeout,
        };
    }

    /// The retransmission timeout in force, backoff included.
    #[inline]
    pub(crate) fn timeout(&self) -> Duration {
        self.timer.timeout()
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.timer.srtt(&self.config.timer)
    }

    /// Doubles the retransmission timeout, up to its maximum.
    pub(crate) fn back_off(&mut self) {
        self.timer.back_off(&self.config.timer);
    }

    /// Gives the retransmission timer the round-trip time of a segment sent at `sent_at`.
    #[inline]
    pub(crate) fn time(&mut self, rtt: Duration, sent_at: Instant) {
        self.timer.sample(&self.config.timer, rtt, sent_at);
    }

    /// Gives it one of the many round-trip times of a round, that of an ACK which leaves `una` the oldest segment
    /// without one.
    pub(crate) fn time_in_round(&mut self, rtt: Duration, una: u64) {
        let config = &self.config.timer;
        self.timer.sample_of_round(config, rtt, una, self.high);
    }

    /// Stops or restarts the timer after new data was acknowledged (RFC 6298, section 5, rules 5.2 and
    /// 5.3).
    #[inline]
    pub(crate) fn rearm(&mut self, now: Instant) {
        if self.una == self.high {
            cold_path();
            self.stop_timer();
        } else {
            self.restart_timer(now);
        }
    }

    /// The retransmission timer fired: reports it to the controller and sets `nxt` back to `una`.
    pub(crate) fn expire(&mut self, in_flight: u64, now: Instant) {
        self.consecutive = self.consecutive.saturating_add(1);
        self.timeouts += 1;
        self.control.on_timeout(
            &Timeout::new(now, Segments::saturating_whole(in_flight))
                .with_consecutive(self.consecutive),
        );
        if let Some(extra) = self.extra.get_mut() {
            extra.ecn.on_reduction();
            extra.pacing.forget();
            if let Some(it) = &mut extra.hystart {
                it.restart();
            }
        }
        self.back_off();
        self.dup_acks = 0;
        self.inflation = 0;
        self.begin_recovery();
        self.phase = Phase::Loss;
        self.nxt = self.una;
        self.restart_timer(now);
    }

    #[inline]
    pub(super) fn arm(&mut self, now: Instant) {
        if self.deadline == NEVER {
            cold_path();
            self.restart_timer(now);
        }
    }
}
