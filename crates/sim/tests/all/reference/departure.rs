//! How packets leave links, and fly.

use super::*;

impl Obvious {
    /// Adds the waiting time of the first packet of a queue to its sum.
    pub(super) fn stamp(&mut self, link: usize) {
        let station = &mut self.stations[link];
        let packet = &mut station.queue[0];
        station.waits.push((self.now - packet.arrived, packet.l4s));
        if self.links[link].stamps
            && packet.label.probe
            && let Some(sum) = &mut packet.content.queueing
        {
            let wait = (self.now - packet.arrived) as f64 / 1e3;
            *sum += wait.round() as u32;
        }
    }

    /// Schedules the opportunity with this number, if the link has opportunities.
    pub(super) fn await_opportunity(&mut self, link: usize, number: u64) {
        let Some(all) = &self.links[link].opportunities else {
            return;
        };
        let times: Vec<u64> = all.times().map(Time::as_nanos).collect();
        let (round, place) = (number / times.len() as u64, number as usize % times.len());
        let at = round * times.last().unwrap() + times[place];
        self.stations[link].counters.offered.get_or_insert(0);
        self.events
            .insert((at, 0, link, number), Event::Opportunity);
    }

    /// Takes from the front of the queue as many bytes as the opportunity allows.
    pub(super) fn use_opportunity(&mut self, link: usize) {
        if self.now == 0 {
            return;
        }
        self.watch(link);
        let mut left = self.links[link].opportunities.as_ref().unwrap().bytes();
        let station = &mut self.stations[link];
        *station.counters.offered.as_mut().unwrap() += u64::from(left);
        if station.queue.is_empty() && self.now > station.empty_since {
            station.wasted += left;
        }
        while left > 0 {
            self.choose(link);
            if self.stations[link].queue.is_empty() {
                break;
            }
            if self.stations[link].gone == 0 {
                self.stamp(link);
            }
            let station = &mut self.stations[link];
            let bytes = u32::from(station.queue[0].content.bytes);
            let part = left.min(bytes - station.gone);
            left -= part;
            station.gone += part;
            if station.gone == bytes {
                station.gone = 0;
                station.wasted = 0;
                self.depart(link);
            }
        }
    }

    pub(super) fn depart(&mut self, link: usize) {
        self.watch(link);
        let station = &mut self.stations[link];
        let mut packet = station.queue.pop_front().unwrap();
        if let Some(sender) = &mut station.sender {
            sender.busy = false;
        }
        station.empty_since = self.now;
        station.counters.departed[packet.content.kind.index()] += 1;
        station.counters.departed_bytes += u64::from(packet.content.bytes);
        let earliest = packet.arrived + 1;
        let fate = self.weather[link].fly(&self.links[link], self.now, earliest);
        packet.content.corrupt |= fate.corrupt;
        let order = self.fly(link, packet, &fate);
        if let Some((more, earliest)) = fate.waits {
            self.stations[link].waiting.push(InAir {
                more,
                earliest,
                packet,
                fate,
                order,
            });
            return;
        }
        for mut held in std::mem::take(&mut self.stations[link].waiting) {
            held.more -= 1;
            let due = fate.due.max(held.earliest);
            if held.more > 0 {
                self.stations[link].waiting.push(held);
            } else if due < held.fate.due && self.unfly(link, &held) {
                held.fate.due = due;
                self.fly(link, held.packet, &held.fate);
            }
        }
    }

    /// Schedules the arrival of a packet. Returns its place among those that arrive together.
    pub(super) fn fly(&mut self, link: usize, packet: Packet, fate: &Fate) -> u64 {
        self.created += 2;
        let (due, order) = (fate.due, self.created);
        // What does not arrive within the run is not counted.
        if due <= self.end {
            self.stations[link].counters.corrupted += u64::from(fate.corrupt);
        }
        if fate.twice && due <= self.end {
            let copy = Event::Copy(packet, order + 1);
            self.events.insert((due - 1, 3, link, order), copy);
        }
        self.events
            .insert((due, 1, link, order), Event::Arrival(packet));
        order
    }

    /// Cancels the arrival of a packet. Returns false if it has arrived.
    pub(super) fn unfly(&mut self, link: usize, held: &InAir) -> bool {
        let Fate { due, corrupt, .. } = held.fate;
        if self.events.remove(&(due, 1, link, held.order)).is_none() {
            return false;
        }
        self.events.remove(&(due - 1, 3, link, held.order));
        if due <= self.end {
            self.stations[link].counters.corrupted -= u64::from(corrupt);
        }
        true
    }

    /// Updates the time integrals of a link since they were last updated.
    pub(super) fn watch(&mut self, link: usize) {
        let station = &mut self.stations[link];
        let passed = self.now - station.watched_until;
        station.watched_until = self.now;
        station.counters.queue_integral += station.len() as u128 * u128::from(passed);
        let transmits = match self.links[link].opportunities {
            None if station.sender.is_some() => {
                station.sender.as_ref().is_some_and(|sender| sender.busy)
            }
            None => !station.queue.is_empty(),
            Some(_) => station.gone > 0,
        };
        if transmits {
            station.counters.busy += passed;
        }
    }
}
