//! The sending session: it says hello until it is welcome, sends frames for a while, and says that it ends.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::source::{Encoder, EncoderConfig, Passed, Queue, Uniform};
use dumbbell_tfrc::multfrc::MultiSender;
use dumbbell_tfrc::packet::{Data, Output};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::sender::{Counters, Sender, SenderConfig};

use crate::packet::{Hello, Packet};

/// What a session sends, and how.
#[derive(Clone, Debug)]
pub struct SendingConfig {
    /// The number of the session, which nobody can guess.
    pub session: u64,
    /// The rate control of a connection, with its segment size.
    pub control: SenderConfig,
    /// How the number of connections is controlled, if there may be several.
    pub several: Option<ParallelConfig>,
    /// What makes the frames.
    pub encoder: EncoderConfig,
    /// The payload of a full packet.
    pub segment: u16,
    /// In this time the encoder wants the queue to be empty.
    pub drain: Duration,
    /// A frame of which no packet was sent in this time is discarded.
    pub patience: Duration,
    /// How long frames are sent, from the receiver's welcome on.
    pub lasts: Duration,
}

/// A sending session. Its host calls [`on_timer`](Self::on_timer) at each [`deadline`](Self::deadline), and
/// [`on_packet`](Self::on_packet) for what arrives from its peer. `out` takes the bytes of packets to send.
pub struct Sending<R> {
    config: SendingConfig,
    random: R,
    phase: Phase,
    since: Instant,
    next: Instant,
    ends: Ends,
    source: Source,
    ignored: u64,
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
    /// The mean round-trip time in seconds, once there is one.
    pub rtt: Option<f64>,
    /// The loss event rate.
    pub loss_event_rate: f64,
    /// The bytes that wait.
    pub queue: u64,
    /// Reports that were impossible, or older than one before, and packets that were none.
    pub ignored: u64,
    /// Expiries of the nofeedback timer.
    pub expiries: u64,
}

enum Ends {
    One(Box<Sender>),
    Several(Box<MultiSender>),
}

struct Source {
    encoder: Encoder,
    queue: Queue,
}

/// How long a sender greets.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The time from one greeting to the next.
const AGAIN: Duration = Duration::from_millis(200);
/// How often the end is said.
const ENDS: usize = 3;

/// The packets of a call, as bytes.
struct Way<'o> {
    now: Instant,
    session: u64,
    queue: &'o mut Queue,
    bytes: Vec<u8>,
    out: &'o mut dyn FnMut(&[u8]),
}

impl Output for Way<'_> {
    fn transmit(&mut self, data: Data) {
        if let Some(fragment) = self.queue.pop(self.now) {
            Packet::Frame(data, fragment).encode(self.session, &mut self.bytes);
            (self.out)(&self.bytes);
        }
    }
}

/// Does the same with whatever sends.
macro_rules! on_ends {
    ($ends:expr, $sender:ident => $then:expr) => {
        match $ends {
            Ends::One($sender) => $then,
            Ends::Several($sender) => $then,
        }
    };
}

impl<R: Uniform> Sending<R> {
    /// Makes a session that greets from `now` on; sizes of frames are drawn from `random`.
    pub fn new(config: SendingConfig, random: R, now: Instant) -> Self {
        let control = config.control;
        let ends = match config.several {
            Some(parallel) => Ends::Several(Box::new(MultiSender::offered(control, parallel))),
            None => Ends::One(Box::new(Sender::offered(control))),
        };
        let source = Source {
            encoder: Encoder::new(config.encoder.clone(), now),
            queue: Queue::new(config.segment, config.patience),
        };
        Self {
            config,
            random,
            phase: Phase::Greeting,
            since: now,
            next: now,
            ends,
            source,
            ignored: 0,
        }
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
                let own = self
                    .source
                    .encoder
                    .next()
                    .min(self.since + self.config.lasts);
                let control = on_ends!(&self.ends, sender => sender.deadline());
                Some(control.map_or(own, |control| control.min(own)))
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
                    several: self.config.several.is_some(),
                };
                self.say(Packet::Hello(hello), out);
            }
            Phase::Sending if now.since(self.since) >= self.config.lasts => self.end(out),
            Phase::Sending => self.feed(now, out),
            Phase::Greeting | Phase::Over | Phase::Alone => {}
        }
    }

    /// Handles a packet of the peer. What is not of this session is ignored and counted.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        let packet = Packet::decode(bytes).filter(|(session, _)| *session == self.config.session);
        match (self.phase, packet) {
            (Phase::Greeting, Some((_, Packet::Welcome))) => {
                self.phase = Phase::Sending;
                self.since = now;
                self.source.encoder = Encoder::new(self.config.encoder.clone(), now);
                let (ends, mut way) = self.parts(now, out);
                on_ends!(ends, sender => sender.start(now, &mut way));
                self.feed(now, out);
            }
            (Phase::Sending, Some((_, Packet::Feedback(feedback)))) => {
                let (ends, mut way) = self.parts(now, out);
                on_ends!(ends, sender => sender.on_feedback(now, &feedback, &mut way));
            }
            (Phase::Sending, Some((_, Packet::KeyRequest))) => self.source.encoder.ask_for_key(),
            (_, Some((_, Packet::Welcome | Packet::Feedback(_) | Packet::KeyRequest))) => {}
            _ => self.ignored += 1,
        }
    }

    /// Ends the session before its time.
    pub fn end(&mut self, out: &mut dyn FnMut(&[u8])) {
        if self.phase == Phase::Sending {
            for _ in 0..ENDS {
                self.say(Packet::End, out);
            }
        }
        self.phase = Phase::Over;
    }

    /// Returns the figures so far.
    pub fn report(&self, now: Instant) -> SendingReport {
        let Source { encoder, queue } = &self.source;
        let Counters {
            sent,
            ignored,
            expiries,
            ..
        } = on_ends!(&self.ends, sender => sender.counters());
        let elapsed = match self.phase {
            Phase::Greeting | Phase::Alone => Duration::ZERO,
            Phase::Sending | Phase::Over => now.since(self.since).min(self.config.lasts),
        };
        let oldest = match &self.ends {
            Ends::One(sender) => sender.state(),
            Ends::Several(sender) => sender.states().next().unwrap_or_default(),
        };
        let Passed { made, .. } = queue.passed();
        SendingReport {
            elapsed,
            frames: u64::from(encoder.made()),
            discarded: queue.discarded().frames,
            packets: sent,
            allowed: 8.0 * self.allowed(),
            encoded: encoder.rate(),
            made: made as f64 * 8.0 / elapsed.as_secs_f64().max(1e-9),
            rtt: oldest.rtt,
            loss_event_rate: oldest.p,
            queue: queue.bytes(),
            ignored: self.ignored + ignored,
            expiries,
        }
    }

    /// Makes the frames that are due, and sends the packets that are.
    fn feed(&mut self, now: Instant, out: &mut dyn FnMut(&[u8])) {
        let allowed = self.allowed();
        let drain = self.config.drain.as_secs_f64().max(1e-3);
        let Source { encoder, queue } = &mut self.source;
        let mut added = 0;
        while encoder.next() <= now {
            let waiting = queue.bytes() as f64 / drain;
            let target = 8.0 * (allowed * queue.fill() - waiting).max(0.0);
            added += u64::from(queue.push(encoder.frame(target, &mut self.random)));
        }
        let discarded = queue.discard(now);
        let waiting = queue.len() as u64;
        let (ends, mut way) = self.parts(now, out);
        on_ends!(ends, sender => {
            if discarded {
                sender.stop();
            }
            sender.offer(now, if discarded { waiting } else { added }, &mut way);
            sender.on_timer(now, &mut way);
        });
    }

    /// The allowed rate of all connections, in bytes per second.
    fn allowed(&self) -> f64 {
        match &self.ends {
            Ends::One(sender) => sender.state().x,
            Ends::Several(sender) => sender.states().map(|state| state.x).sum(),
        }
    }

    fn parts<'o>(
        &'o mut self,
        now: Instant,
        out: &'o mut dyn FnMut(&[u8]),
    ) -> (&'o mut Ends, Way<'o>) {
        let way = Way {
            now,
            session: self.config.session,
            queue: &mut self.source.queue,
            bytes: Vec::new(),
            out,
        };
        (&mut self.ends, way)
    }

    fn say(&self, packet: Packet, out: &mut dyn FnMut(&[u8])) {
        let mut bytes = Vec::new();
        packet.encode(self.config.session, &mut bytes);
        out(&bytes);
    }
}
