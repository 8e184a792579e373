//! Queues that hold their packets, written down as their RFCs say: lists, and no thought of speed.

use std::collections::VecDeque;

use dumbbell_sim::random::Random;
use dumbbell_sim::{CoDel, Limit, Queue};

/// A waiting packet.
#[derive(Clone, Copy)]
pub struct Item<T> {
    pub bytes: u32,
    pub arrived: u64,
    pub flow: u32,
    pub ect: bool,
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
}

struct Sub<T> {
    items: VecDeque<Item<T>>,
    credit: i64,
    codel: Codel,
}

/// The variables of RFC 8289, section 5.2.
#[derive(Default)]
struct Codel {
    first_above_time: i128,
    drop_next: i128,
    count: i128,
    lastcount: i128,
    dropping: bool,
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
            Queue::Bounded(_) | Queue::CoDel(_) => 1,
            Queue::FqCoDel(fq) => fq.flows,
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
            salt: draws.next_u64(),
        })
    }

    pub fn len(&self) -> usize {
        self.subs.iter().map(|sub| sub.items.len()).sum()
    }

    fn bytes(&self) -> u64 {
        self.subs.iter().map(Sub::bytes).sum()
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
                    for number in self.new.drain(..).chain(self.old.drain(..)) {
                        self.subs[number]
                            .codel
                            .dodequeue(&fq.codel, item.arrived, None);
                        self.subs[number].codel.dropping = false;
                    }
                }
                let number = slot(item.flow, self.salt, fq.flows);
                self.subs[number].items.push_back(item);
                if !self.new.contains(&number) && !self.old.contains(&number) {
                    self.subs[number].credit = i64::from(fq.quantum);
                    self.new.push_back(number);
                }
                while self.exceeds(fq.codel.limit, line) {
                    let most = self.subs.iter().map(Sub::bytes).max();
                    let fattest = self.subs.iter().position(|sub| Some(sub.bytes()) == most);
                    let items = &mut self.subs[fattest.unwrap()].items;
                    let half = (items.len() as f64 / 2.0).ceil() as usize;
                    decided
                        .full
                        .extend(items.drain(..half.min(64)).map(|item| item.content));
                }
            }
            _ => unreachable!(),
        }
        decided
    }

    pub fn next(&mut self, now: u64) -> (Option<Item<T>>, Decided<T>) {
        let mut decided = Decided::none();
        let item = match self.queue {
            Queue::CoDel(codel) => self.subs[0].dequeue(&codel, now, &mut decided),
            Queue::FqCoDel(fq) => loop {
                let (number, is_new) = match (self.new.front(), self.old.front()) {
                    (Some(&number), _) => (number, true),
                    (None, Some(&number)) => (number, false),
                    (None, None) => break None,
                };
                let list = if is_new { &mut self.new } else { &mut self.old };
                let sub = &mut self.subs[number];
                if sub.credit <= 0 {
                    sub.credit += i64::from(fq.quantum);
                    list.pop_front();
                    self.old.push_back(number);
                    continue;
                }
                if let Some(item) = sub.dequeue(&fq.codel, now, &mut decided) {
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

    /// RFC 8289, section 5.5; with marks where packets would be dropped.
    fn dequeue(&mut self, codel: &CoDel, now: u64, decided: &mut Decided<T>) -> Option<Item<T>> {
        let (mut item, mut ok) = self.dodequeue(codel, now);
        let at = i128::from(now);
        if self.codel.dropping {
            if !ok {
                self.codel.dropping = false;
            }
            while at >= self.codel.drop_next && self.codel.dropping {
                self.codel.count += 1;
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
            state.count = 1;
            if delta > 1 && at - state.drop_next < 16 * interval {
                state.count = delta;
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
    fn dodequeue(&mut self, codel: &CoDel, now: u64, packet: Option<(u64, u64)>) -> bool {
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
        let spacing = codel.interval.as_nanos() as f64 / (self.count as f64).sqrt();
        self.drop_next = from + spacing.floor() as i128;
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
