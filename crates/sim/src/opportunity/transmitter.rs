//! A transmitter driven by a schedule of opportunities.

use super::Opportunities;
use crate::queue::Admitted;

/// Keeps track of the next opportunity that is not used up.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    schedule: Opportunities,
    /// When the round of the next opportunity began, in nanoseconds.
    round: u64,
    /// Its position in the round.
    next: usize,
    /// The bytes left in it; never zero.
    left: u32,
}

impl Transmitter {
    pub fn new(schedule: Opportunities) -> Self {
        Self {
            round: 0,
            next: 0,
            left: schedule.bytes,
            schedule,
        }
    }

    /// Returns when the transmission of a packet that arrived at this moment would start, after all
    /// packets that were sent before it.
    pub fn start(&self, arrived: u64) -> u64 {
        match self.at() {
            at if at > arrived => at,
            _ => {
                let (round, next) = self.after(arrived);
                round.saturating_add(self.schedule.times[next])
            }
        }
    }

    /// Sends a packet that arrived at this moment, at opportunities later than that moment.
    pub fn send(&mut self, bytes: u32, arrived: u64) -> Admitted {
        if self.at() <= arrived {
            (self.round, self.next) = self.after(arrived);
            self.left = self.schedule.bytes;
        }
        let start = self.at();
        let mut departure = start;
        if bytes < self.left {
            self.left -= bytes;
        } else {
            // Whole opportunities after this one, then a part of another one.
            let rest = bytes - self.left;
            let (whole, part) = (rest / self.schedule.bytes, rest % self.schedule.bytes);
            self.advance(whole as usize);
            if part > 0 {
                self.advance(1);
            }
            departure = self.at();
            self.left = self.schedule.bytes - part;
            if part == 0 {
                self.advance(1);
            }
        }
        Admitted {
            departure,
            tx: departure - start,
        }
    }

    pub fn schedule(&self) -> &Opportunities {
        &self.schedule
    }

    /// Returns the time of the next opportunity.
    fn at(&self) -> u64 {
        self.round.saturating_add(self.schedule.times[self.next])
    }

    fn advance(&mut self, by: usize) {
        let next = self.next + by;
        let (rounds, place) = (
            next / self.schedule.times.len(),
            next % self.schedule.times.len(),
        );
        let passed = self.schedule.period_nanos().saturating_mul(rounds as u64);
        self.round = self.round.saturating_add(passed);
        self.next = place;
    }

    /// Returns the first opportunity after this moment: the beginning of its round, and its position there.
    fn after(&self, moment: u64) -> (u64, usize) {
        let offset = moment % self.schedule.period_nanos();
        // The last one is at the period, later than any offset.
        let next = self.schedule.times.partition_point(|&time| time <= offset);
        (moment - offset, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    const MS: u64 = 1_000_000;

    fn transmitter(ms: &[u64]) -> Transmitter {
        let times = ms.iter().copied().map(Time::from_millis);
        Transmitter::new(Opportunities::new(times, 1500).unwrap())
    }

    /// Start and departure in milliseconds.
    fn send(transmitter: &mut Transmitter, bytes: u32, arrived: u64) -> (u64, u64) {
        let sent = transmitter.send(bytes, arrived);
        let start = sent.departure - sent.tx;
        assert_eq!((start % MS, sent.departure % MS), (0, 0));
        (start / MS, sent.departure / MS)
    }

    #[test]
    fn a_full_packet_takes_an_opportunity() {
        let mut link = transmitter(&[5, 11, 11, 20]);
        let departures = [(); 6].map(|()| send(&mut link, 1500, 0));
        // The second round begins at 20 ms.
        assert_eq!(
            departures,
            [(5, 5), (11, 11), (11, 11), (20, 20), (25, 25), (31, 31)]
        );
    }

    /// 1000 bytes at 5; 500 at 5 and 500 at 11; 1000 at 11; 40 at 20, which leaves 1460.
    #[test]
    fn packets_share_opportunities_and_go_on_in_the_next() {
        let mut link = transmitter(&[5, 11, 20]);
        assert_eq!(send(&mut link, 1000, 0), (5, 5));
        assert_eq!(send(&mut link, 1000, 0), (5, 11));
        assert_eq!(send(&mut link, 1000, 0), (11, 11));
        assert_eq!(send(&mut link, 40, 0), (20, 20));
        assert_eq!(send(&mut link, 1460, 0), (20, 20));
        assert_eq!(send(&mut link, 1, 0), (25, 25));
    }

    /// 40 packets of 37 bytes are 1480 bytes: all leave at 5, and the next packet begins there.
    #[test]
    fn small_packets_leave_together() {
        let mut link = transmitter(&[5, 11]);
        let departures: Vec<_> = (0..40).map(|_| send(&mut link, 37, 0)).collect();
        assert_eq!(departures, vec![(5, 5); 40]);
        assert_eq!(send(&mut link, 37, 0), (5, 11));
    }

    /// 65,535 bytes use the 500 bytes left of the first opportunity, 43 whole opportunities and 535
    /// bytes of the 45th. With two per period of 10 ms, that is the first one of the 23rd round.
    #[test]
    fn a_giant_takes_many_rounds() {
        let mut link = transmitter(&[4, 10]);
        assert_eq!(send(&mut link, 1000, 0), (4, 4));
        assert_eq!(send(&mut link, 65_535, 0), (4, 224));
        assert_eq!(send(&mut link, 965, 0), (224, 224));
        assert_eq!(send(&mut link, 1500, 0), (230, 230));
    }

    /// An opportunity is wasted if no packet waits for it, and so is the rest of one that is partly
    /// used.
    #[test]
    fn missed_opportunities_are_gone() {
        let mut link = transmitter(&[0, 5, 11]);
        assert_eq!(send(&mut link, 100, 0), (5, 5));
        // A packet that arrives exactly at the opportunity is too late.
        assert_eq!(send(&mut link, 100, 5 * MS), (11, 11));
        assert_eq!(send(&mut link, 100, 11 * MS - 1), (11, 11));
        // At 11 the second round begins with an opportunity at its time zero.
        assert_eq!(send(&mut link, 100, 11 * MS), (16, 16));
        assert_eq!(send(&mut link, 100, 1100 * MS - 1), (1100, 1100));
        assert_eq!(send(&mut link, 1500, 1100 * MS - 1), (1100, 1100));
    }
}
