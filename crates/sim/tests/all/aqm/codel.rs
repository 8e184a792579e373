//! CoDel as RFC 8289 says, with its names.

use dumbbell_sim::CoDel;

use super::{Decided, Item, Sub};

/// The variables of RFC 8289, section 5.2.
#[derive(Default)]
pub struct Codel {
    first_above_time: i128,
    drop_next: i128,
    count: i128,
    lastcount: i128,
    /// Linux: rec_inv_sqrt.
    inverse: u128,
    pub dropping: bool,
}

impl<T: Copy> Sub<T> {
    /// RFC 8289, section 5.5; with marks where packets would be dropped.
    pub fn dequeue(
        &mut self,
        codel: &CoDel,
        now: u64,
        decided: &mut Decided<T>,
    ) -> Option<Item<T>> {
        let (mut item, mut ok) = self.dodequeue(codel, now);
        let at = i128::from(now);
        if self.codel.dropping {
            if !ok {
                self.codel.dropping = false;
            }
            while at >= self.codel.drop_next && self.codel.dropping {
                self.codel.count += 1;
                self.codel.newton_step();
                let dropped = item.unwrap();
                if codel.ecn && dropped.ect {
                    decided.marked = true;
                    self.codel.control_law(codel, self.codel.drop_next);
                    break;
                }
                decided.early.push(dropped.content);
                (item, ok) = self.dodequeue(codel, now);
                if ok {
                    self.codel.control_law(codel, self.codel.drop_next);
                } else {
                    self.codel.dropping = false;
                }
            }
        } else if ok {
            let dropped = item.unwrap();
            if codel.ecn && dropped.ect {
                decided.marked = true;
            } else {
                decided.early.push(dropped.content);
                (item, _) = self.dodequeue(codel, now);
            }
            let state = &mut self.codel;
            state.dropping = true;
            let delta = state.count - state.lastcount;
            let interval = i128::from(codel.interval.as_nanos());
            if delta > 1 && at - state.drop_next < 16 * interval {
                state.count = delta;
                state.newton_step();
            } else {
                state.count = 1;
                state.inverse = 65_535;
            }
            state.control_law(codel, at);
            state.lastcount = state.count;
        }
        item
    }

    fn dodequeue(&mut self, codel: &CoDel, now: u64) -> (Option<Item<T>>, bool) {
        let item = self.items.pop_front();
        let seen = item.map(|item| (now - item.arrived, self.bytes()));
        (item, self.codel.dodequeue(codel, now, seen))
    }
}

impl Codel {
    /// Section 5.6, given how long the packet has waited, if there is one, and the bytes behind it.
    pub fn dodequeue(&mut self, codel: &CoDel, now: u64, packet: Option<(u64, u64)>) -> bool {
        let Some((sojourn, bytes)) = packet else {
            self.first_above_time = 0;
            return false;
        };
        if sojourn < codel.target.as_nanos() || bytes <= u64::from(codel.mtu) {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = i128::from(now) + i128::from(codel.interval.as_nanos());
        } else if i128::from(now) >= self.first_above_time {
            return true;
        }
        false
    }

    fn control_law(&mut self, codel: &CoDel, from: i128) {
        let interval = codel.interval.as_nanos();
        let spacing = match codel.newton {
            true => (u128::from(interval) * self.inverse / 65_536) as i128,
            false => (interval as f64 / (self.count as f64).sqrt()).floor() as i128,
        };
        self.drop_next = from + spacing;
    }

    /// The step of Linux, whose fractions of 2^32 are cut off after each of its operations, and kept in 16 bits.
    fn newton_step(&mut self) {
        const ONE: u128 = 1 << 32;
        let inverse = self.inverse * 65_536;
        let bracket = (3 * ONE).saturating_sub(self.count as u128 * (inverse * inverse / ONE));
        self.inverse = bracket / 4 * inverse * 2 / ONE / 65_536;
    }
}
