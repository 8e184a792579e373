//! A media flow on the simulator: its sender, its receiver, and their counters.

mod contents;
mod receiver;
mod told;

use dumbbell_control::controller::Value;
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::source::Queue;
use dumbbell_scenario::Media;
use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::rate_controls::Scheme;
use dumbbell_sim::random::Random;
use dumbbell_sim::{Arrived, Ecn, EndpointId, Label, Port, Time};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Data, Output};
use dumbbell_tfrc::receiver::{Causes, Receiver};
use dumbbell_tfrc::sender::{self, Sender, State};
use dumbbell_tfrc::steered::Steered;

use super::frames::{self, Feed, Feeding, Made};
use super::tcp::{codepoint, label_of};
use super::wire::{MEDIA, Payload};
use crate::histogram::Histogram;
use crate::path::Transit;
use crate::probe::Bins;
use crate::time::{instant, moment};

pub(crate) use contents::{Content, Contents, take};
pub(crate) use receiver::MediaReceiver;

use contents::keep;
use receiver::ReceivingEnds;
use told::{Leaving, ToldReceiver, ToldSender};

/// After so many round-trip times, the next ones take no more memory.
const MANY_RTTS: u64 = 256;

/// The sending end.
pub(crate) struct MediaSender {
    ends: SendingEnds,
    /// The frames that it sends; `None` if it always has something to send.
    feed: Option<Box<Feed>>,
    wire: u16,
    /// The bytes of a packet that are not payload.
    overhead: u16,
    codepoint: Ecn,
    pub(crate) start: Time,
    started: bool,
    rtt_sum: u64,
    rtt_samples: u64,
    /// The longest round-trip time since the measurements began.
    pub(crate) rtt_max: Duration,
    pub(crate) rtts: Histogram,
}

/// One connection, as many as the path allows, one whose rate an added control sets, or one whose control is told the
/// fate of each packet.
enum SendingEnds {
    One(Box<Sender>),
    Several(Box<MultiSender>),
    Steered(Box<Steered>),
    Told(Box<ToldSender>),
}

/// Does the same with whatever sends by TFRC's packets; nothing else may be asked.
macro_rules! on_ends {
    ($ends:expr, $sender:ident => $then:expr) => {
        match $ends {
            SendingEnds::One($sender) => $then,
            SendingEnds::Several($sender) => $then,
            SendingEnds::Steered($sender) => $then,
            SendingEnds::Told(_) => unreachable!("it has been handled before"),
        }
    };
}

/// The quantities that determine a media flow's rate, for probes.
pub(crate) struct Report {
    /// Rates in bytes per second, summed over the connections.
    pub(crate) allowed: f64,
    pub(crate) received: f64,
    /// The state of the oldest connection.
    pub(crate) oldest: State,
    /// The number of connections, or the number that a single connection emulates; only if it can
    /// change.
    pub(crate) connections: Option<f64>,
}

impl Report {
    fn of(state: State) -> Self {
        Self {
            allowed: state.x,
            received: state.x_recv.unwrap_or_default(),
            oldest: state,
            connections: state.n,
        }
    }
}

/// Creates both ends of a flow that starts at `start`; its encoder draws from `random`. `wrap` may put something around a
/// rate control that is told the fate of each packet.
pub(crate) fn ends(
    media: &Media,
    chosen: Option<Ecn>,
    start: Time,
    transit: Transit,
    random: Random,
    (alarm, wrap): (
        &Alarm,
        &dyn Fn(super::control::Told) -> super::control::Told,
    ),
) -> (MediaSender, MediaReceiver) {
    let control = &media.control;
    let segment = media.segment.0 as u32;
    let (sending, receiving) = (control.sender(segment), control.receiver(segment));
    let (several, told) = (control.several(), control.told());
    let frames = media.frames.as_ref();
    let (feed, player) = frames
        .map(|frames| frames::ends(media, frames, instant(start), random))
        .unzip();
    let fed = feed.is_some();
    let sender = MediaSender {
        ends: match (control.scheme(), several, &told) {
            (_, _, Some(told)) => {
                SendingEnds::Told(Box::new(ToldSender::new(wrap(told.control()), segment)))
            }
            (Scheme::Custom(custom), _, None) => {
                let control = custom.build(segment, alarm);
                SendingEnds::Steered(Box::new(if fed {
                    Steered::offered(segment, control)
                } else {
                    Steered::new(segment, control)
                }))
            }
            (_, Some(parallel), None) => SendingEnds::Several(Box::new(if fed {
                MultiSender::offered(sending, parallel)
            } else {
                MultiSender::backlogged(sending, parallel)
            })),
            (_, None, None) => SendingEnds::One(Box::new(if fed {
                Sender::offered(sending)
            } else {
                Sender::backlogged(sending)
            })),
        },
        feed,
        wire: media.wire_bytes() as u16,
        overhead: media.overhead.0 as u16,
        codepoint: chosen.unwrap_or(codepoint(receiving.causes == Causes::Ecn)),
        start,
        started: false,
        rtt_sum: 0,
        rtt_samples: 0,
        rtt_max: Duration::ZERO,
        rtts: Histogram::default(),
    };
    let ends = if let Some(told) = &told {
        ReceivingEnds::Told(Box::new(ToldReceiver::new(told)))
    } else if several.is_some() {
        ReceivingEnds::Several(Box::new(MultiReceiver::new(receiving)))
    } else {
        ReceivingEnds::One(Box::new(Receiver::new(0, receiving)))
    };
    let receiver = MediaReceiver::new(ends, media, player, transit);
    (sender, receiver)
}

impl MediaSender {
    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
        bins: Option<&mut Bins>,
    ) {
        if let SendingEnds::Told(_) = self.ends {
            return self.on_told_timer(net, endpoint, contents);
        }
        let now = instant(net.now());
        let begins = !std::mem::replace(&mut self.started, true);
        if begins {
            let (ends, mut out) = self.parts(net, endpoint, contents);
            on_ends!(ends, sender => sender.start(now, &mut out));
        }
        if self.feed.is_some() {
            self.feed(now, net, endpoint, contents);
        } else if !begins {
            return self.go_on(net, endpoint, contents, bins);
        }
        net.set_timer(endpoint, self.deadline());
    }

    /// The timer of a sender whose rate control is told the fate of each packet.
    #[inline(never)]
    fn on_told_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let SendingEnds::Told(sender) = &mut self.ends else {
            return;
        };
        let now = instant(net.now());
        let mut way = Leaving {
            net: &mut *net,
            endpoint,
            overhead: self.overhead,
            codepoint: self.codepoint,
            contents,
        };
        sender.on_timer(now, self.feed.as_deref_mut(), |left| way.leave(left));
        net.set_timer(endpoint, self.deadline());
    }

    /// Makes the frames that are due, and sends the packets that are.
    fn feed(
        &mut self,
        now: Instant,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let allowed = self.report().allowed;
        let Some(due) = self.feed.as_mut().map(|feed| feed.on_timer(now, allowed)) else {
            return;
        };
        let (ends, mut out) = self.parts(net, endpoint, contents);
        let waiting = out.queue.as_ref().map_or(0, |queue| queue.len() as u64);
        on_ends!(ends, sender => {
            if due.discarded {
                sender.stop();
            }
            let added = if due.discarded { waiting } else { due.added };
            sender.offer(now, added, &mut out);
            sender.on_timer(now, &mut out);
        });
    }

    /// Sends what is due, if there is always something to send.
    fn go_on(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
        mut bins: Option<&mut Bins>,
    ) {
        let (ends, mut out) = self.parts(net, endpoint, contents);
        /// Handles the timer, and those that follow as long as the endpoint runs ahead.
        macro_rules! run {
            ($sender:ident) => {
                loop {
                    if let Some(bins) = &mut bins {
                        bins.pass(out.net.now(), || $sender.counters().sent);
                    }
                    $sender.on_timer(instant(out.net.now()), &mut out);
                    let next = $sender.deadline().map(moment);
                    if !out.net.run_ahead(next) {
                        break out.net.set_timer(endpoint, next);
                    }
                }
            };
        }
        on_ends!(ends, sender => run!(sender));
    }

    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        let feedback = match (take(contents, &packet.payload), &mut self.feed) {
            (Some(Content::Feedback(feedback)), _) => feedback,
            (Some(Content::KeyRequest), Some(feed)) => return feed.ask_for_key(),
            (Some(Content::Report(place)), _) => {
                return self.on_report(net, endpoint, place, contents);
            }
            _ => return,
        };
        let now = instant(net.now());
        let age = now.since(feedback.t_recvdata);
        self.add_rtt(age.saturating_sub(feedback.t_delay));
        let (ends, mut out) = self.parts(net, endpoint, contents);
        on_ends!(ends, sender => sender.on_feedback(now, &feedback, &mut out));
        net.set_timer(endpoint, self.deadline());
    }

    /// A report on packets whose fate the rate control is told.
    #[inline(never)]
    fn on_report(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        place: u32,
        contents: &mut Contents,
    ) {
        let report = contents.reports.try_remove(place as usize);
        let (Some(report), SendingEnds::Told(sender)) = (report, &mut self.ends) else {
            return;
        };
        let now = instant(net.now());
        let mut way = Leaving {
            net: &mut *net,
            endpoint,
            overhead: self.overhead,
            codepoint: self.codepoint,
            contents: &mut *contents,
        };
        let feed = self.feed.as_deref_mut();
        let rtt = sender.on_report(now, &report, feed, |left| way.leave(left));
        contents.spare(report);
        if let Some(rtt) = rtt {
            self.add_rtt(rtt);
        }
        net.set_timer(endpoint, self.deadline());
    }

    fn add_rtt(&mut self, rtt: Duration) {
        self.rtt_sum += rtt.as_nanos();
        self.rtt_samples += 1;
        self.rtt_max = self.rtt_max.max(rtt);
        self.rtts.add(rtt);
        if self.rtt_samples == MANY_RTTS {
            self.rtts.settle();
        }
    }

    pub(crate) fn counters(&self) -> sender::Counters {
        if let SendingEnds::Told(sender) = &self.ends {
            return sender.counters();
        }
        on_ends!(&self.ends, sender => sender.counters())
    }

    /// Reports the values behind the rate that a control knows which has a sender of its own.
    pub(crate) fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        match &self.ends {
            SendingEnds::Steered(sender) => sender.control().explain(out),
            SendingEnds::Told(sender) => sender.explain(out),
            SendingEnds::One(_) | SendingEnds::Several(_) => {}
        }
    }

    /// Whether it decides by itself what it sends until it hears from the other end.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.ends, SendingEnds::One(_) | SendingEnds::Several(_)) && self.feed.is_none()
    }

    /// The number and the sum, in nanoseconds, of the round-trip times so far.
    pub(crate) fn rtts_so_far(&self) -> (u64, u64) {
        (self.rtt_samples, self.rtt_sum)
    }

    /// Forgets the longest round-trip time, and those that count for the percentiles.
    pub(crate) fn restart(&mut self) {
        self.rtts = Histogram::default();
        self.rtt_max = Duration::ZERO;
    }

    pub(crate) fn report(&self) -> Report {
        match &self.ends {
            SendingEnds::One(sender) => Report::of(sender.state()),
            SendingEnds::Steered(sender) => Report::of(sender.state()),
            SendingEnds::Told(sender) => Report::of(sender.state()),
            SendingEnds::Several(sender) => {
                let sum = |part: fn(&State) -> f64| sender.states().map(|state| part(&state)).sum();
                Report {
                    allowed: sum(|state| state.x),
                    received: sum(|state| state.x_recv.unwrap_or_default()),
                    oldest: sender.states().next().unwrap_or_default(),
                    connections: Some(sender.states().len() as f64),
                }
            }
        }
    }

    /// The state of the frames' source, if there is one.
    pub(crate) fn feeding(&self) -> Option<Feeding> {
        self.feed.as_ref().map(|feed| feed.state())
    }

    /// The frames so far, if there are any.
    pub(crate) fn made(&self) -> Option<Made> {
        self.feed.as_ref().map(|feed| feed.made())
    }

    /// The rate control, and its way to the network.
    fn parts<'n, N>(
        &'n mut self,
        net: &'n mut N,
        endpoint: EndpointId,
        contents: &'n mut Contents,
    ) -> (&'n mut SendingEnds, Way<'n, N>) {
        let way = Way {
            net,
            endpoint,
            bytes: self.wire,
            overhead: self.overhead,
            label: Label {
                ecn: self.codepoint,
                ..label_of(endpoint)
            },
            contents,
            queue: self.feed.as_mut().map(|feed| &mut feed.queue),
        };
        (&mut self.ends, way)
    }

    fn deadline(&self) -> Option<Time> {
        if let SendingEnds::Told(sender) = &self.ends {
            return sender.deadline(self.feed.as_deref()).map(moment);
        }
        let deadline = on_ends!(&self.ends, sender => sender.deadline());
        let frame = self.feed.as_ref().map(|feed| feed.next());
        let next = match (deadline, frame) {
            (Some(deadline), Some(frame)) => Some(deadline.min(frame)),
            (one, other) => one.or(other),
        };
        next.map(moment)
    }
}

/// The sender's interface to the network.
struct Way<'n, N> {
    net: &'n mut N,
    endpoint: EndpointId,
    bytes: u16,
    overhead: u16,
    label: Label,
    contents: &'n mut Contents,
    /// The packets that wait, if there is not always one.
    queue: Option<&'n mut Queue>,
}

impl<N: Port<Payload>> Output for Way<'_, N> {
    // Inlined, so that the packet's header goes from registers to its place.
    #[inline(always)]
    fn transmit(&mut self, data: Data) {
        if self.queue.is_some() {
            cold_path();
            return self.transmit_fragment(data);
        }
        self.leave(Content::Data(data), self.bytes);
    }
}

impl<N: Port<Payload>> Way<'_, N> {
    /// Sends the next packet of those that wait.
    #[inline(never)]
    fn transmit_fragment(&mut self, data: Data) {
        let now = instant(self.net.now());
        let fragment = self.queue.as_mut().and_then(|queue| queue.pop(now));
        match fragment {
            Some(fragment) => {
                let bytes = fragment.bytes.saturating_add(self.overhead);
                self.leave(Content::Frame(data, fragment), bytes);
            }
            None => self.leave(Content::Data(data), self.bytes),
        }
    }

    #[inline(always)]
    fn leave(&mut self, content: Content, bytes: u16) {
        let payload = keep(self.contents, content, self.endpoint, self.net.now());
        self.net
            .send_labelled(self.endpoint, bytes, MEDIA, payload, self.label);
    }
}
