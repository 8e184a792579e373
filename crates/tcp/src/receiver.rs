//! The receiver: cumulative ACKs, immediate or delayed (RFC 5681, section 4.2) or, as in Linux, immediate
//! at first; SACK blocks (RFC 2018), also for what had already arrived (RFC 2883); echoes of stamps (RFC 7323), marks
//! (RFC 3168, section 6.1.3; RFC 8257, section 3.2) or their number, and queueing times (RoVegas, section 3).
//!
//! ```
//! use dumbbell_control::units::{Duration, Instant};
//! use dumbbell_tcp::config::ReceiverConfig;
//! use dumbbell_tcp::receiver::{Receiver, Response};
//! use dumbbell_tcp::segment::{Arrival, MAX_SACK_BLOCKS, SackBlock};
//!
//! let mut receiver = Receiver::new(ReceiverConfig {
//!     delayed_ack: Some(Duration::from_millis(100)),
//!     sack: true,
//!     ..ReceiverConfig::default()
//! });
//! let now = Instant::ZERO;
//! // One in order may wait for another; one above a hole is answered at once.
//! assert_eq!(receiver.on_segment(now, &Arrival::plain(0, 0)), Response::Wait);
//! assert_eq!(receiver.on_segment(now, &Arrival::plain(2, 0)), Response::Ack);
//! let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
//! let ack = receiver.ack(now, &mut blocks);
//! assert_eq!((ack.ack, ack.blocks), (1, &[SackBlock { start: 2, end: 3 }][..]));
//! ```

use std::collections::VecDeque;

use dumbbell_control::units::Instant;

use crate::ack_control::Factor;
use crate::config::{EcnMode, ReceiverConfig, Stamping};
use crate::option::Aqt;
use crate::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, SackBlock};
use crate::ticks;

/// The receiving end of a connection.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    next: u64,
    /// The segments above the first hole; `None` before there was a hole.
    above: Option<Box<Above>>,
    arrived: u64,
    last_ack: u64,
    trigger: u64,
    trigger_at: Instant,
    /// The stamp to echo: TS.Recent (RFC 7323, section 4.3).
    ts_recent: u32,
    /// Segments in order that no ACK has covered yet.
    pending: u32,
    /// ACKs that are still to be sent without delay.
    quick: u32,
    /// When the delayed ACK is due.
    deadline: Option<Instant>,
    config: ReceiverConfig,
    /// The queueing time that the next ACK echoes, if a probing segment triggers it.
    aqt_echo: Option<u32>,
    /// Whether a mark has arrived, and no CWR since; with DCTCP's receiver, whether the last segment was marked.
    ece: bool,
    /// With numbers of marks: whether the last segment was marked.
    last_marked: bool,
    /// Whether the next ACK is not to be delayed, because marking has begun.
    hurries: bool,
    /// Marked segments so far.
    marks: u64,
    /// The delayed-ACK factor; `None` if ACK congestion control is not in use.
    factor: Option<Factor>,
    /// Whether ECN or ACK congestion control is in use.
    heeds: bool,
    /// How many segments may wait for an ACK.
    most_pending: u32,
    /// The segment that had already arrived, for the next ACK to report (RFC 2883).
    again: Option<u64>,
}

/// The room for runs above the first hole that is kept when all holes are filled.
const FEW_RUNS: usize = 16;

/// Segments above the first hole. Their numbers are counted from that of the hole that was the first when there was no
/// other, because with many connections they take much memory.
#[derive(Clone, Debug)]
struct Above {
    from: u64,
    /// Contiguous runs in ascending order, with holes between them.
    runs: VecDeque<Run>,
    /// A segment of each of the last runs that received one, the newest first.
    recent: [u32; MAX_SACK_BLOCKS],
}

/// A contiguous run of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u32,
    /// The segment after its last.
    end: u32,
}

/// No segment.
const NONE: u32 = u32::MAX;

/// Whether an ACK is to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Response {
    /// Send [`Receiver::ack`] now.
    Ack,
    /// Wait for the next segment or the deadline.
    Wait,
}

impl Receiver {
    /// A receiver that expects segment 0.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            next: 0,
            above: None,
            again: None,
            arrived: 0,
            last_ack: 0,
            trigger: 0,
            trigger_at: Instant::ZERO,
            ts_recent: 0,
            pending: 0,
            quick: config.quick_acks,
            deadline: None,
            aqt_echo: None,
            ece: false,
            last_marked: false,
            hurries: false,
            marks: 0,
            heeds: config.ecn.is_on() || config.ack_control.is_some(),
            factor: config.ack_control.map(|control| Factor::new(control.max)),
            most_pending: if config.ack_control.is_some() { 1 } else { 2 },
            config,
        }
    }

    /// A receiver that expects segment 0, in the memory of this one.
    pub fn renewed(mut self, config: ReceiverConfig) -> Self {
        if let Some(above) = &mut self.above {
            above.runs.clear();
            above.recent = [NONE; MAX_SACK_BLOCKS];
        }
        Self {
            above: self.above,
            ..Self::new(config)
        }
    }

    /// A segment arrives. A probing segment, one with an AQT option, is acknowledged at once.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Instant, arrival: &Arrival) -> Response {
        let Arrival { seq, ts_value, .. } = *arrival;
        self.arrived += 1;
        if self.heeds {
            self.heed(now, arrival);
        }
        self.trigger = seq;
        self.trigger_at = now;
        // Before the first ACK there is no TS.Recent to compare with.
        let newer = ts_value.wrapping_sub(self.ts_recent) < 1 << 31 || self.last_ack == 0;
        if seq <= self.last_ack && newer {
            self.ts_recent = ts_value;
        }
        if seq == self.next
            && self
                .above
                .as_ref()
                .is_none_or(|above| above.runs.is_empty())
        {
            self.next += 1;
            if arrival.queueing.is_none() {
                return self.in_order(now);
            }
            self.aqt_echo = arrival.queueing;
            return Response::Ack;
        }
        self.out_of_order(seq);
        self.aqt_echo = arrival.queueing;
        Response::Ack
    }

    /// Takes the marks, CWR and feedback of a segment.
    #[cold]
    fn heed(&mut self, now: Instant, arrival: &Arrival) {
        // A segment that has already arrived is ignored: anybody could have sent a marked copy.
        let marked = arrival.marked && arrival.seq >= self.next;
        match self.config.ecn {
            EcnMode::Off => {}
            EcnMode::Classic => self.ece = marked || self.ece && !arrival.cwr,
            EcnMode::Dctcp => self.ece = arrival.marked,
            EcnMode::Accurate | EcnMode::L4s => {
                self.hurries |= marked && !self.last_marked;
                self.last_marked = marked;
            }
        }
        if self.config.ecn.is_on() {
            self.marks += u64::from(marked);
        }
        if let (Some(factor), Some(feedback)) = (&mut self.factor, &arrival.feedback) {
            self.most_pending = factor.on_segment(now, feedback);
        }
    }

    /// Whether [`Receiver::ack`] is to be sent before a segment is passed on that is marked or not: with DCTCP's
    /// receiver, an ACK covers only segments of one kind (RFC 8257, section 3.2, figure 1).
    ///
    /// ```
    /// use dumbbell_control::units::{Duration, Instant};
    /// use dumbbell_tcp::config::{EcnMode, ReceiverConfig};
    /// use dumbbell_tcp::receiver::{Receiver, Response};
    /// use dumbbell_tcp::segment::{Arrival, MAX_SACK_BLOCKS, SackBlock};
    ///
    /// let mut receiver = Receiver::new(ReceiverConfig {
    ///     delayed_ack: Some(Duration::from_millis(100)),
    ///     ecn: EcnMode::Dctcp,
    ///     ..ReceiverConfig::default()
    /// });
    /// assert_eq!(receiver.on_segment(Instant::ZERO, &Arrival::plain(0, 0)), Response::Wait);
    /// assert!(!receiver.answers_before(false) && receiver.answers_before(true));
    /// let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
    /// let ack = receiver.ack(Instant::ZERO, &mut blocks);
    /// assert_eq!((ack.ack, ack.ece), (1, false));
    /// ```
    #[inline]
    pub fn answers_before(&self, marked: bool) -> bool {
        self.heeds && self.config.ecn == EcnMode::Dctcp && self.pending > 0 && marked != self.ece
    }

    /// When [`Receiver::on_deadline`] is to be called; `None` if no ACK is delayed.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The timer of the delayed ACK fired. Before the deadline it returns [`Response::Wait`].
    pub fn on_deadline(&mut self, now: Instant) -> Response {
        match self.deadline {
            Some(deadline) if deadline <= now => Response::Ack,
            _ => Response::Wait,
        }
    }

    /// The ACK to send now. `blocks` is a buffer for its SACK blocks.
    #[inline]
    pub fn ack<'a>(
        &mut self,
        now: Instant,
        blocks: &'a mut [SackBlock; MAX_SACK_BLOCKS],
    ) -> AckSegment<'a> {
        self.pending = 0;
        self.hurries = false;
        self.deadline = None;
        self.last_ack = self.next;
        let count = match (&self.above, self.again) {
            (_, Some(_)) => self.report_again(blocks),
            (Some(above), None) if self.config.sack => {
                above.report(blocks, self.config.stamping, 0)
            }
            _ => 0,
        };
        AckSegment {
            ack: self.next,
            echo: match self.config.stamping {
                Stamping::Exact => Echo::Exact {
                    trigger: self.trigger,
                    received_at: self.trigger_at,
                },
                Stamping::Option { granularity } => Echo::Timestamps {
                    value: (now.as_nanos() / granularity.as_nanos().max(1)) as u32,
                    echo: self.ts_recent,
                },
            },
            blocks: &blocks[..count],
            ece: self.ece,
            marks: self.config.ecn.counts().then_some(self.marks),
            aqt: self.aqt_echo.take().map(|echo| Aqt { queueing: 0, echo }),
            marked: false,
        }
    }

    /// Reports the segment that had already arrived, in the first block, and then as usual.
    #[cold]
    fn report_again(&mut self, blocks: &mut [SackBlock; MAX_SACK_BLOCKS]) -> usize {
        let Some(start) = self.again.take() else {
            return 0;
        };
        let end = start + 1;
        blocks[0] = SackBlock { start, end };
        match &self.above {
            Some(above) => above.report(blocks, self.config.stamping, 1),
            None => 1,
        }
    }

    /// The number of new marked segments that have arrived while ECN is in use.
    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// The delayed-ACK factor of ACK congestion control; `None` if that is not in use.
    pub fn ack_factor(&self) -> Option<u32> {
        self.factor.as_ref().map(Factor::value)
    }

    /// The number of segments delivered in order, which is the next segment that the receiver expects.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// The number of segments that have arrived, duplicates included.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    fn in_order(&mut self, now: Instant) -> Response {
        let delay = match self.config.ack_control {
            Some(control) => Some(control.timer),
            None => self.config.delayed_ack,
        };
        let Some(delay) = delay else {
            return Response::Ack;
        };
        if self.quick > 0 {
            self.quick -= 1;
            return Response::Ack;
        }
        self.pending += 1;
        if self.pending >= self.most_pending || self.hurries {
            return Response::Ack;
        }
        if self.pending == 1 {
            self.deadline = Some(match self.config.firing {
                None => now + delay,
                Some(tick) => ticks::firing(now, delay, tick),
            });
        }
        Response::Wait
    }

    fn out_of_order(&mut self, seq: u64) {
        if seq < self.next {
            self.again = self.config.dsack.then_some(seq);
            self.quick = self.config.quick_acks.saturating_sub(1);
            return;
        }
        self.quick = self.quick.saturating_sub(1);
        let above = self.above.get_or_insert_with(Above::boxed);
        if above.runs.is_empty() {
            above.from = self.next;
            above.recent = [NONE; MAX_SACK_BLOCKS];
        }
        // No window reaches further.
        let Some(number) = u32::try_from(seq - above.from).ok().filter(|&it| it < NONE) else {
            return;
        };
        if seq > self.next {
            if self.config.dsack && above.run_of(number).is_some() {
                self.again = Some(seq);
            }
            above.insert(number);
            if self.config.sack {
                above.remember(number);
            }
            return;
        }
        self.next += 1;
        if above
            .runs
            .front()
            .is_some_and(|run| run.start == number + 1)
        {
            let run = above.runs.pop_front().expect("a front run was just seen");
            self.next = above.from + u64::from(run.end);
            if above.runs.is_empty() && above.runs.capacity() > FEW_RUNS {
                // An overshoot of slow start leaves many holes, and most later episodes leave few.
                above.runs = VecDeque::new();
            }
        }
    }
}

impl Above {
    fn boxed() -> Box<Self> {
        Box::new(Self {
            from: 0,
            runs: VecDeque::new(),
            recent: [NONE; MAX_SACK_BLOCKS],
        })
    }

    fn insert(&mut self, seq: u32) {
        // New data usually extends the last run or begins a new one after it.
        let at = match self.runs.back() {
            Some(last) if seq < last.start => self.runs.partition_point(|run| run.end < seq),
            Some(last) if seq <= last.end => self.runs.len() - 1,
            _ => self.runs.len(),
        };
        let Some(run) = self.runs.get_mut(at) else {
            self.runs.push_back(Run {
                start: seq,
                end: seq + 1,
            });
            return;
        };
        if seq + 1 < run.start {
            self.runs.insert(
                at,
                Run {
                    start: seq,
                    end: seq + 1,
                },
            );
        } else if seq + 1 == run.start {
            run.start = seq;
        } else if seq == run.end {
            run.end += 1;
            let end = run.end;
            if let Some(following) = self.runs.get(at + 1).copied()
                && following.start == end
            {
                self.runs[at].end = following.end;
                self.runs.remove(at + 1);
            }
        }
    }

    /// Moves the run of `seq` to the front of the recent runs.
    fn remember(&mut self, seq: u32) {
        let run = self.run_of(seq);
        let keep = self
            .recent
            .iter()
            .position(|&s| run.is_some_and(|r| r.start <= s && s < r.end));
        let last = keep.unwrap_or(MAX_SACK_BLOCKS - 1);
        self.recent[..=last].rotate_right(1);
        self.recent[0] = seq;
    }

    fn run_of(&self, seq: u32) -> Option<Run> {
        let at = self.runs.partition_point(|run| run.end <= seq);
        self.runs.get(at).copied().filter(|run| run.start <= seq)
    }

    /// Writes the runs behind the first `count` blocks. Returns the number of all blocks.
    fn report(
        &self,
        blocks: &mut [SackBlock; MAX_SACK_BLOCKS],
        stamping: Stamping,
        mut count: usize,
    ) -> usize {
        let first = count;
        let room = match stamping {
            Stamping::Exact => MAX_SACK_BLOCKS,
            Stamping::Option { .. } => MAX_SACK_BLOCKS - 1,
        };
        for &seq in &self.recent {
            let Some(run) = self.run_of(seq) else {
                continue;
            };
            let [start, end] = [run.start, run.end].map(|number| self.from + u64::from(number));
            let run = SackBlock { start, end };
            if count < room && !blocks[first..count].contains(&run) {
                blocks[count] = run;
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::units::Duration;

    fn at_ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// The time in ms, the number and the SACK blocks of every ACK.
    type Acks = Vec<(u64, u64, Vec<(u64, u64)>)>;

    /// The ACKs for segments that arrive at the given milliseconds.
    fn arrivals(config: ReceiverConfig, segments: &[(u64, u64)], until_ms: u64) -> Acks {
        let mut receiver = Receiver::new(config);
        let mut acks = Vec::new();
        let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
        for ms in 0..=until_ms {
            let mut responses = Vec::new();
            for &(_, seq) in segments.iter().filter(|(at, _)| *at == ms) {
                responses.push(receiver.on_segment(at_ms(ms), &Arrival::plain(seq, ms as u32)));
            }
            responses.push(receiver.on_deadline(at_ms(ms)));
            for response in responses {
                if response == Response::Ack {
                    let ack = receiver.ack(at_ms(ms), &mut blocks);
                    acks.push((
                        ms,
                        ack.ack,
                        ack.blocks.iter().map(|b| (b.start, b.end)).collect(),
                    ));
                }
            }
        }
        acks
    }

    fn delayed() -> ReceiverConfig {
        ReceiverConfig {
            delayed_ack: Some(Duration::from_millis(100)),
            ..ReceiverConfig::default()
        }
    }

    fn numbers(acks: &Acks) -> Vec<(u64, u64)> {
        acks.iter().map(|(ms, ack, _)| (*ms, *ack)).collect()
    }

    #[test]
    fn a_second_segment_ends_the_delay_of_an_ack() {
        assert_eq!(
            numbers(&arrivals(delayed(), &[(0, 0), (10, 1)], 200)),
            [(10, 2)]
        );
    }

    /// The first three ACKs are quick, then each second segment has one. Segment 2 arrives again at 60 ms,
    /// and the ACK of that copy and the next two are quick.
    #[test]
    fn quick_acks_come_first_and_again_after_a_segment_that_had_already_arrived() {
        let config = ReceiverConfig {
            delayed_ack: Some(Duration::from_millis(15)),
            quick_acks: 3,
            ..ReceiverConfig::default()
        };
        let first = [(0, 0), (10, 1), (20, 2), (30, 3), (40, 4)];
        let again = [(60, 2), (61, 5), (62, 6), (63, 7), (64, 8), (65, 9)];
        let found = arrivals(config, &[&first[..], &again].concat(), 90);
        let expected = [
            (0, 1),
            (10, 2),
            (20, 3),
            (40, 5),
            (60, 5),
            (61, 6),
            (62, 7),
            (64, 9),
            (80, 10),
        ];
        assert_eq!(numbers(&found), expected);
    }

    /// ACKs of segments above a hole are sent at once, and count.
    #[test]
    fn acks_of_segments_out_of_order_use_up_quick_acks() {
        let config = ReceiverConfig {
            quick_acks: 3,
            ..delayed()
        };
        let segments = [(0, 0), (1, 2), (2, 3), (3, 1), (4, 4)];
        let found = numbers(&arrivals(config, &segments, 110));
        assert_eq!(found, [(0, 1), (1, 1), (2, 1), (3, 4), (104, 5)]);
    }

    #[test]
    fn the_timer_ends_the_delay_of_an_ack() {
        assert_eq!(numbers(&arrivals(delayed(), &[(0, 0)], 200)), [(100, 1)]);
    }

    /// RFC 5681, section 4.2: out-of-order segments, and one that fills a hole.
    #[test]
    fn segments_out_of_order_are_acknowledged_at_once() {
        let found = arrivals(delayed(), &[(0, 0), (1, 1), (2, 3), (3, 4), (4, 2)], 200);
        assert_eq!(numbers(&found), [(1, 2), (2, 2), (3, 2), (4, 5)]);
    }

    #[test]
    fn the_newest_block_comes_first_and_holes_merge() {
        let config = ReceiverConfig {
            sack: true,
            ..ReceiverConfig::default()
        };
        let segments = [
            (0, 0),
            (1, 2),
            (2, 4),
            (3, 6),
            (4, 3),
            (5, 8),
            (6, 10),
            (7, 1),
        ];
        let found = arrivals(config, &segments, 10);
        let blocks: Vec<_> = found
            .into_iter()
            .map(|(_, ack, blocks)| (ack, blocks))
            .collect();
        assert_eq!(
            blocks,
            [
                (1, vec![]),
                (1, vec![(2, 3)]),
                (1, vec![(4, 5), (2, 3)]),
                (1, vec![(6, 7), (4, 5), (2, 3)]),
                (1, vec![(2, 5), (6, 7)]),
                (1, vec![(8, 9), (2, 5), (6, 7)]),
                (1, vec![(10, 11), (8, 9), (2, 5), (6, 7)]),
                (5, vec![(10, 11), (8, 9), (6, 7)]),
            ]
        );
    }

    /// RFC 2883, section 4: a segment below the cumulative ACK, one that is the second block, and one
    /// inside it. The block of the run that contains it follows.
    #[test]
    fn a_segment_that_had_already_arrived_is_the_first_block() {
        let config = ReceiverConfig {
            sack: true,
            dsack: true,
            ..ReceiverConfig::default()
        };
        let order = [0, 2, 3, 5, 0, 5, 3, 1, 1, 4, 2];
        let segments: Vec<_> = (0..).zip(order).collect();
        let found = arrivals(config, &segments, 20);
        let blocks: Vec<_> = found
            .into_iter()
            .map(|(_, ack, blocks)| (ack, blocks))
            .collect();
        assert_eq!(
            blocks[4..],
            [
                (1, vec![(0, 1), (5, 6), (2, 4)]),
                (1, vec![(5, 6), (5, 6), (2, 4)]),
                (1, vec![(3, 4), (2, 4), (5, 6)]),
                (4, vec![(5, 6)]),
                (4, vec![(1, 2), (5, 6)]),
                (6, vec![]),
                (6, vec![(2, 3)]),
            ]
        );
    }

    fn stamped() -> Receiver {
        Receiver::new(ReceiverConfig {
            stamping: Stamping::Option {
                granularity: Duration::from_millis(1),
            },
            ..delayed()
        })
    }

    fn echo(receiver: &mut Receiver) -> (u64, u32) {
        let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
        let ack = receiver.ack(at_ms(0), &mut blocks);
        let Echo::Timestamps { echo, .. } = ack.echo else {
            panic!("the option is in use")
        };
        (ack.ack, echo)
    }

    #[test]
    fn the_first_stamp_is_taken_whatever_the_clock_says() {
        let mut receiver = stamped();
        let _ = receiver.on_segment(at_ms(0), &Arrival::plain(0, 3_000_000_000));
        assert_eq!(echo(&mut receiver), (1, 3_000_000_000));
        let _ = receiver.on_segment(at_ms(0), &Arrival::plain(1, 2_999_999_999));
        assert_eq!(
            echo(&mut receiver),
            (2, 3_000_000_000),
            "older than TS.Recent"
        );
    }

    /// RFC 7323, section 4.3.
    #[test]
    fn the_echoed_stamp_is_that_of_the_earliest_segment_acknowledged() {
        let mut receiver = stamped();
        for seq in 0..5 {
            let _ = receiver.on_segment(at_ms(0), &Arrival::plain(seq, 100));
        }
        assert_eq!(echo(&mut receiver), (5, 100));
        let _ = receiver.on_segment(at_ms(0), &Arrival::plain(6, 120));
        assert_eq!(echo(&mut receiver), (5, 100));
        assert_eq!(
            receiver.on_segment(at_ms(0), &Arrival::plain(7, 130)),
            Response::Ack
        );
        assert_eq!(
            echo(&mut receiver),
            (5, 100),
            "a segment above a hole leaves TS.Recent"
        );
        assert_eq!(
            receiver.on_segment(at_ms(0), &Arrival::plain(5, 150)),
            Response::Ack
        );
        assert_eq!(echo(&mut receiver), (8, 150));
        assert_eq!(
            receiver.on_segment(at_ms(0), &Arrival::plain(8, 160)),
            Response::Wait
        );
        assert_eq!(
            receiver.on_segment(at_ms(0), &Arrival::plain(9, 170)),
            Response::Ack
        );
        assert_eq!(
            echo(&mut receiver),
            (10, 160),
            "a delayed ACK echoes the earliest"
        );
    }
}
