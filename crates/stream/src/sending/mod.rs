//! The sending session: it says hello until it is welcome, sends frames for a while, and says that it ends.

mod ends;
mod source;

pub use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::control::Control;
use dumbbell_media::feedback::Interval;
use dumbbell_media::source::{EncoderConfig, Passed, Uniform};
use dumbbell_tfrc::packet::Feedback;
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::sender::SenderConfig;
use ends::{Ends, Figures, Way};
use source::Source;

use crate::late::Lateness;
use crate::packet::{self, Answer, Hello, Packet};

/// What a session sends, and how.
#[derive(Clone, Debug)]
pub struct SendingConfig {
    /// The number of the session, which nobody can guess.
    pub session: u64,
    /// What makes the frames.
    pub encoder: EncoderConfig,
    /// The payload of a full packet.
    pub segment: u16,
    /// In this time the encoder wants the queue to be empty, if the rate control leaves that to it: TFRC and its variants do.
    pub drain: Duration,
    /// A frame of which no packet was sent in this time is discarded.
    pub patience: Duration,
    /// How long frames are sent, from the receiver's welcome on.
    pub lasts: Duration,
}

impl SendingConfig {
    /// A session with the usual values: packets of 1000 bytes, a queue that is to be empty in half a second, and frames that
    /// are discarded after a second.
    pub fn new(session: u64, encoder: EncoderConfig, lasts: Duration) -> Self {
        Self {
            session,
            encoder,
            segment: 1000,
            drain: Duration::from_millis(500),
            patience: Duration::from_secs(1),
            lasts,
        }
    }
}

/// What sets the rate.
pub enum RateControl {
    /// TFRC or a variant of it; the segment size is that of the session.
    One(SenderConfig),
    /// A variant that controls the number of its connections.
    Several(SenderConfig, ParallelConfig),
    /// A control that is told the fate of each packet, and how often.
    Told(Box<dyn Control + Send>, Interval),
}

/// A sending session. Its host calls [`on_timer`](Self::on_timer) at each [`deadline`](Self::deadline), and
/// [`on_packet`](Self::on_packet) for what arrives from its peer. `out` takes the bytes of packets to send.
pub struct Sending<R> {
    config: SendingConfig,
    answer: Answer,
    phase: Phase,
    since: Instant,
    next: Instant,
    ends: Ends,
    source: Source<R>,
    /// Room for a packet.
    bytes: Vec<u8>,
    ignored: u64,
    late: Lateness,
    /// TFRC's feedback that was handled last: a copy of it says nothing.
    last: Option<Feedback>,
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nobody has answered yet.
    Greeting,
    /// Frames are sent.
    Sending,
    /// It is over.
    Over,
    /// Nobody has answered for [`PATIENCE`].
    Alone,
}

/// The figures of a session so far. Rates are in bit/s of payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SendingReport {
    /// How long frames have been sent.
    pub elapsed: Duration,
    /// Frames that were made.
    pub frames: u64,
    /// Those of them that were discarded because they had waited too long.
    pub discarded: u64,
    /// Packets that were sent.
    pub packets: u64,
    /// The allowed rate.
    pub allowed: f64,
    /// The encoder's rate.
    pub encoded: f64,
    /// The mean rate of the frames that were made.
    pub made: f64,
    /// The round-trip time in seconds, once there is one: TFRC's mean, or else the newest.
    pub rtt: Option<f64>,
    /// TFRC's loss event rate; `None` with a control that is told the fate of each packet.
    pub loss_event_rate: Option<f64>,
    /// The bytes that wait.
    pub queue: u64,
    /// Reports that were impossible, or older than one before, and packets that were none.
    pub ignored: u64,
    /// Expiries of TFRC's nofeedback timer.
    pub expiries: u64,
    /// How late the host was while frames were sent.
    pub late: Lateness,
}

/// How long a sender greets.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The time from one greeting to the next.
const AGAIN: Duration = Duration::from_millis(200);
/// How often the end is said.
const ENDS: usize = 3;

impl<R: Uniform> Sending<R> {
    /// Makes a session that greets from `now` on; sizes of frames are drawn from `random`.
    pub fn new(config: SendingConfig, control: RateControl, random: R, now: Instant) -> Self {
        let answer = match &control {
            RateControl::One(_) => Answer::One,
            RateControl::Several(..) => Answer::Several,
            RateControl::Told(_, interval) => Answer::Each(*interval),
        };
        Self {
            answer,
            phase: Phase::Greeting,
            since: now,
            next: now,
            ends: Ends::new(control),
            source: Source::new(&config, random, now),
            bytes: Vec::new(),
            ignored: 0,
            late: Lateness::default(),
            last: None,
            config,
        }
    }

    /// Returns the payload of a full packet in bytes.
    pub fn segment(&self) -> u16 {
        self.config.segment
    }

    /// Returns the bytes of a full packet.
    pub fn largest_packet(&self) -> usize {
        let header = match self.answer {
            Answer::One | Answer::Several => packet::HEADER,
            Answer::Each(_) => packet::NUMBERED_HEADER,
        };
        header + usize::from(self.config.segment)
    }

    /// Returns how far the session is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called next; `None` at the end.
    pub fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Greeting => Some(self.next),
            Phase::Sending => {
                let end = self.since + self.config.lasts;
                let own = self.ends.deadline(&self.source);
                Some(own.map_or(end, |own| own.min(end)))
            }
            Phase::Over | Phase::Alone => None,
        }
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now: Instant, out: &mut dyn FnMut(&[u8])) {
        match self.phase {
            Phase::Greeting if now.since(self.since) >= PATIENCE => self.phase = Phase::Alone,
            Phase::Greeting if now >= self.next => {
                self.next = now + AGAIN;
                let hello = Hello {
                    interval: self.source.encoder.interval(),
                    segment: self.config.segment,
                    answer: self.answer,
                };
                self.say(&Packet::Hello(hello), out);
            }
            Phase::Sending if now.since(self.since) >= self.config.lasts => self.end(out),
            Phase::Sending => {
                self.late.on_timer(self.deadline(), now);
                let (ends, mut way) = self.parts(now, out);
                ends.on_timer(&mut way);
            }
            Phase::Greeting | Phase::Over | Phase::Alone => {}
        }
    }

    /// Handles a packet of the peer. What is not of this session, or not for its rate control, is ignored and counted.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        self.on_waiting_packet(now, Duration::ZERO, bytes, out);
    }

    /// As [`on_packet`](Self::on_packet), for a packet that has waited so long at this end: TFRC's round-trip time is that of
    /// the path, without this.
    pub fn on_waiting_packet(
        &mut self,
        now: Instant,
        waited: Duration,
        bytes: &[u8],
        out: &mut dyn FnMut(&[u8]),
    ) {
        let packet = Packet::decode(bytes).filter(|(session, _)| *session == self.config.session);
        let Some((_, packet)) = packet else {
            self.ignored += 1;
            return;
        };
        let known = match (self.phase, packet) {
            (Phase::Greeting, Packet::Welcome) => {
                self.phase = Phase::Sending;
                self.since = now;
                let (ends, mut way) = self.parts(now, out);
                ends.start(&mut way);
                true
            }
            (Phase::Sending, Packet::Feedback(feedback)) if self.last == Some(feedback) => false,
            (Phase::Sending, Packet::Feedback(feedback)) => {
                self.last = Some(feedback);
                let feedback = Feedback {
                    t_delay: feedback.t_delay + waited,
                    ..feedback
                };
                let (ends, mut way) = self.parts(now, out);
                ends.on_feedback(&feedback, &mut way)
            }
            (Phase::Sending, Packet::Report(report)) => {
                let (ends, mut way) = self.parts(now, out);
                ends.on_report(&report, &mut way)
            }
            (Phase::Sending, Packet::KeyRequest) => {
                self.source.encoder.ask_for_key();
                true
            }
            // Out of time, but a receiver's.
            (_, Packet::Welcome | Packet::Feedback(_) | Packet::Report(_) | Packet::KeyRequest) => {
                true
            }
            (
                _,
                Packet::Hello(_)
                | Packet::Frame(..)
                | Packet::Numbered(..)
                | Packet::Padding(..)
                | Packet::End,
            ) => false,
        };
        self.ignored += u64::from(!known);
    }

    /// Ends the session before its time.
    pub fn end(&mut self, out: &mut dyn FnMut(&[u8])) {
        if self.phase == Phase::Sending {
            for _ in 0..ENDS {
                self.say(&Packet::End, out);
            }
        }
        self.phase = Phase::Over;
    }

    /// Returns the figures so far.
    pub fn report(&self, now: Instant) -> SendingReport {
        let Source { encoder, queue, .. } = &self.source;
        let Figures {
            sent,
            allowed,
            rtt,
            loss_event_rate,
            ignored,
            expiries,
        } = self.ends.figures();
        let elapsed = match self.phase {
            Phase::Greeting | Phase::Alone => Duration::ZERO,
            Phase::Sending | Phase::Over => now.since(self.since).min(self.config.lasts),
        };
        let Passed { made, .. } = queue.passed();
        SendingReport {
            elapsed,
            frames: u64::from(encoder.made()),
            discarded: queue.discarded().frames,
            packets: sent,
            allowed,
            encoded: encoder.rate(),
            made: made as f64 * 8.0 / elapsed.as_secs_f64().max(1e-9),
            rtt,
            loss_event_rate,
            queue: queue.bytes(),
            ignored: self.ignored + ignored,
            expiries,
            late: self.late,
        }
    }

    /// Reports the values behind the rate of a control that is told the fate of each packet: calls `out` with the name and
    /// the value of each.
    pub fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.ends.explain(out);
    }

    fn parts<'o>(
        &'o mut self,
        now: Instant,
        out: &'o mut dyn FnMut(&[u8]),
    ) -> (&'o mut Ends, Way<'o, R>) {
        let way = Way {
            now,
            session: self.config.session,
            source: &mut self.source,
            bytes: &mut self.bytes,
            out,
        };
        (&mut self.ends, way)
    }

    fn say(&mut self, packet: &Packet, out: &mut dyn FnMut(&[u8])) {
        packet.encode(self.config.session, &mut self.bytes);
        out(&self.bytes);
    }
}
