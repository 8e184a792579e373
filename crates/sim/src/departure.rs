//! Links whose queue decides at departure: a waiting packet may still be removed, so its transmission is
//! certain only when it starts.
//!
//! While packets wait, such a link has an entry in the scheduler. The entry is due one nanosecond before
//! the next packet starts. Departure entries are handled after all other events of the same moment, so
//! every packet that arrives by then has arrived. A packet that starts a nanosecond later is in the list
//! of packets in flight before anything of that later moment happens. Therefore the order of all other
//! events is the same as if departures were known at arrival.

use crate::host::Cause;
use crate::network::Network;
use crate::queue::{Admitted, Transmitted, Waiting};
use crate::scheduler::Scheduler;
use crate::travel::Travel;

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// A packet arrives at such a link at `at`, which may lie in the future if the previous hop was
    /// merged.
    pub fn enqueue(&mut self, number: u32, index: u32, at: u64) {
        self.start_transmissions(number, at);
        let packet = self.pool.packet(index);
        let arriving = Waiting {
            index,
            class: packet.class(),
            arrived: at,
            supersedes: self.label(index).supersedes,
        };
        let (pool, discarded) = (&mut self.pool, &mut self.discarded);
        let detail = &mut self.details[number as usize];
        let ahead = &mut detail.ahead;
        let Some(filter) = detail.special.as_mut().and_then(|all| all.filter.as_mut()) else {
            return;
        };
        let mut removed = 0;
        let mut time_in_queue = 0;
        let accepted = filter.arrival(arriving, |other| {
            removed += 1;
            time_in_queue += u128::from(at - other.arrived);
            if let Some(ahead) = ahead {
                ahead.count_removal(other.arrived, at);
            }
            discarded.push((pool.packet(other.index).payload, Cause::Filtered, at));
            pool.free(other.index);
        });
        detail.count(|counts| counts.filtered += removed);
        self.links[number as usize].add_to_integral(detail, time_in_queue);
        if !accepted {
            detail.dropped += 1;
            if let Some(ahead) = &mut detail.ahead {
                ahead.count_drop(at);
            }
            let payload = self.pool.packet(index).payload;
            self.discarded.push((payload, Cause::Dropped, at));
            self.pool.free(index);
            return;
        }
        self.start_transmissions(number, at);
        self.arm(number);
    }

    /// Handles the departure entry of a link.
    pub fn depart(&mut self, which: u32) {
        let number = self.departing[which as usize];
        self.scheduler.remove_first();
        if let Some(filter) = self.details[number as usize].filter_mut() {
            filter.armed = false;
        }
        self.start_transmissions(number, self.now + 1);
        self.arm(number);
    }

    /// Schedules the link's entry for the time when the next packet starts.
    fn arm(&mut self, number: u32) {
        if let Some(filter) = self.details[number as usize].filter_mut()
            && !filter.armed
            && let Some(start) = filter.next_start()
            && start <= self.end
        {
            filter.armed = true;
            self.scheduler.insert(filter.entry, start - 1);
        }
    }

    /// Starts the transmission of every packet that is due at `moment` or earlier.
    fn start_transmissions(&mut self, number: u32, moment: u64) {
        while let Some(started) = self.start_one(number, moment) {
            self.send_off(number, started);
        }
    }

    fn start_one(&mut self, number: u32, moment: u64) -> Option<Transmitted> {
        let filter = self.details[number as usize].filter_mut()?;
        filter.start(moment)
    }

    fn send_off(&mut self, number: u32, started: Transmitted) {
        let Transmitted {
            packet,
            departure,
            tx,
        } = started;
        let link = &mut self.links[number as usize];
        let detail = &mut self.details[number as usize];
        if detail.stamps
            && let Some(labels) = &mut self.labels
        {
            labels.add_wait(packet.index, departure - tx - packet.arrived);
        }
        let admitted = Admitted { departure, tx };
        let lost = link.lossy.contains(packet.class.kind()) && detail.loses(departure);
        let landing = match detail.flying_mut() {
            Some(flying) if !lost => Some(flying.land(departure, packet.arrived + 1)),
            _ => None,
        };
        let due = match landing {
            Some(landing) => landing.due,
            None => departure.saturating_add(link.delay).max(packet.arrived + 1),
        };
        if !lost && due <= self.end {
            if due > self.horizon {
                detail.count_ahead(packet.class, packet.arrived, admitted, false);
            }
            link.count_passage(|| &mut *detail, packet.class, packet.arrived, admitted);
            match landing {
                Some(landing) => self.fly(number, packet.index, landing),
                None => self.append(number, packet.index, due),
            }
            return;
        }
        let left = self.leave(
            number as usize,
            packet.class,
            packet.arrived,
            admitted,
            lost,
        );
        if let Travel::Discarded(cause) = left {
            let payload = self.pool.packet(packet.index).payload;
            self.discarded.push((payload, cause, self.left_at));
        }
        self.pool.free(packet.index);
    }
}
