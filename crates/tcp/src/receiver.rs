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

mod above;
mod autotuning;
mod compression;
mod delay;

use std::collections::VecDeque;
use std::sync::Arc;

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::Instant;

use crate::ack_control::Factor;
use crate::config::{EcnMode, ReceiverConfig, Stamping};
use crate::option::Aqt;
use crate::pacing::NEVER;
use crate::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, SackBlock};
use crate::ticks;
use above::{Above, NONE};
use autotuning::Autotuning;
use compression::Compression;
use delay::Delay;

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
    /// When the segment that triggers the next ACK arrived or, if that is echoed, was sent.
    trigger_at: Instant,
    /// The stamp to echo: TS.Recent (RFC 7323, section 4.3).
    ts_recent: u32,
    /// Segments in order that no ACK has covered yet.
    pending: u32,
    /// ACKs that are still to be sent without delay.
    quick: u32,
    /// When the delayed ACK is due; [`NEVER`] if none is delayed.
    deadline: Instant,
    config: Arc<ReceiverConfig>,
    /// What most receivers do not need.
    rare: Option<Box<Rare>>,
    /// Whether there are segments above a hole, so that where they are need not be looked at.
    holes: bool,
    /// Whether ECN, ACK congestion control, compressed SACKs, a growing window or an adaptive delay are in use.
    heeds: bool,
    /// How many segments may wait for an ACK.
    most_pending: u32,
}

/// What only receivers need that probes, marks or segments which had already arrived have reached.
#[derive(Clone, Debug, Default)]
struct Rare {
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
    /// The segment that had already arrived, for the next ACK to report (RFC 2883).
    again: Option<u64>,
    /// What is known for compressed SACKs.
    compression: Compression,
    /// The growing window.
    autotuning: Autotuning,
    /// How long an ACK is delayed, if that follows the time between segments.
    delay: Delay,
}

// A host has many receivers.
const _: () = assert!(size_of::<Receiver>() <= 96);

/// The room for runs above the first hole that is kept when all holes are filled.
const FEW_RUNS: usize = 16;

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
    /// A receiver that expects segment 0. Many receivers can share a configuration.
    pub fn new(config: impl Into<Arc<ReceiverConfig>>) -> Self {
        let config = config.into();
        let rare = config.ack_control.map(|control| {
            Box::new(Rare {
                factor: Some(Factor::new(control.max)),
                ..Rare::default()
            })
        });
        Self {
            next: 0,
            above: None,
            holes: false,
            arrived: 0,
            last_ack: 0,
            trigger: 0,
            trigger_at: Instant::ZERO,
            ts_recent: 0,
            pending: 0,
            quick: config.quick_acks,
            deadline: NEVER,
            rare,
            heeds: config.ecn.is_on()
                || config.ack_control.is_some()
                || config.sack_compression
                || config.autotuning
                || config.adaptive_delay,
            most_pending: if config.ack_control.is_some() { 1 } else { 2 },
            config,
        }
    }

    /// A receiver that expects segment 0, in the memory of this one.
    pub fn renewed(mut self, config: impl Into<Arc<ReceiverConfig>>) -> Self {
        if let Some(above) = &mut self.above {
            above.runs.clear();
            above.recent = [NONE; MAX_SACK_BLOCKS];
        }
        let new = Self::new(config);
        let kept = self.rare.map(|mut rare| {
            *rare = Rare::default();
            rare
        });
        Self {
            above: self.above,
            rare: new.rare.or(kept),
            ..new
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
        self.trigger_at = match self.config.echoes_sending {
            true => arrival.sent_at,
            false => now,
        };
        // Before the first ACK there is no TS.Recent to compare with.
        let newer = ts_value.wrapping_sub(self.ts_recent) < 1 << 31 || self.last_ack == 0;
        if seq <= self.last_ack && newer {
            self.ts_recent = ts_value;
        }
        if seq == self.next && !self.holes {
            self.next += 1;
            if arrival.queueing.is_none() {
                return self.in_order(now, arrival.push);
            }
            self.echo_queueing(arrival.queueing);
            return Response::Ack;
        }
        let (quick, next) = (self.quick > 0, self.next);
        self.out_of_order(seq);
        self.echo_queueing(arrival.queueing);
        match self.config.sack_compression && !quick && seq >= next && arrival.queueing.is_none() {
            true => self.compress(now, next),
            false => Response::Ack,
        }
    }

    /// The segment that opens the connection arrives, which was sent at `sent_at`. Where the round-trip time of the
    /// handshake counts, it takes twice as long: for compressed SACKs and for the delay of ACKs, not for the growing
    /// window. (Linux has the time from its reply to the ACK of that, which waits for no data either.)
    pub fn on_open(&mut self, now: Instant, sent_at: Instant) {
        if self.config.handshake_rtt && self.heeds {
            let rare = self.rare.get_or_insert_default();
            rare.compression.time(now, sent_at);
        }
    }

    /// The next ACK echoes this queueing time, or none.
    #[inline]
    fn echo_queueing(&mut self, queueing: Option<u32>) {
        if queueing.is_some() || self.rare.is_some() {
            self.rare.get_or_insert_default().aqt_echo = queueing;
        }
    }

    /// Takes the marks, CWR and feedback of a segment.
    #[cold]
    fn heed(&mut self, now: Instant, arrival: &Arrival) {
        // A segment that has already arrived is ignored: anybody could have sent a marked copy.
        let marked = arrival.marked && arrival.seq >= self.next;
        let rare = self.rare.get_or_insert_default();
        match self.config.ecn {
            EcnMode::Off => {}
            EcnMode::Classic => rare.ece = marked || rare.ece && !arrival.cwr,
            EcnMode::Dctcp => rare.ece = arrival.marked,
            EcnMode::Accurate | EcnMode::L4s => {
                rare.hurries |= marked && !rare.last_marked;
                rare.last_marked = marked;
            }
        }
        if self.config.ecn.is_on() {
            rare.marks += u64::from(marked);
        }
        rare.compression.time(now, arrival.sent_at);
        let in_order = arrival.seq == self.next;
        if self.config.adaptive_delay
            && in_order
            && rare
                .delay
                .on_segment(now, rare.compression.round_trip(), &self.config)
        {
            self.quick = self.quick.max(self.config.quick_acks);
        }
        if self.config.autotuning
            && arrival.seq >= self.next
            && rare
                .autotuning
                .on_segment(now, arrival.sent_at, in_order.then_some(arrival.seq))
        {
            self.quick = self.quick.max(1);
        }
        if let (Some(factor), Some(feedback)) = (&mut rare.factor, &arrival.feedback) {
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
        self.heeds && self.begins_or_ends_marks(marked)
    }

    /// Whether segments of the other kind wait for their ACK.
    #[cold]
    fn begins_or_ends_marks(&self, marked: bool) -> bool {
        let ece = self.rare.as_ref().is_some_and(|rare| rare.ece);
        self.config.ecn == EcnMode::Dctcp && self.pending > 0 && marked != ece
    }

    /// When [`Receiver::on_deadline`] is to be called; `None` if no ACK is delayed.
    pub fn deadline(&self) -> Option<Instant> {
        (self.deadline != NEVER).then_some(self.deadline)
    }

    /// The stamps that segments and ACKs carry.
    pub fn stamping(&self) -> Stamping {
        self.config.stamping
    }

    /// The timer of the delayed ACK fired. Before the deadline it returns [`Response::Wait`].
    pub fn on_deadline(&mut self, now: Instant) -> Response {
        if self.deadline > now {
            return Response::Wait;
        }
        if self.config.adaptive_delay
            && self.pending > 0
            && let Some(rare) = &mut self.rare
        {
            rare.delay.inflate(rare.compression.round_trip());
        }
        Response::Ack
    }

    /// The ACK to send now. `blocks` is a buffer for its SACK blocks.
    ///
    /// Always inlined: otherwise the segment is written to memory and read again, which costs 60 instructions.
    #[inline(always)]
    pub fn ack<'a>(
        &mut self,
        now: Instant,
        blocks: &'a mut [SackBlock; MAX_SACK_BLOCKS],
    ) -> AckSegment<'a> {
        self.pending = 0;
        self.deadline = NEVER;
        self.last_ack = self.next;
        let (mut ece, mut aqt_echo, mut again) = (false, None, None);
        if let Some(rare) = &mut self.rare {
            cold_path();
            rare.hurries = false;
            rare.compression.on_ack();
            ece = rare.ece;
            aqt_echo = rare.aqt_echo.take();
            again = rare.again.take();
        }
        let count = match (&self.above, again) {
            (_, Some(again)) => self.report_again(again, blocks),
            (Some(above), None) if self.config.sack => {
                above.report(blocks, self.config.stamping, 0)
            }
            _ => 0,
        };
        AckSegment {
            ack: self.next,
            echo: match self.config.stamping {
                Stamping::Exact if self.config.echoes_sending => Echo::Sent {
                    trigger: self.trigger,
                    sent_at: self.trigger_at,
                },
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
            ece,
            marks: (self.heeds && self.config.ecn.counts()).then(|| self.marks()),
            aqt: aqt_echo.map(|echo| Aqt { queueing: 0, echo }),
            marked: false,
        }
    }

    /// Reports the segment that had already arrived, in the first block, and then as usual.
    #[cold]
    fn report_again(&self, start: u64, blocks: &mut [SackBlock; MAX_SACK_BLOCKS]) -> usize {
        let end = start + 1;
        blocks[0] = SackBlock { start, end };
        match &self.above {
            Some(above) => above.report(blocks, self.config.stamping, 1),
            None => 1,
        }
    }

    /// The number of new marked segments that have arrived while ECN is in use.
    pub fn marks(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.marks)
    }

    /// The delayed-ACK factor of ACK congestion control; `None` if that is not in use.
    pub fn ack_factor(&self) -> Option<u32> {
        self.rare.as_ref()?.factor.as_ref().map(Factor::value)
    }

    /// The number of segments delivered in order, which is the next segment that the receiver expects.
    pub fn delivered(&self) -> u64 {
        self.next
    }

    /// The number of segments that have arrived, duplicates included.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    fn in_order(&mut self, now: Instant, push: bool) -> Response {
        let delay = match self.config.ack_control {
            Some(control) => {
                cold_path();
                Some(control.timer)
            }
            None => self.config.delayed_ack,
        };
        let Some(delay) = delay else {
            return Response::Ack;
        };
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.deflate_delay();
            }
            return Response::Ack;
        }
        self.pending += 1;
        if push
            || self.pending >= self.most_pending
            || self.rare.as_ref().is_some_and(|rare| rare.hurries)
        {
            return Response::Ack;
        }
        if self.pending == 1 {
            let delay = match &self.rare {
                Some(rare) if self.config.adaptive_delay => {
                    rare.delay.delay(delay, rare.compression.round_trip())
                }
                _ => delay,
            };
            self.deadline = match self.config.firing {
                None => now + delay,
                Some(tick) => ticks::firing(now, delay, tick),
            };
        }
        Response::Wait
    }

    /// An adaptive delay is the least again.
    #[inline]
    fn deflate_delay(&mut self) {
        if self.config.adaptive_delay
            && let Some(rare) = &mut self.rare
        {
            rare.delay.deflate(&self.config);
        }
    }

    /// The next ACK reports that this segment had already arrived, if there are such reports.
    fn note_again(&mut self, seq: u64) {
        if self.config.dsack {
            self.rare.get_or_insert_default().again = Some(seq);
        }
    }

    fn out_of_order(&mut self, seq: u64) {
        if seq < self.next {
            self.note_again(seq);
            self.quick = self.config.quick_acks.saturating_sub(1);
            self.deflate_delay();
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
            let known = self.config.dsack && above.run_of(number).is_some();
            above.insert(number);
            if self.config.sack {
                above.remember(number);
            }
            self.holes = true;
            if known {
                self.note_again(seq);
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
            self.holes = !above.runs.is_empty();
            if !self.holes && above.runs.capacity() > FEW_RUNS {
                // An overshoot of slow start leaves many holes, and most later episodes leave few.
                above.runs = VecDeque::new();
            }
        }
    }
}

#[cfg(test)]
mod tests;
