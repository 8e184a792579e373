//! When a segment that the window allows leaves: at the controller's rate, at that of the window, or in bursts.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant, Rate};

use super::{Connection, Phase};
use crate::bursts::{self, Bursts, Moment};
use crate::pacing;

impl<C: Controller> Connection<C> {
    /// Whether a segment that the window allows may be sent now. If it may, sender adaptation counts it
    /// as sent. If not, it waits until it is due, or for the timer after a mark at the smallest window.
    #[inline]
    pub fn may_send(&mut self, now: Instant) -> bool {
        !self.is_special() || self.has_leave(now)
    }

    #[inline(never)]
    fn has_leave(&mut self, now: Instant) -> bool {
        let due = match self.rate() {
            None => true,
            Some(rate) => self.is_due(now, rate),
        };
        due && (!self.notified || self.has_turn(now))
    }

    /// The rate at which segments leave: that of the controller or, if its window is paced, that of the window.
    #[inline]
    pub(super) fn rate(&self) -> Option<Rate> {
        match self.control.pacing() {
            None if self.config.pacing => self.window_rate(),
            rate => rate,
        }
    }

    /// The rate that spreads the window over a round trip; `None` before the first round-trip time.
    #[cold]
    fn window_rate(&self) -> Option<Rate> {
        // A forged echo may claim any round trip.
        let srtt = self.srtt()?.min(self.timeout());
        let window = self.control.window();
        Some(bursts::window_rate(
            &window,
            self.flight(),
            srtt,
            self.config.mss,
        ))
    }

    /// The segments that leave at once: by the controller, if it sets a rate.
    fn piece(&self, bursts: &Bursts) -> u64 {
        if self.control.pacing().is_some() {
            return u64::from(self.control.send_quantum());
        }
        let rate = self.window_rate().unwrap_or(Rate::ZERO);
        bursts.piece(rate, self.config.mss)
    }

    /// Whether a new segment leaves now if the window allows `room` segments, or waits for more to leave with it.
    #[inline]
    pub(crate) fn may_leave(&mut self, room: u64, now: Instant) -> bool {
        self.extra.bursts.is_none() || self.completes_piece(room, now)
    }

    #[cold]
    fn completes_piece(&mut self, room: u64, now: Instant) -> bool {
        let Some(bursts) = &self.extra.bursts else {
            return true;
        };
        let outstanding = self.una < self.high;
        let last = match self.rate() {
            Some(rate) => {
                let spacing = pacing::spacing(self.config.mss, rate);
                self.extra.pacing.due(spacing)
            }
            None => bursts.sent_at,
        };
        let moment = Moment {
            now,
            last,
            room: room.min(self.end - self.nxt),
            cwnd: self.control.window().cwnd.floor(),
            piece: self.piece(bursts).min(self.end - self.nxt),
            srtt: self.srtt().unwrap_or(Duration::ZERO),
            oldest: outstanding.then(|| self.records.at(self.una).sent_at()),
            repairs: self.phase != Phase::Open,
        };
        let bursts = self.extra.bursts();
        bursts.is_none_or(|bursts| bursts.may_leave(&moment))
    }

    /// Whether the new segment that leaves ends a piece of two or more.
    pub(super) fn ends_piece(&mut self) -> bool {
        self.extra.bursts().is_some_and(Bursts::ends_piece)
    }

    /// Whether a retransmission is paced like new segments, as in Linux, instead of leaving at once.
    pub(crate) fn paces_repairs(&self) -> bool {
        self.config.pacing_credit && self.rate().is_some()
    }

    /// A retransmission has left: what leaves next is another piece, and waits until it is due, as in Linux.
    pub(crate) fn end_paced_burst(&mut self) {
        if self.config.pacing_credit
            && let Some(extra) = self.extra.get_mut()
        {
            extra.pacing.end_burst();
        }
    }

    /// An event begins that may release segments.
    #[inline]
    pub(crate) fn begin_bursts(&mut self) {
        if let Some(bursts) = self.extra.bursts() {
            bursts.begin();
        }
    }

    #[cold]
    #[inline(never)]
    fn is_due(&mut self, now: Instant, rate: Rate) -> bool {
        let quantum = match self.control.pacing() {
            None => self
                .extra
                .bursts
                .as_ref()
                .map_or(1, |it| self.piece(it) as u32),
            Some(_) => self.control.send_quantum(),
        };
        let spacing = pacing::spacing(self.config.mss, rate);
        let due = self.extra.pacing.is_due(now, spacing, quantum);
        if !due && self.config.pacing {
            // As long as a forged echo may make a round trip, nothing waits longer than the timer.
            let latest = now + self.timeout();
            self.extra.pacing.look_again(latest);
        }
        due
    }

    #[cold]
    #[inline(never)]
    pub(super) fn count_in_pace(&mut self, now: Instant, rate: Rate) {
        self.extra
            .pacing
            .count(now, pacing::spacing(self.config.mss, rate));
    }

    #[cold]
    fn has_turn(&mut self, now: Instant) -> bool {
        let srtt = self.timer.srtt(&self.config.timer);
        let (timer, control) = (&self.timer, &self.control);
        !self.extra.ecn.holds()
            && (!self.extra.pacing.enabled
                || self.extra.pacing.take(now, || {
                    // A forged echo may claim any round trip.
                    let srtt = srtt?.min(timer.timeout());
                    Some(pacing::interval(srtt, control.window().cwnd))
                }))
    }
}
