//! The sending end of each kind of rate control.

use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::feedback::Feedback as Report;
use dumbbell_media::sender::{Numbered, Sender as Told};
use dumbbell_media::source::{Fragment, Uniform};
use dumbbell_tfrc::multfrc::MultiSender;
use dumbbell_tfrc::packet::{Data, Feedback, Output};
use dumbbell_tfrc::sender::{Counters, Sender, State};

use super::{RateControl, Source};
use crate::packet::Packet;

/// What sends.
pub(super) enum Ends {
    One(Box<Sender>),
    Several(Box<MultiSender>),
    Told(Box<Told>),
}

/// The figures of a rate control.
pub(super) struct Figures {
    pub(super) sent: u64,
    /// The allowed rate in bit/s.
    pub(super) allowed: f64,
    /// The round-trip time in seconds.
    pub(super) rtt: Option<f64>,
    pub(super) loss_event_rate: Option<f64>,
    /// Reports that changed nothing.
    pub(super) ignored: u64,
    pub(super) expiries: u64,
}

/// The packets of a call, as bytes.
pub(super) struct Way<'o, R> {
    pub(super) now: Instant,
    pub(super) session: u64,
    pub(super) source: &'o mut Source<R>,
    pub(super) bytes: &'o mut Vec<u8>,
    pub(super) out: &'o mut dyn FnMut(&[u8]),
}

impl<R: Uniform> Output for Way<'_, R> {
    fn transmit(&mut self, data: Data) {
        if let Some(fragment) = self.source.queue.pop(self.now) {
            Packet::Frame(data, fragment).encode(self.session, self.bytes);
            (self.out)(self.bytes);
        }
    }
}

impl<R: Uniform> Way<'_, R> {
    /// Calls a control that is told the fate of each packet, and sends what leaves.
    fn tell(
        &mut self,
        call: impl FnOnce(&mut Source<R>, &mut dyn FnMut(Numbered<Option<Fragment>>)),
    ) {
        let (session, bytes, out) = (self.session, &mut *self.bytes, &mut *self.out);
        call(self.source, &mut |left| {
            let number = left.sequence as u16;
            let packet = match left.packet {
                Some(fragment) => Packet::Numbered(number, fragment),
                None => Packet::Padding(number, left.bytes as u16),
            };
            packet.encode(session, bytes);
            out(bytes);
        });
    }
}

/// Does the same with whichever sender of TFRC's it is.
macro_rules! on_tfrc {
    ($ends:expr, $sender:ident => $then:expr, $told:ident => $else:expr) => {
        match $ends {
            Ends::One($sender) => $then,
            Ends::Several($sender) => $then,
            Ends::Told($told) => $else,
        }
    };
}

impl Ends {
    pub(super) fn new(control: RateControl) -> Self {
        match control {
            RateControl::One(config) => Self::One(Box::new(Sender::offered(config))),
            RateControl::Several(config, parallel) => {
                Self::Several(Box::new(MultiSender::offered(config, parallel)))
            }
            RateControl::Told(control, _) => Self::Told(Box::new(Told::new(control))),
        }
    }

    pub(super) fn deadline<R: Uniform>(&self, source: &Source<R>) -> Option<Instant> {
        let control = on_tfrc!(self, sender => sender.deadline(), told => told.deadline(source));
        let frame = source.encoder.next();
        Some(control.map_or(frame, |control| control.min(frame)))
    }

    pub(super) fn start<R: Uniform>(&mut self, way: &mut Way<'_, R>) {
        let now = way.now;
        way.source.start(now);
        on_tfrc!(self, sender => sender.start(now, way), _told => ());
        self.on_timer(way);
    }

    /// Makes the frames that are due, and sends the packets that are.
    pub(super) fn on_timer<R: Uniform>(&mut self, way: &mut Way<'_, R>) {
        let now = way.now;
        let allowed = self.allowed();
        on_tfrc!(self, sender => {
            let due = way.source.on_timer(now, allowed / 8.0);
            if due.discarded {
                sender.stop();
            }
            let waiting = way.source.queue.len() as u64;
            let added = if due.discarded { waiting } else { due.added };
            sender.offer_late(now, due.since, added, way);
            sender.on_timer(now, way);
        }, told => way.tell(|source, out| told.on_timer(now, source, out)));
    }

    /// Handles TFRC's feedback; returns whether it is of use here.
    pub(super) fn on_feedback<R: Uniform>(
        &mut self,
        feedback: &Feedback,
        way: &mut Way<'_, R>,
    ) -> bool {
        let now = way.now;
        on_tfrc!(self, sender => {
            sender.on_feedback(now, feedback, way);
            true
        }, _told => false)
    }

    /// Handles a report on packets; returns whether it is of use here.
    pub(super) fn on_report<R: Uniform>(&mut self, report: &Report, way: &mut Way<'_, R>) -> bool {
        let Self::Told(told) = self else {
            return false;
        };
        let now = way.now;
        way.tell(|source, out| told.on_feedback(now, report, source, out));
        true
    }

    /// The allowed rate of all connections in bit/s.
    pub(super) fn allowed(&self) -> f64 {
        match self {
            Self::One(sender) => 8.0 * sender.state().x,
            Self::Several(sender) => 8.0 * sender.states().map(|state| state.x).sum::<f64>(),
            Self::Told(told) => told.target_rate(),
        }
    }

    pub(super) fn figures(&self) -> Figures {
        let (counters, state) = match self {
            Self::One(sender) => (sender.counters(), sender.state()),
            // The oldest connection stands for all.
            Self::Several(sender) => (
                sender.counters(),
                sender.states().next().unwrap_or_default(),
            ),
            Self::Told(told) => return self::figures(told),
        };
        let Counters {
            sent,
            ignored,
            expiries,
            ..
        } = counters;
        let State { rtt, p, .. } = state;
        Figures {
            sent,
            allowed: self.allowed(),
            rtt,
            loss_event_rate: Some(p),
            ignored,
            expiries,
        }
    }

    /// The values behind the rate of a control that is told the fate of each packet.
    pub(super) fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        if let Self::Told(told) = self {
            out("in_flight", Value::Number(told.in_flight() as f64));
            told.control().explain(out);
        }
    }
}

fn figures(told: &Told) -> Figures {
    let checks = told.checks();
    Figures {
        sent: told.sent(),
        allowed: told.target_rate(),
        rtt: told.rtt().map(Duration::as_secs_f64),
        loss_event_rate: None,
        ignored: checks.repeated + checks.impossible + checks.absurd,
        expiries: 0,
    }
}
