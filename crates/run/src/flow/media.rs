//! A media flow on the simulator: its sender, its receiver, and their counters.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_quic::connection::AckFrame;
use dumbbell_scenario::Media;
use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::rate_controls::Scheme;
use dumbbell_sim::{Arrived, Cause as Fate, Ecn, EndpointId, Label, Port, Time};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Feedback, Output};
use dumbbell_tfrc::receiver::{self, Causes, Receiver};
use dumbbell_tfrc::sender::{self, Sender, State};
use dumbbell_tfrc::steered::{RateControl, Steered};
use slab::Slab;

use super::tcp::{codepoint, label_of};
use super::wire::{ACK, MEDIA, Payload};
use crate::delays::Delays;
use crate::histogram::Histogram;
use crate::path::Transit;
use crate::time::{instant, moment};

/// The contents of packets in flight, which do not fit into the packets themselves.
#[derive(Default)]
pub(crate) struct Contents {
    /// Those of media flows.
    pub(crate) media: Slab<Content>,
    /// The acknowledgements of QUIC connections.
    pub(crate) frames: Slab<AckFrame>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Data(Data),
    Feedback(Feedback),
}

/// After so many round-trip times, the next ones take no more memory.
const MANY_RTTS: u64 = 256;

/// The sending end.
pub(crate) struct MediaSender {
    ends: SendingEnds,
    wire: u16,
    codepoint: Ecn,
    pub(crate) start: Time,
    started: bool,
    rtt_sum: u64,
    rtt_samples: u64,
    /// The longest round-trip time since the measurements began.
    pub(crate) rtt_max: Duration,
    pub(crate) rtts: Histogram,
}

/// One connection, as many as the path allows, or one whose rate an added control sets.
enum SendingEnds {
    One(Box<Sender>),
    Several(Box<MultiSender>),
    Steered(Box<Steered>),
}

/// The receiving end.
pub(crate) struct MediaReceiver {
    ends: ReceivingEnds,
    wire: u16,
    segment: u32,
    /// Whether the receiver uses the causes of losses.
    asks: bool,
    /// Packets that will not arrive, in the order in which they are lost. The receiver is told at its first
    /// event after the loss: the network knows of losses before they happen, and how long before depends on the
    /// run's end.
    causes: VecDeque<Missing>,
    /// Payload bytes that arrived, without headers and duplicates.
    pub(crate) bytes: u64,
    transit: Transit,
    /// How long packets waited in queues.
    pub(crate) queueing: Delays,
}

/// A packet that will not arrive.
#[derive(Clone, Copy, Debug)]
struct Missing {
    at: Time,
    connection: u32,
    seq: u64,
    cause: Cause,
}

enum ReceivingEnds {
    One(Box<Receiver>),
    Several(Box<MultiReceiver>),
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

/// Creates both ends of a flow that starts at `start`.
pub(crate) fn ends(
    media: &Media,
    chosen: Option<Ecn>,
    start: Time,
    transit: Transit,
    alarm: &Alarm,
) -> (MediaSender, MediaReceiver) {
    let control = &media.control;
    let segment = media.segment.0 as u32;
    let (sending, receiving) = (control.sender(segment), control.receiver(segment));
    let several = control.several();
    let sender = MediaSender {
        ends: match (control.scheme(), several) {
            (Scheme::Custom(custom), _) => {
                let control = custom.build(segment, alarm);
                SendingEnds::Steered(Box::new(Steered::new(segment, control)))
            }
            (_, Some(parallel)) => {
                SendingEnds::Several(Box::new(MultiSender::backlogged(sending, parallel)))
            }
            (_, None) => SendingEnds::One(Box::new(Sender::backlogged(sending))),
        },
        wire: media.wire_bytes() as u16,
        codepoint: chosen.unwrap_or(codepoint(receiving.causes == Causes::Ecn)),
        start,
        started: false,
        rtt_sum: 0,
        rtt_samples: 0,
        rtt_max: Duration::ZERO,
        rtts: Histogram::default(),
    };
    let receiver = MediaReceiver {
        ends: if several.is_some() {
            ReceivingEnds::Several(Box::new(MultiReceiver::new(receiving)))
        } else {
            ReceivingEnds::One(Box::new(Receiver::new(0, receiving)))
        },
        wire: media.feedback.0 as u16,
        segment,
        asks: control.asks_for_causes(),
        causes: VecDeque::new(),
        bytes: 0,
        transit,
        queueing: Delays::default(),
    };
    (sender, receiver)
}

impl MediaSender {
    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let now = instant(net.now());
        let begins = !std::mem::replace(&mut self.started, true);
        let mut out = self.way(net, endpoint, contents);
        if begins {
            match &mut self.ends {
                SendingEnds::One(sender) => sender.start(now, &mut out),
                SendingEnds::Several(sender) => sender.start(now, &mut out),
                SendingEnds::Steered(sender) => sender.start(now, &mut out),
            }
            net.set_timer(endpoint, self.deadline());
            return;
        }
        /// Handles the timer, and those that follow as long as the endpoint runs ahead.
        macro_rules! run {
            ($sender:ident) => {
                loop {
                    $sender.on_timer(instant(out.net.now()), &mut out);
                    let next = $sender.deadline().map(moment);
                    if !out.net.run_ahead(next) {
                        break out.net.set_timer(endpoint, next);
                    }
                }
            };
        }
        match &mut self.ends {
            SendingEnds::One(sender) => run!(sender),
            SendingEnds::Several(sender) => run!(sender),
            SendingEnds::Steered(sender) => run!(sender),
        }
    }

    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        let Some(Content::Feedback(feedback)) = take(contents, &packet.payload) else {
            return;
        };
        let now = instant(net.now());
        let age = now.since(feedback.t_recvdata);
        let rtt = age.saturating_sub(feedback.t_delay);
        self.rtt_sum += rtt.as_nanos();
        self.rtt_samples += 1;
        self.rtt_max = self.rtt_max.max(rtt);
        self.rtts.add(rtt);
        if self.rtt_samples == MANY_RTTS {
            self.rtts.settle();
        }
        let mut out = self.way(net, endpoint, contents);
        match &mut self.ends {
            SendingEnds::One(sender) => sender.on_feedback(now, &feedback, &mut out),
            SendingEnds::Several(sender) => sender.on_feedback(now, &feedback, &mut out),
            SendingEnds::Steered(sender) => sender.on_feedback(now, &feedback, &mut out),
        }
        net.set_timer(endpoint, self.deadline());
    }

    pub(crate) fn counters(&self) -> sender::Counters {
        match &self.ends {
            SendingEnds::One(sender) => sender.counters(),
            SendingEnds::Several(sender) => sender.counters(),
            SendingEnds::Steered(sender) => sender.counters(),
        }
    }

    /// The control that a program added, if it has one.
    pub(crate) fn steering(&self) -> Option<&dyn RateControl> {
        match &self.ends {
            SendingEnds::Steered(sender) => Some(sender.control()),
            SendingEnds::One(_) | SendingEnds::Several(_) => None,
        }
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

    fn way<'n, N>(
        &self,
        net: &'n mut N,
        endpoint: EndpointId,
        contents: &'n mut Contents,
    ) -> Way<'n, N> {
        Way {
            net,
            endpoint,
            bytes: self.wire,
            label: Label {
                ecn: self.codepoint,
                ..label_of(endpoint)
            },
            contents,
        }
    }

    fn deadline(&self) -> Option<Time> {
        let deadline = match &self.ends {
            SendingEnds::One(sender) => sender.deadline(),
            SendingEnds::Several(sender) => sender.deadline(),
            SendingEnds::Steered(sender) => sender.deadline(),
        };
        deadline.map(moment)
    }
}

impl MediaReceiver {
    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        let Some(Content::Data(data)) = take(contents, &packet.payload) else {
            return;
        };
        if !self.causes.is_empty() {
            self.tell_causes(net, endpoint, contents);
        }
        let arrival = Arrival {
            data,
            bytes: self.segment,
            marked: packet.marked,
        };
        self.bytes += u64::from(self.segment);
        let age = packet.payload.age(net.now());
        self.queueing.add(age.saturating_sub(self.transit.packet));
        let now = instant(net.now());
        let feedback = match &mut self.ends {
            ReceivingEnds::One(receiver) => receiver.on_data(now, &arrival),
            ReceivingEnds::Several(receiver) => receiver.on_data(now, &arrival),
        };
        if feedback.is_some() {
            self.answer(net, endpoint, feedback, contents);
        }
        net.set_timer(endpoint, self.deadline().map(moment));
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        self.tell_causes(net, endpoint, contents);
        let now = instant(net.now());
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let feedback = match &mut self.ends {
                ReceivingEnds::One(receiver) => receiver.on_deadline(now),
                ReceivingEnds::Several(receiver) => receiver.on_deadline(now),
            };
            self.answer(net, endpoint, feedback, contents);
        }
        net.set_timer(endpoint, self.deadline().map(moment));
    }

    /// Called when it is certain that a packet of this flow will not arrive, since it is lost at `at`.
    pub(crate) fn on_discard(&mut self, data: &Data, fate: Fate, at: Time) {
        let cause = match fate {
            Fate::Lost => Cause::Link,
            Fate::Dropped | Fate::Filtered => Cause::Queue,
        };
        if self.asks {
            let place = self.causes.partition_point(|earlier| earlier.at <= at);
            self.causes.insert(
                place,
                Missing {
                    at,
                    connection: data.connection,
                    seq: data.seq,
                    cause,
                },
            );
        }
    }

    pub(crate) fn counters(&self) -> receiver::Counters {
        match &self.ends {
            ReceivingEnds::One(receiver) => receiver.counters(),
            ReceivingEnds::Several(receiver) => receiver.counters(),
        }
    }

    #[cold]
    fn tell_causes(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let now = instant(net.now());
        while let Some(&missing) = self.causes.front()
            && missing.at <= net.now()
        {
            self.causes.pop_front();
            let Missing {
                connection,
                seq,
                cause,
                ..
            } = missing;
            let feedback = match &mut self.ends {
                ReceivingEnds::One(receiver) => receiver.on_cause(now, seq, cause),
                ReceivingEnds::Several(receiver) => receiver.on_cause(now, connection, seq, cause),
            };
            self.answer(net, endpoint, feedback, contents);
        }
    }

    fn answer(
        &self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        feedback: Option<Feedback>,
        contents: &mut Contents,
    ) {
        if let Some(feedback) = feedback {
            let content = Content::Feedback(feedback);
            let payload = keep(contents, content, endpoint, net.now());
            net.send_labelled(endpoint, self.wire, ACK, payload, label_of(endpoint));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.ends {
            ReceivingEnds::One(receiver) => receiver.deadline(),
            ReceivingEnds::Several(receiver) => receiver.deadline(),
        }
    }
}

/// The sender's interface to the network.
struct Way<'n, N> {
    net: &'n mut N,
    endpoint: EndpointId,
    bytes: u16,
    label: Label,
    contents: &'n mut Contents,
}

impl<N: Port<Payload>> Output for Way<'_, N> {
    fn transmit(&mut self, data: Data) {
        let content = Content::Data(data);
        let payload = keep(self.contents, content, self.endpoint, self.net.now());
        self.net
            .send_labelled(self.endpoint, self.bytes, MEDIA, payload, self.label);
    }
}

/// Creates the payload of a packet whose content is stored until the packet arrives or is lost.
fn keep(contents: &mut Contents, content: Content, endpoint: EndpointId, now: Time) -> Payload {
    // The simulator counts packets in flight in 32 bits, so the position fits.
    Payload::kept(
        contents.media.insert(content) as u32,
        (endpoint.index() / 2) as u32,
        now,
    )
}

/// Removes and returns the content of a packet that is no longer in flight.
pub(crate) fn take(contents: &mut Contents, payload: &Payload) -> Option<Content> {
    let (place, _) = payload.place()?;
    contents.media.try_remove(place as usize)
}
