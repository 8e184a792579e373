//! Links whose queue holds its packets until they depart: a waiting packet may still be dropped, removed or
//! overtaken, so its transmission is certain only when it starts.
//!
//! While packets wait, such a link has an entry in the scheduler. The entry is due one nanosecond before
//! the next packet starts. Departure entries are handled after all other events of the same moment, so
//! every packet that arrives by then has arrived. A packet that starts a nanosecond later is in the list
//! of packets in flight before anything of that later moment happens. Therefore the order of all other
//! events is the same as if departures were known at arrival.
//!
//! Where endpoints run ahead, nothing observes the queue between arrivals. There it is decided about
//! departures when the next packet arrives, and the entry is due as late as can be: one nanosecond before
//! the next packet could reach the end of the link, or at a reading of the counters. The queue sees the same
//! arrivals and departures in the same order, so it decides the same.

use crate::arq::{Attempt, Fate};
use crate::film::End;
use crate::flight::Landing;
use crate::hint::cold_path;
use crate::host::Cause;
use crate::label::{Ecn, Label, Tag};
use crate::network::{Discarded, Network};
use crate::pool::NIL;
use crate::queue::{Admitted, Draw, Reason, Transmitted, Waiting};
use crate::scheduler::Scheduler;
use crate::time::NEVER;
use crate::travel::Travel;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// A packet arrives at such a link at `at`, which may lie in the future if the previous hop was
    /// merged.
    #[inline(always)]
    pub fn enqueue(&mut self, number: u32, index: u32, at: u64) {
        let detail = &mut self.details[number as usize];
        if detail.has_policer() && detail.polices(self.pool.packet(index).bytes, at) {
            return self.police(number, index, at);
        }
        self.start_until(number, at);
        let packet = self.pool.packet(index);
        let arriving = Waiting::new(index, packet.class(), at);
        let (arriving, label) = match &self.labels {
            Some(labels) => {
                let Tag { label, marked, .. } = labels.of(index);
                let (ect, l4s) = (label.ecn.is_capable(), label.ecn == Ecn::Ect1 || *marked);
                (arriving.with_ecn(ect, l4s), label)
            }
            None => (arriving, &Label::NONE),
        };
        let Some(holding) = self.details[number as usize].holding_mut() else {
            return;
        };
        holding.arrival(arriving, label, &mut self.decisions);
        let next = holding.next_start();
        // The entry is due before the next packet starts, as it nearly always is while the link is busy.
        let is_armed = holding.armed < next;
        self.carry_out(number, at);
        if next <= at {
            self.start_transmissions(number, at);
        } else if is_armed {
            return;
        }
        self.arm(number);
    }

    /// Drops a packet that a policer has no tokens for.
    #[cold]
    #[inline(never)]
    fn police(&mut self, number: u32, index: u32, at: u64) {
        let packet = self.pool.packet(index);
        let (payload, class) = (packet.payload, packet.class());
        let detail = &mut self.details[number as usize];
        detail.totals_mut().dropped += 1;
        if let Some(ahead) = detail.ahead_mut() {
            ahead.count_drop(at);
        }
        self.discarded.push(Discarded {
            payload,
            cause: Cause::Dropped,
            at,
            link: number,
        });
        if let Some(film) = &mut self.film {
            let end = End::Gone(Cause::Dropped);
            film.add(self.order[number as usize], payload, class, at, end);
        }
        self.pool.free(index);
    }

    /// Handles the departure entry of a link.
    pub fn depart(&mut self, which: u32) {
        let number = self.departing[which as usize];
        self.scheduler.remove_first();
        if let Some(holding) = self.details[number as usize].holding_mut() {
            holding.armed = NEVER;
        }
        self.start_transmissions(number, self.now + 1);
        self.arm(number);
    }

    /// Schedules the link's entry for the time when the next packet starts.
    #[inline]
    fn arm(&mut self, number: u32) {
        if let Some(holding) = self.details[number as usize].holding_mut()
            && let start = holding.next_start()
            && start <= self.end
        {
            let before = start - 1;
            let latest = before
                .saturating_add(holding.patience)
                .min(self.horizon)
                .max(before);
            if latest >= holding.armed {
                return;
            }
            // A new packet may start before one that is to be sent again.
            if holding.armed != NEVER {
                self.scheduler.remove(holding.entry, holding.armed);
            }
            holding.armed = latest;
            self.scheduler.insert(holding.entry, latest);
        }
    }

    /// Starts the transmission of every packet that is due at `moment` or earlier, if there is one.
    #[inline]
    pub fn start_until(&mut self, number: u32, moment: u64) {
        let holding = self.details[number as usize].holding();
        if holding.is_some_and(|holding| holding.next_start() <= moment) {
            self.start_transmissions(number, moment);
        }
    }

    /// Starts the transmission of every packet that is due at `moment` or earlier.
    fn start_transmissions(&mut self, number: u32, moment: u64) {
        while let Some(holding) = self.details[number as usize].holding_mut()
            && holding.starts_simply(moment)
        {
            let at = holding.next_start();
            let started = holding.start_simply(&mut self.decisions);
            self.carry_out(number, at);
            if let Some((packet, admitted)) = started {
                self.send_off_simply(number, packet, admitted, at);
            }
        }
        let holding = self.details[number as usize].holding();
        if holding.is_some_and(|holding| !holding.is_simple() && holding.starts_by(moment)) {
            self.start_attempts(number, moment);
        }
    }

    /// The same on a link that retransmits or aggregates packets.
    #[inline(never)]
    fn start_attempts(&mut self, number: u32, moment: u64) {
        while let Some(holding) = self.details[number as usize].holding_mut()
            && holding.starts_by(moment)
            && let Some((at, started)) = holding.start(moment, &mut self.decisions)
        {
            self.carry_out(number, at);
            if let Some(started) = started {
                self.send_off(number, started, at);
            }
        }
    }

    /// Counts what the queue of a link has decided at `at`, and discards the packets that go.
    #[inline]
    fn carry_out(&mut self, number: u32, at: u64) {
        if self.decisions.marked > 0 {
            cold_path();
            let marked = std::mem::take(&mut self.decisions.marked);
            let detail = &mut self.details[number as usize];
            detail.count(|counts| counts.marked += marked);
            if let Some(ahead) = detail.ahead_at(at) {
                ahead.marked += marked;
            }
        }
        if !self.decisions.gone.is_empty() {
            self.discard_gone(number, at);
        }
    }

    #[cold]
    #[inline(never)]
    fn discard_gone(&mut self, number: u32, at: u64) {
        let detail = &mut self.details[number as usize];
        let mut time_in_queue = 0;
        for (packet, reason) in self.decisions.gone.drain(..) {
            time_in_queue += u128::from(at - packet.arrived);
            let useless = reason == Reason::Useless;
            let early = u64::from(reason == Reason::Early);
            if let Some(ahead) = detail.ahead_mut() {
                ahead.count_removal(packet.arrived, at, reason);
            }
            if useless {
                detail.count(|counts| counts.filtered += 1);
            } else {
                detail.totals_mut().dropped += 1;
                detail.count(|counts| counts.early += early);
            }
            let cause = match useless {
                true => Cause::Filtered,
                false => Cause::Dropped,
            };
            let payload = self.pool.packet(packet.index).payload;
            self.discarded.push(Discarded {
                payload,
                cause,
                at,
                link: number,
            });
            if let Some(film) = &mut self.film {
                let link = self.order[number as usize];
                film.add(
                    link,
                    payload,
                    packet.class(),
                    packet.arrived,
                    End::Gone(cause),
                );
            }
            self.pool.free(packet.index);
        }
        self.links[number as usize].add_to_integral(detail, time_in_queue);
    }

    /// Sends off a packet of a link that neither retransmits nor aggregates.
    #[inline(always)]
    fn send_off_simply(&mut self, number: u32, packet: Waiting, admitted: Admitted, at: u64) {
        let link = &mut self.links[number as usize];
        let detail = &mut self.details[number as usize];
        let Admitted { departure, tx } = admitted;
        // Beyond the horizon if the delay is not constant, too.
        let due = departure.saturating_add(link.delay).max(packet.arrived + 1);
        if due > self.horizon
            || link.lossy.contains(packet.class().kind())
            || packet.is_marked()
            || detail.stamps
            || self.film.is_some()
        {
            cold_path();
            let started = Transmitted {
                packet,
                departure,
                tx,
                start: departure - tx,
                attempt: None,
                draw: Draw::Own,
            };
            return self.send_off(number, started, at);
        }
        link.count_departure(detail, packet.class(), packet.arrived, admitted);
        self.go_on(number, packet.index, due);
    }

    #[inline(never)]
    fn send_off(&mut self, number: u32, started: Transmitted, at: u64) {
        let Transmitted {
            packet,
            departure,
            tx,
            start,
            attempt,
            draw,
        } = started;
        let link = &mut self.links[number as usize];
        let detail = &mut self.details[number as usize];
        if packet.is_marked()
            && let Some(labels) = &mut self.labels
        {
            labels.mark(packet.index);
        }
        if let Some(attempt) = attempt
            && attempt.before > 0
        {
            detail.count_retransmission(at);
        } else if detail.stamps
            && let Some(labels) = &mut self.labels
        {
            labels.add_wait(packet.index, start - packet.arrived);
        }
        let admitted = Admitted { departure, tx };
        let lossy = link.lossy.contains(packet.class().kind());
        let lost = match draw {
            Draw::Own => lossy && detail.loses(departure),
            Draw::First | Draw::Shared => detail.loses_burst(departure, draw) && lossy,
        };
        if lost
            && departure <= self.end
            && let Some(attempt) = attempt
            && let Some(holding) = detail.holding_mut()
            && holding.fail(packet, attempt, departure)
        {
            return detail.count_failure(departure, tx);
        }
        let landing = match detail.flying_mut() {
            Some(flying) if !lost => Some(flying.land(departure, packet.arrived + 1)),
            _ => None,
        };
        let due = match landing {
            Some(landing) => landing.earliest,
            None => link
                .delay_at(detail, departure)
                .saturating_add(departure)
                .max(packet.arrived + 1),
        };
        let arrives = !lost && due <= self.end;
        if let Some(film) = &mut self.film {
            let end = match (arrives, lost) {
                (true, _) => End::Delivered(admitted, landing.map_or(due, |landing| landing.due)),
                (_, true) => End::Lost(admitted),
                _ => End::Unfinished,
            };
            let payload = self.pool.packet(packet.index).payload;
            let link = self.order[number as usize];
            film.add(link, payload, packet.class(), packet.arrived, end);
        }
        if arrives {
            if due > self.horizon {
                detail.count_ahead(packet.class(), packet.arrived, admitted, false);
            }
            link.count_passage(detail, packet.class(), packet.arrived, admitted);
        } else {
            self.give_up(number, &packet, admitted, lost);
        }
        if let Some(Landing {
            corrupt: true,
            waits,
            ..
        }) = landing
            && arrives
        {
            self.damage(number, packet.index, waits.is_none().then_some(due));
        }
        if let Some(attempt) = attempt
            && self.settle(number, attempt, arrives.then_some(packet.index), due)
        {
            return;
        }
        match landing {
            _ if !arrives => {}
            Some(landing) => self.fly(number, packet.index, landing),
            None => self.go_on(number, packet.index, due),
        }
    }

    /// Handles a packet that does not reach the end of the link within the run.
    fn give_up(&mut self, number: u32, packet: &Waiting, admitted: Admitted, lost: bool) {
        let left = self.leave(
            number as usize,
            packet.class(),
            packet.arrived,
            admitted,
            lost,
        );
        if let Travel::Discarded(cause) = left {
            let payload = self.pool.packet(packet.index).payload;
            self.discarded.push(Discarded {
                payload,
                cause,
                at: self.left_at,
                link: number,
            });
        }
        self.pool.free(packet.index);
    }

    /// Tells the far end of a link that retransmits in order when a packet arrives, or that it does not, and
    /// lets those leave that wait no longer. Returns false if there is no such far end.
    fn settle(&mut self, number: u32, attempt: Attempt, index: Option<u32>, due: u64) -> bool {
        let detail = &mut self.details[number as usize];
        let Some(resequencer) = detail.resequencer_mut() else {
            return false;
        };
        resequencer.settle(
            attempt.number,
            match index {
                Some(index) => Fate::Arrived { index, due },
                None => Fate::Gone { due },
            },
        );
        while let Some(resequencer) = self.details[number as usize].resequencer_mut()
            && let Some((index, due)) = resequencer.release()
        {
            if due <= self.end {
                self.pool.packet_mut(index).next = NIL;
                self.go_on(number, index, due);
            } else {
                self.details[number as usize].unstored += 1;
                self.pool.free(index);
            }
        }
        true
    }
}
