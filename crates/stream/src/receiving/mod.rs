//! The receiving session: it welcomes one sender, answers its packets with feedback, and plays its frames.

mod reporting;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::player::{Player, PlayerConfig, Report};
use dumbbell_media::source::Fragment;
use dumbbell_tfrc::multfrc::MultiReceiver;
use dumbbell_tfrc::packet::{Arrival, Data, Feedback};
use dumbbell_tfrc::receiver::{Counters, Receiver, ReceiverConfig};
use reporting::Reporting;

use crate::late::Lateness;
use crate::packet::{Answer, Hello, Packet};

/// A receiving session. It belongs to the first sender that says hello; packets of others are ignored and counted. Its
/// host lets only this sender's address reach it.
pub struct Receiving {
    player: PlayerConfig,
    session: Option<Session>,
    ignored: u64,
}

struct Session {
    number: u64,
    hello: Hello,
    since: Instant,
    /// When something of the session arrived last.
    heard: Instant,
    ended: Option<Instant>,
    ends: Ends,
    player: Player,
    late: Lateness,
    /// TFRC's feedback that was sent last.
    last: Option<Feedback>,
}

enum Ends {
    One(Box<Receiver>),
    Several(Box<MultiReceiver>),
    Each(Box<Reporting>),
}

/// The figures of a session so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceivingReport {
    /// How long the session has lasted.
    pub elapsed: Duration,
    /// What was shown.
    pub player: Report,
    /// Packets that arrived.
    pub received: u64,
    /// Loss events: TFRC's, or else gaps in the numbers.
    pub loss_events: u64,
    /// Packets that were none of the session.
    pub ignored: u64,
    /// How late the host was with feedback.
    pub late: Lateness,
}

/// A session whose sender says nothing for so long is over.
pub const PATIENCE: Duration = Duration::from_secs(5);

impl Receiving {
    /// Makes a session that waits for a sender.
    pub fn new(player: PlayerConfig) -> Self {
        Self {
            player,
            session: None,
            ignored: 0,
        }
    }

    /// Returns whether a sender has come.
    pub fn has_begun(&self) -> bool {
        self.session.is_some()
    }

    /// Returns whether the sender has ended, or says nothing any more.
    pub fn is_over(&self, now: Instant) -> bool {
        self.session
            .as_ref()
            .is_some_and(|session| session.ended.is_some() || now.since(session.heard) >= PATIENCE)
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called next; `None` before a sender has come, and when it has ended.
    pub fn deadline(&self) -> Option<Instant> {
        let session = self.session.as_ref()?;
        if session.ended.is_some() {
            return None;
        }
        let silent = session.heard + PATIENCE;
        Some(
            session
                .ends
                .deadline()
                .map_or(silent, |own| own.min(silent)),
        )
    }

    /// Sends the feedback that is due.
    pub fn on_timer(&mut self, now: Instant, out: &mut dyn FnMut(&[u8])) {
        let Some(session) = &mut self.session else {
            return;
        };
        session.late.on_timer(session.ends.deadline(), now);
        while session.feedback_is_due(now) {
            let feedback = match &mut session.ends {
                Ends::One(receiver) => receiver.on_deadline(now),
                Ends::Several(receiver) => receiver.on_deadline(now),
                Ends::Each(reporting) => {
                    reporting.report(now, session.number, out);
                    None
                }
            };
            session.answer(feedback, out);
        }
    }

    /// Handles a packet.
    pub fn on_packet(&mut self, now: Instant, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        self.on_waiting_packet(now, Duration::ZERO, bytes, out);
    }

    /// As [`on_packet`](Self::on_packet), for a packet that has waited so long at this end: it is played and reported as of its
    /// arrival.
    pub fn on_waiting_packet(
        &mut self,
        now: Instant,
        waited: Duration,
        bytes: &[u8],
        out: &mut dyn FnMut(&[u8]),
    ) {
        let now = now - waited;
        let Some((number, packet)) = Packet::decode(bytes) else {
            self.ignored += 1;
            return;
        };
        if let (None, Packet::Hello(hello)) = (&self.session, &packet) {
            self.session = Some(Session::new(number, *hello, self.player, now));
        }
        let session = self.session.as_mut();
        let Some(session) = session.filter(|session| session.number == number) else {
            self.ignored += 1;
            return;
        };
        session.heard = now;
        match packet {
            // A greeting that came twice, or whose answer was lost.
            Packet::Hello(_) => session.say(&Packet::Welcome, out),
            Packet::Frame(data, fragment) if session.is_of_tfrc() => {
                session.show(now, &fragment, out);
                session.on_data(now, waited, data, out);
            }
            Packet::Numbered(number, fragment) if session.is_numbered() => {
                session.show(now, &fragment, out);
                if let Ends::Each(reporting) = &mut session.ends {
                    // The report, if one is due, is made by the timer: it says how long ago a packet arrived.
                    reporting.on_packet(now, number, fragment.bytes);
                }
            }
            Packet::Padding(number, bytes) if session.is_numbered() => {
                if let Ends::Each(reporting) = &mut session.ends {
                    reporting.on_packet(now, number, bytes);
                }
            }
            Packet::End => {
                session.ended.get_or_insert(now);
            }
            Packet::Frame(..)
            | Packet::Numbered(..)
            | Packet::Padding(..)
            | Packet::Welcome
            | Packet::Feedback(_)
            | Packet::Report(_)
            | Packet::KeyRequest => self.ignored += 1,
        }
    }

    /// Returns the figures so far; `None` before a sender has come.
    pub fn report(&self, now: Instant) -> Option<ReceivingReport> {
        let session = self.session.as_ref()?;
        let end = session.ended.unwrap_or(now).min(now);
        let Counters {
            received,
            loss_events,
            ..
        } = match &session.ends {
            Ends::One(receiver) => receiver.counters(),
            Ends::Several(receiver) => receiver.counters(),
            Ends::Each(reporting) => reporting.counters(),
        };
        Some(ReceivingReport {
            elapsed: end.since(session.since),
            player: session.player.report(end),
            received,
            loss_events,
            ignored: self.ignored,
            late: session.late,
        })
    }
}

impl Session {
    fn new(number: u64, hello: Hello, player: PlayerConfig, now: Instant) -> Self {
        let config = ReceiverConfig::rfc5348(u32::from(hello.segment));
        Self {
            number,
            hello,
            since: now,
            heard: now,
            ended: None,
            ends: match hello.answer {
                Answer::One => Ends::One(Box::new(Receiver::new(0, config))),
                Answer::Several => Ends::Several(Box::new(MultiReceiver::new(config))),
                Answer::Each(interval) => Ends::Each(Box::new(Reporting::new(interval))),
            },
            player: Player::new(player, hello.interval, now),
            late: Lateness::default(),
            last: None,
        }
    }

    fn is_of_tfrc(&self) -> bool {
        self.ended.is_none() && !matches!(self.ends, Ends::Each(_))
    }

    fn is_numbered(&self) -> bool {
        self.ended.is_none() && matches!(self.ends, Ends::Each(_))
    }

    fn feedback_is_due(&self, now: Instant) -> bool {
        let deadline = self.ends.deadline();
        self.ended.is_none() && deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Shows what a packet carries, which may need a key frame.
    fn show(&mut self, now: Instant, fragment: &Fragment, out: &mut dyn FnMut(&[u8])) {
        if self.player.on_fragment(now, fragment) {
            self.say(&Packet::KeyRequest, out);
        }
    }

    fn on_data(&mut self, now: Instant, waited: Duration, data: Data, out: &mut dyn FnMut(&[u8])) {
        let arrival = Arrival {
            data,
            bytes: u32::from(self.hello.segment),
            marked: false,
        };
        let feedback = match &mut self.ends {
            Ends::One(receiver) => receiver.on_data(now, &arrival),
            Ends::Several(receiver) => receiver.on_data(now, &arrival),
            Ends::Each(_) => None,
        };
        let feedback = feedback.map(|feedback| Feedback {
            t_delay: feedback.t_delay + waited,
            ..feedback
        });
        self.answer(feedback, out);
    }

    /// Sends feedback, but not the same again: it would be taken for a copy of the network. Two packets that left at once and
    /// arrived one behind the other can have the same.
    fn answer(&mut self, feedback: Option<Feedback>, out: &mut dyn FnMut(&[u8])) {
        if let Some(feedback) = feedback
            && self.last.replace(feedback) != Some(feedback)
        {
            self.say(&Packet::Feedback(feedback), out);
        }
    }

    fn say(&self, packet: &Packet, out: &mut dyn FnMut(&[u8])) {
        let mut bytes = Vec::new();
        packet.encode(self.number, &mut bytes);
        if !bytes.is_empty() {
            out(&bytes);
        }
    }
}

impl Ends {
    fn deadline(&self) -> Option<Instant> {
        match self {
            Self::One(receiver) => receiver.deadline(),
            Self::Several(receiver) => receiver.deadline(),
            Self::Each(reporting) => reporting.deadline(),
        }
    }
}
