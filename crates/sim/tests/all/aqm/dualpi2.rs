//! DualPI2 as appendix A of RFC 9332 says, with its names.

use std::collections::VecDeque;

use dumbbell_sim::{DualPi2, DualScheduler};

use super::{Decided, Item, Line};

pub struct State<T> {
    lq: Branch<T>,
    cq: Branch<T>,
    base: f64,
    prevq: f64,
    next_update: u64,
    credit: f64,
}

struct Branch<T> {
    items: VecDeque<Item<T>>,
    count: f64,
}

impl<T> Branch<T> {
    /// The queueing time of its first packet, in nanoseconds.
    fn time(&self, now: u64) -> u64 {
        self.items.front().map_or(0, |item| now - item.arrived)
    }

    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }
}

impl<T: Copy> State<T> {
    pub fn new(dual: &DualPi2) -> Self {
        let branch = || Branch {
            items: VecDeque::new(),
            count: 0.0,
        };
        Self {
            lq: branch(),
            cq: branch(),
            base: 0.0,
            prevq: 0.0,
            next_update: dual.update.as_nanos(),
            credit: 0.0,
        }
    }

    pub fn len(&self) -> usize {
        self.lq.items.len() + self.cq.items.len()
    }

    pub fn bytes(&self) -> u64 {
        let all = self.lq.items.iter().chain(&self.cq.items);
        all.map(|item| u64::from(item.bytes)).sum()
    }

    fn update(&mut self, dual: &DualPi2, now: u64) {
        while self.next_update <= now {
            let at = self.next_update;
            let curq = self.cq.time(at).max(self.lq.time(at)) as f64 / 1e9;
            let target = dual.target.as_nanos() as f64 / 1e9;
            let change = dual.alpha * (curq - target) + dual.beta * (curq - self.prevq);
            self.base = (self.base + change).clamp(0.0, 1.0);
            self.prevq = curq;
            self.next_update += dual.update.as_nanos();
        }
    }

    /// Whether there is room has been decided, or is decided now by removing the last packet again.
    pub fn arrive(&mut self, dual: &DualPi2, item: Item<T>, line: Line) {
        self.update(dual, item.arrived);
        if line.sending.is_none() && self.len() == 0 {
            self.credit = 0.0;
        }
        match item.l4s {
            true => self.lq.items.push_back(item),
            false => self.cq.items.push_back(item),
        }
    }

    pub fn turn_away(&mut self, l4s: bool) -> Option<Item<T>> {
        match l4s {
            true => self.lq.items.pop_back(),
            false => self.cq.items.pop_back(),
        }
    }

    pub fn dequeue(
        &mut self,
        dual: &DualPi2,
        now: u64,
        decided: &mut Decided<T>,
    ) -> Option<Item<T>> {
        self.update(dual, now);
        let (p_cl, p_c) = (dual.coupling * self.base, self.base * self.base);
        let p_cmax = f64::min(1.0 / (dual.coupling * dual.coupling), 1.0);
        while self.len() > 0 {
            let contended = !self.lq.items.is_empty() && !self.cq.items.is_empty();
            let l4s = match dual.scheduler {
                _ if !contended => self.cq.items.is_empty(),
                DualScheduler::Weighted(_) => self.credit <= 0.0,
                DualScheduler::TimeShifted(shift) => {
                    self.lq.time(now) + shift.as_nanos() >= self.cq.time(now)
                }
            };
            let mut mark = false;
            let item;
            if l4s {
                let (time, len) = (self.lq.time(now), self.lq.items.len());
                item = self.lq.items.pop_front().unwrap();
                if p_cl < 1.0 {
                    let mut native = 0.0;
                    if len > dual.step_packets as usize {
                        native = laqm(dual, time);
                    }
                    mark = self.lq.recur(f64::max(native, p_cl));
                } else if self.lq.recur(p_c) {
                    decided.early.push(item.content);
                    continue;
                } else {
                    mark = true;
                }
            } else {
                item = self.cq.items.pop_front().unwrap();
                if self.cq.recur(p_c) {
                    if !item.ect || p_c >= p_cmax {
                        decided.early.push(item.content);
                        continue;
                    }
                    mark = true;
                }
            }
            decided.marked = mark;
            if let (true, DualScheduler::Weighted(share)) = (contended, dual.scheduler) {
                let bytes = f64::from(item.bytes);
                self.credit += if l4s {
                    share * bytes
                } else {
                    (share - 1.0) * bytes
                };
            }
            return Some(item);
        }
        None
    }
}

fn laqm(dual: &DualPi2, time: u64) -> f64 {
    let (min, range) = (dual.step.as_nanos(), dual.ramp.as_nanos());
    if time >= min + range {
        1.0
    } else if time > min {
        (time - min) as f64 / range as f64
    } else {
        0.0
    }
}
