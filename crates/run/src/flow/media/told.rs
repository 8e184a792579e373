//! The two ends of a media flow whose rate control is told the fate of each packet.

use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::control::{Control, Ecn};
use dumbbell_media::feedback::{Feedback, Receiver};
use dumbbell_media::sender::{Backlog, Numbered, Sender};
use dumbbell_media::source::Fragment;
use dumbbell_scenario::rate_controls::Told;
use dumbbell_tfrc::receiver::Counters;
use dumbbell_tfrc::sender;

use dumbbell_sim::{Ecn as Codepoint, EndpointId, Label, Port};

use super::{Content, Contents, keep};
use crate::flow::frames::Feed;
use crate::flow::tcp::label_of;
use crate::flow::wire::{MEDIA, Payload};

/// The bytes of a report that are not the report itself: headers of IPv4 and UDP.
const REPORT_OVERHEAD: usize = 28;

/// The sending end.
pub(crate) struct ToldSender {
    sender: Sender,
    backlog: Backlog,
}

/// What a packet carries: a part of a frame, if the flow has frames.
pub(super) type Left = Numbered<Option<Fragment>>;

impl ToldSender {
    pub(super) fn new(control: Box<dyn Control + Send>, segment: u32) -> Self {
        Self {
            sender: Sender::new(control),
            backlog: Backlog::new(segment),
        }
    }

    /// Sends what may leave.
    pub(super) fn on_timer(
        &mut self,
        now: Instant,
        feed: Option<&mut Feed>,
        mut out: impl FnMut(Left),
    ) {
        match feed {
            Some(feed) => self.sender.on_timer(now, feed, out),
            None => {
                let out = |left: Numbered<()>| out(none(left));
                self.sender.on_timer(now, &mut self.backlog, out);
            }
        }
    }

    /// Takes a report; returns the round-trip time if it has one.
    pub(super) fn on_report(
        &mut self,
        now: Instant,
        report: &Feedback,
        feed: Option<&mut Feed>,
        mut out: impl FnMut(Left),
    ) -> Option<Duration> {
        let before = self.sender.checks().reports;
        match feed {
            Some(feed) => self.sender.on_feedback(now, report, feed, out),
            None => {
                let out = |left: Numbered<()>| out(none(left));
                self.sender.on_feedback(now, report, &mut self.backlog, out);
            }
        }
        let used = self.sender.checks().reports > before;
        self.sender.rtt().filter(|_| used)
    }

    pub(super) fn deadline(&self, feed: Option<&Feed>) -> Option<Instant> {
        match feed {
            Some(feed) => self.sender.deadline(feed),
            None => self.sender.deadline(&self.backlog),
        }
    }

    pub(super) fn counters(&self) -> sender::Counters {
        let checks = self.sender.checks();
        sender::Counters {
            sent: self.sender.sent(),
            feedback: checks.reports,
            ignored: checks.repeated + checks.impossible + checks.absurd,
            expiries: 0,
        }
    }

    /// The state that a rate control of TFRC's would have, as far as it is known.
    pub(super) fn state(&self) -> sender::State {
        let rate = self.sender.target_rate() / 8.0;
        sender::State {
            x: rate,
            x_inst: rate,
            rtt_sample: self.sender.rtt().map(Duration::as_secs_f64),
            ..sender::State::default()
        }
    }

    pub(crate) fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("in_flight", Value::Number(self.sender.in_flight() as f64));
        self.sender.control().explain(out);
    }
}

fn none(left: Numbered<()>) -> Left {
    Numbered {
        sequence: left.sequence,
        bytes: left.bytes,
        packet: None,
    }
}

/// The receiving end.
pub(crate) struct ToldReceiver {
    receiver: Receiver,
    counters: Counters,
    /// The number after the highest one so far.
    end: u64,
}

impl ToldReceiver {
    pub(super) fn new(told: &Told) -> Self {
        Self {
            receiver: Receiver::new(told.interval()),
            counters: Counters::default(),
            end: 0,
        }
    }

    /// Notes a packet.
    pub(super) fn on_data(&mut self, now: Instant, sequence: u64, bytes: u32, marked: bool) {
        let ecn = if marked { Ecn::Ce } else { Ecn::NotEct };
        let new = self.receiver.on_packet(now, sequence as u16, bytes, ecn);
        let counters = &mut self.counters;
        counters.marked += u64::from(marked);
        if new.is_none() {
            counters.duplicates += 1;
            return;
        }
        counters.received += 1;
        counters.bytes += u64::from(bytes);
        if sequence < self.end {
            counters.late += 1;
            return;
        }
        // Losses one after the other are one event.
        let missing = sequence - self.end;
        counters.lost += missing;
        counters.loss_events += u64::from(missing > 0);
        self.end = sequence + 1;
    }

    /// Makes a report if one is due; returns its size on the wire in bytes, at least `least`.
    pub(super) fn report(&mut self, now: Instant, least: u16, out: &mut Feedback) -> Option<u16> {
        self.receiver.report(now, out).then(|| {
            self.counters.feedback += 1;
            least.max((REPORT_OVERHEAD + out.bytes()) as u16)
        })
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.receiver.deadline()
    }

    pub(super) fn counters(&self) -> Counters {
        self.counters
    }
}

/// The way to the network of packets whose fate the rate control is told.
pub(super) struct Leaving<'n, N> {
    pub(super) net: &'n mut N,
    pub(super) endpoint: EndpointId,
    pub(super) overhead: u16,
    pub(super) codepoint: Codepoint,
    pub(super) contents: &'n mut Contents,
}

impl<N: Port<Payload>> Leaving<'_, N> {
    pub(super) fn leave(&mut self, left: Left) {
        let content = match left.packet {
            Some(fragment) => Content::NumberedFrame(left.sequence, fragment),
            None => Content::Numbered(left.sequence, left.bytes),
        };
        let bytes = (left.bytes as u16).saturating_add(self.overhead);
        let label = Label {
            ecn: self.codepoint,
            ..label_of(self.endpoint)
        };
        let payload = keep(self.contents, content, self.endpoint, self.net.now());
        self.net
            .send_labelled(self.endpoint, bytes, MEDIA, payload, label);
    }
}
