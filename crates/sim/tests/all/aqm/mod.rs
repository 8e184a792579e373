//! Queues that hold their packets, written down as their RFCs say: lists, and no thought of speed.

mod codel;
mod dualpi2;
mod pie;

use std::collections::VecDeque;

use dumbbell_sim::random::Random;
use dumbbell_sim::{Limit, Queue};

use codel::Codel;

/// A waiting packet.
#[derive(Clone, Copy)]
pub struct Item<T> {
    pub bytes: u32,
    pub arrived: u64,
    pub flow: u32,
    pub ect: bool,
    /// Whether it carries ECT(1) or CE.
    pub l4s: bool,
    /// Whether it was marked as it arrived.
    pub marked: bool,
    pub content: T,
}

/// What a queue does with packets, apart from sending one.
pub struct Decided<T> {
    pub early: Vec<T>,
    pub full: Vec<T>,
    pub marked: bool,
}

/// The waiting packets of a link, in one queue or in several.
pub struct Aqm<T> {
    queue: Queue,
    subs: Vec<Sub<T>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    salt: u64,
    pie: Option<pie::State>,
    dual: Option<dualpi2::State<T>>,
}

struct Sub<T> {
    items: VecDeque<Item<T>>,
    credit: i64,
    codel: Codel,
}

/// What the transmitter is doing: the bytes of its packet, if any, and its rate in bits per second.
#[derive(Clone, Copy)]
pub struct Line {
    pub sending: Option<u32>,
    pub rate: u64,
}

impl<T: Copy> Aqm<T> {
    /// Returns `None` for queues that are not here.
    pub fn new(queue: Queue, mut draws: Random) -> Option<Self> {
        let subs = match queue {
            Queue::Bounded(_) | Queue::CoDel(_) | Queue::Pie(_) | Queue::DualPi2(_) => 1,
            Queue::FqCoDel(fq) => fq.flows,
            Queue::Fq(fq) => fq.flows,
            _ => return None,
        };
        let sub = |_| Sub {
            items: VecDeque::new(),
            credit: 0,
            codel: Codel::default(),
        };
        Some(Self {
            queue,
            subs: (0..subs).map(sub).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            salt: match queue {
                Queue::FqCoDel(_) | Queue::Fq(_) => draws.next_u64(),
                _ => 0,
            },
            pie: match queue {
                Queue::Pie(pie) => Some(pie::State::new(&pie, draws)),
                _ => None,
            },
            dual: match queue {
                Queue::DualPi2(dual) => Some(dualpi2::State::new(&dual)),
                _ => None,
            },
        })
    }

    pub fn len(&self) -> usize {
        let dual = self.dual.as_ref().map_or(0, dualpi2::State::len);
        dual + self.subs.iter().map(|sub| sub.items.len()).sum::<usize>()
    }

    fn bytes(&self) -> u64 {
        let dual = self.dual.as_ref().map_or(0, dualpi2::State::bytes);
        dual + self.subs.iter().map(Sub::bytes).sum::<u64>()
    }

    pub fn arrive(&mut self, item: Item<T>, line: Line) -> Decided<T> {
        let mut decided = Decided::none();
        match self.queue {
            Queue::Bounded(fifo) => {
                let sub = &mut self.subs[0];
                sub.items.push_back(item);
                if self.exceeds(fifo.limit, line) {
                    decided
                        .full
                        .extend(self.subs[0].items.pop_back().map(|item| item.content));
                }
            }
            Queue::CoDel(codel) => {
                self.subs[0].items.push_back(item);
                if self.exceeds(codel.limit, line) {
                    decided
                        .full
                        .extend(self.subs[0].items.pop_back().map(|item| item.content));
                }
            }
            Queue::FqCoDel(fq) => {
                // A real transmitter that has become free looks at all queues and finds them empty.
                if line.sending.is_none() && self.len() == 0 {
                    for &number in self.new.iter().chain(&self.old) {
                        let codel = &mut self.subs[number].codel;
                        codel.dodequeue(&fq.codel, item.arrived, None);
                        codel.dropping = false;
                    }
                }
                self.arrive_fairly(item, fq.quantum, fq.codel.limit, line, &mut decided);
            }
            Queue::Fq(fq) => {
                self.arrive_fairly(item, fq.quantum, fq.limit, line, &mut decided);
            }
            Queue::Pie(pie) => {
                let state = self.pie.as_mut().unwrap();
                let waiting = self.subs[0].bytes();
                state.update(&pie, item.arrived, waiting);
                state.arrive(&pie);
                self.subs[0].items.push_back(item);
                let full = self.exceeds(pie.limit, line);
                let state = self.pie.as_mut().unwrap();
                let last = self.subs[0].items.back_mut().unwrap();
                if full {
                    state.tail_dropped();
                    decided
                        .full
                        .extend(self.subs[0].items.pop_back().map(|item| item.content));
                } else {
                    match state.enqueue(&pie, item.ect, waiting) {
                        pie::Verdict::Enqueue => {}
                        pie::Verdict::Mark => {
                            last.marked = true;
                            decided.marked = true;
                        }
                        pie::Verdict::Drop => {
                            let dropped = self.subs[0].items.pop_back();
                            decided.early.extend(dropped.map(|item| item.content));
                        }
                    }
                }
                if pie.activation && self.is_third_full(pie.limit, line) {
                    self.pie.as_mut().unwrap().wake(&pie, item.arrived);
                }
            }
            Queue::DualPi2(dual) => {
                self.dual.as_mut().unwrap().arrive(&dual, item, line);
                if self.exceeds(dual.limit, line) {
                    let away = self.dual.as_mut().unwrap().turn_away(item.l4s);
                    decided.full.extend(away.map(|item| item.content));
                }
            }
            _ => unreachable!(),
        }
        decided
    }

    /// Fair queueing: to the queue of the flow; the fattest pays for the limit.
    fn arrive_fairly(
        &mut self,
        item: Item<T>,
        quantum: u32,
        limit: Limit,
        line: Line,
        decided: &mut Decided<T>,
    ) {
        if line.sending.is_none() && self.len() == 0 {
            self.new.clear();
            self.old.clear();
        }
        let number = slot(item.flow, self.salt, self.subs.len() as u32);
        self.subs[number].items.push_back(item);
        if !self.new.contains(&number) && !self.old.contains(&number) {
            self.subs[number].credit = i64::from(quantum);
            self.new.push_back(number);
        }
        while self.exceeds(limit, line) {
            let most = self.subs.iter().map(Sub::bytes).max();
            let fattest = self.subs.iter().position(|sub| Some(sub.bytes()) == most);
            let items = &mut self.subs[fattest.unwrap()].items;
            let half = (items.len() as f64 / 2.0).ceil() as usize;
            let dropped = items.drain(..half.min(64));
            decided.full.extend(dropped.map(|item| item.content));
        }
    }

    pub fn next(&mut self, now: u64) -> (Option<Item<T>>, Decided<T>) {
        let mut decided = Decided::none();
        let item = match self.queue {
            Queue::CoDel(codel) => self.subs[0].dequeue(&codel, now, &mut decided),
            Queue::Pie(pie) => {
                let state = self.pie.as_mut().unwrap();
                state.update(&pie, now, self.subs[0].bytes());
                let item = self.subs[0].items.pop_front();
                if let Some(item) = &item {
                    state.dequeue(&pie, item, now, self.subs[0].bytes());
                }
                item
            }
            Queue::DualPi2(dual) => {
                let state = self.dual.as_mut().unwrap();
                state.dequeue(&dual, now, &mut decided)
            }
            Queue::FqCoDel(_) | Queue::Fq(_) => loop {
                let (number, is_new) = match (self.new.front(), self.old.front()) {
                    (Some(&number), _) => (number, true),
                    (None, Some(&number)) => (number, false),
                    (None, None) => break None,
                };
                let list = if is_new { &mut self.new } else { &mut self.old };
                let sub = &mut self.subs[number];
                if sub.credit <= 0 {
                    sub.credit += match self.queue {
                        Queue::FqCoDel(fq) => i64::from(fq.quantum),
                        Queue::Fq(fq) => i64::from(fq.quantum),
                        _ => unreachable!(),
                    };
                    list.pop_front();
                    self.old.push_back(number);
                    continue;
                }
                let item = match self.queue {
                    Queue::FqCoDel(fq) => sub.dequeue(&fq.codel, now, &mut decided),
                    _ => sub.items.pop_front(),
                };
                if let Some(item) = item {
                    sub.credit -= i64::from(item.bytes);
                    break Some(item);
                }
                list.pop_front();
                if is_new {
                    self.old.push_back(number);
                }
            },
            _ => self.subs[0].items.pop_front(),
        };
        (item, decided)
    }

    fn is_third_full(&self, limit: Limit, line: Line) -> bool {
        let packets = self.len() as u64 + u64::from(line.sending.is_some());
        let bytes = self.bytes() + u64::from(line.sending.unwrap_or(0));
        match limit {
            Limit::Packets(most) => 3 * packets >= u64::from(most),
            Limit::Bytes(most) => 3 * bytes >= most,
            Limit::Time(most) => {
                let sent = u128::from(most.as_nanos()) * u128::from(line.rate);
                u128::from(bytes) * 24_000_000_000 >= sent
            }
        }
    }

    fn exceeds(&self, limit: Limit, line: Line) -> bool {
        let packets = self.len() + usize::from(line.sending.is_some());
        let bytes = self.bytes() + u64::from(line.sending.unwrap_or(0));
        match limit {
            Limit::Packets(most) => packets > most as usize,
            _ if packets == 1 || self.len() == 0 => false,
            Limit::Bytes(most) => bytes > most,
            Limit::Time(most) => {
                let sent = u128::from(most.as_nanos()) * u128::from(line.rate);
                u128::from(bytes) * 8 * 1_000_000_000 > sent
            }
        }
    }
}

impl<T: Copy> Sub<T> {
    fn bytes(&self) -> u64 {
        self.items.iter().map(|item| u64::from(item.bytes)).sum()
    }
}

impl<T> Decided<T> {
    fn none() -> Self {
        Self {
            early: Vec::new(),
            full: Vec::new(),
            marked: false,
        }
    }
}

/// The queue of a flow: splitmix64's finaliser, of which the upper half is scaled.
fn slot(flow: u32, salt: u64, queues: u32) -> usize {
    let mut z = salt.wrapping_add(u64::from(flow));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^= z >> 31;
    ((u128::from(z >> 32) * u128::from(queues)) >> 32) as usize
}
