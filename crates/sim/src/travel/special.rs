//! Packets that do not simply pass a link: they are dropped, lost, wait, change their order, or are filmed.

use super::Travel;
use crate::film::End;
use crate::host::Cause;
use crate::network::{Discarded, Network};
use crate::packet::Class;
use crate::pool::NIL;
use crate::queue::Admitted;
use crate::scheduler::Scheduler;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Records what happens to a packet that reached the queue of a link at `at`, if that is known.
    #[cold]
    #[inline(never)]
    pub(super) fn record(
        &mut self,
        cursor: u32,
        payload: P,
        class: Class,
        at: u64,
        travel: &Travel,
    ) {
        let number = self.hops[cursor as usize].link_number() as usize;
        let end = match *travel {
            // It is recorded when its queue has decided.
            Travel::Waiting { .. } => return,
            Travel::Stored { due, .. } => End::Delivered(self.admitted, due),
            Travel::Lifted { .. } => End::Delivered(self.admitted, self.landing_in_hand.due),
            Travel::Discarded(Cause::Lost) => End::Lost(self.admitted),
            Travel::Discarded(cause) => End::Gone(cause),
            Travel::Beyond => End::Unfinished,
        };
        if let Some(film) = &mut self.film {
            film.add(self.order[number], payload, class, at, end);
        }
    }

    /// Keeps what the host is to be told of a packet that has just left the network.
    #[inline(always)]
    pub(super) fn throw_away(&mut self, payload: P, cause: Cause) {
        self.discarded.push(Discarded {
            payload,
            cause,
            at: self.left_at,
            link: self.left_on,
        });
    }

    /// Handles a packet that a link does not admit now: it waits, or it is dropped.
    #[inline(never)]
    pub(super) fn turn_away(&mut self, number: usize, at: u64, cursor: u32) -> Travel {
        if self.details[number].holding().is_some() {
            return Travel::Waiting {
                link: number as u32,
                at,
                cursor: self.hops[cursor as usize + 1].keep(cursor + 1),
            };
        }
        self.drop_arrival(number, at)
    }

    #[cold]
    #[inline(never)]
    fn drop_arrival(&mut self, number: usize, at: u64) -> Travel {
        let detail = &mut self.details[number];
        detail.totals_mut().dropped += 1;
        if let Some(ahead) = detail.ahead_mut() {
            ahead.count_drop(at);
        }
        self.left_at = at;
        self.left_on = number as u32;
        Travel::Discarded(Cause::Dropped)
    }

    /// Handles a packet that does not reach the end of the link before the next moment at which the
    /// counters are exact: the end of the run, or a reading after which it travels on. Also handles all packets
    /// of links that do not know their delay before.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_horizon(
        &mut self,
        number: usize,
        class: Class,
        now: u64,
        admitted: Admitted,
        lost: bool,
        cursor: u32,
    ) -> Travel {
        let (link, detail) = (&mut self.links[number], &mut self.details[number]);
        let landing = match detail.flying_mut() {
            Some(flying) if !lost => Some(flying.land(admitted.departure, now + 1)),
            _ => None,
        };
        let due = match landing {
            Some(landing) => landing.earliest,
            None => admitted.departure.saturating_add(link.delay).max(now + 1),
        };
        if lost || due > self.end {
            return self.leave(number, class, now, admitted, lost);
        }
        let cursor = cursor + 1;
        let hop = self.hops[cursor as usize];
        let merged = hop.is_merged();
        if due > self.horizon {
            detail.count_ahead(class, now, admitted, merged);
        }
        link.count_passage(detail, class, now, admitted);
        if let Some(landing) = landing {
            if landing.corrupt {
                self.in_hand.corrupt = true;
                if landing.waits.is_none() {
                    detail.count_damage(due);
                }
            }
            if detail.air_mut().is_some() {
                self.landing_in_hand = landing;
                return Travel::Lifted {
                    link: number as u32,
                    cursor: hop.keep(cursor),
                };
            }
        }
        if !merged {
            return Travel::Stored {
                link: number as u32,
                due,
                cursor: hop.keep(cursor),
                order: link.order(now, admitted),
            };
        }
        // Hops are merged, so nothing is filmed.
        self.travel::<false>(cursor, class.bytes(), class.kind(), due)
    }

    /// Puts a packet of the pool into the queue of a link that decides at departure.
    #[cold]
    pub(super) fn wait(&mut self, number: u32, index: u32, at: u64) {
        self.pool.packet_mut(index).next = NIL;
        if let Some(labels) = &mut self.labels {
            labels.set(index, &self.in_hand);
        }
        self.enqueue(number, index, at);
    }

    /// Puts the packet that is being forwarded into the air of a link where packets may change their order.
    #[cold]
    pub(super) fn lift_in_hand(&mut self, number: u32, index: u32) {
        if let Some(labels) = &mut self.labels {
            labels.set(index, &self.in_hand);
        }
        self.lift(number, index, self.landing_in_hand);
    }

    /// Counts a packet that does not reach the end of the link within the run.
    #[cold]
    pub fn leave(
        &mut self,
        number: usize,
        class: Class,
        now: u64,
        admitted: Admitted,
        lost: bool,
    ) -> Travel {
        let link = &mut self.links[number];
        let detail = &mut self.details[number];
        let departs = admitted.departure <= self.end;
        if let Some(ahead) = detail.ahead_mut() {
            ahead.count(class, now, admitted, self.end, lost);
        }
        if departs {
            link.count_passage(detail, class, now, admitted);
        } else {
            link.count_tail(detail, now, admitted, self.end);
        }
        if departs && lost {
            detail.count(|counts| counts.lost += 1);
            self.left_at = admitted.departure;
            self.left_on = number as u32;
            Travel::Discarded(Cause::Lost)
        } else {
            detail.unstored += 1;
            Travel::Beyond
        }
    }
}
