//! The receiving end of a media flow.

use std::collections::VecDeque;

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::Instant;
use dumbbell_media::player::Player;
use dumbbell_media::source::Fragment;
use dumbbell_scenario::Media;
use dumbbell_sim::{Arrived, Cause as Fate, EndpointId, Port, Time};
use dumbbell_tfrc::multfrc::MultiReceiver;
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Feedback};
use dumbbell_tfrc::receiver::{self, Receiver};

use super::contents::take_data;
use super::{Content, Contents, ToldReceiver, keep, take};
use crate::delays::Delays;
use crate::flow::tcp::label_of;
use crate::flow::wire::{ACK, Payload};
use crate::path::Transit;
use crate::time::{instant, moment};

/// The receiving end.
pub(crate) struct MediaReceiver {
    ends: ReceivingEnds,
    /// What shows the frames, if there are any.
    player: Option<Box<Player>>,
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

pub(super) enum ReceivingEnds {
    One(Box<Receiver>),
    Several(Box<MultiReceiver>),
    Told(Box<ToldReceiver>),
}

impl MediaReceiver {
    pub(super) fn new(
        ends: ReceivingEnds,
        media: &Media,
        player: Option<Box<Player>>,
        transit: Transit,
    ) -> Self {
        Self {
            ends,
            player,
            wire: media.feedback.0 as u16,
            segment: media.segment.0 as u32,
            asks: media.control.asks_for_causes(),
            causes: VecDeque::new(),
            bytes: 0,
            transit,
            queueing: Delays::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        contents: &mut Contents,
    ) {
        if let Some(data) = take_data(contents, &packet.payload) {
            self.on_data(net, endpoint, packet, data, None, contents);
        } else if let Some(other) = take(contents, &packet.payload) {
            cold_path();
            self.on_other(net, endpoint, packet, other, contents);
        }
    }

    /// Takes what flows have that carry frames, or whose rate control is told the fate of each packet.
    #[inline(never)]
    fn on_other(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        content: Content,
        contents: &mut Contents,
    ) {
        match content {
            Content::Frame(data, fragment) => {
                self.on_data(net, endpoint, packet, data, Some(&fragment), contents);
            }
            Content::Numbered(sequence, bytes) => {
                self.on_numbered(net, endpoint, packet, (sequence, bytes), None, contents);
            }
            Content::NumberedFrame(sequence, fragment) => {
                let known = (sequence, u32::from(fragment.bytes));
                self.on_numbered(net, endpoint, packet, known, Some(&fragment), contents);
            }
            Content::Data(_) | Content::Feedback(_) | Content::Report(_) | Content::KeyRequest => {}
        }
    }

    /// Takes a packet of a flow of the TFRC family.
    #[inline(always)]
    fn on_data(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        data: Data,
        fragment: Option<&Fragment>,
        contents: &mut Contents,
    ) {
        if !self.causes.is_empty() {
            cold_path();
            self.tell_causes(net, endpoint, contents);
        }
        let arrival = Arrival {
            data,
            bytes: self.segment,
            marked: packet.marked,
        };
        // A rate control of packets counts each as a full one (RFC 5348, section 4.1: the maximum segment size).
        let payload = fragment.map_or(self.segment, |fragment| u32::from(fragment.bytes));
        self.show(net, endpoint, packet, payload, fragment, contents);
        let now = instant(net.now());
        let feedback = match &mut self.ends {
            ReceivingEnds::One(receiver) => receiver.on_data(now, &arrival),
            ReceivingEnds::Several(receiver) => receiver.on_data(now, &arrival),
            ReceivingEnds::Told(_) => None,
        };
        if feedback.is_some() {
            cold_path();
            self.answer(net, endpoint, feedback, contents);
        }
        net.set_timer(endpoint, self.deadline().map(moment));
    }

    /// Counts a packet, and shows what it carries.
    #[inline(always)]
    fn show(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        payload: u32,
        fragment: Option<&Fragment>,
        contents: &mut Contents,
    ) {
        self.bytes += u64::from(payload);
        let age = packet.payload.age(net.now());
        self.queueing.add(age.saturating_sub(self.transit.packet));
        let now = instant(net.now());
        if let (Some(player), Some(fragment)) = (&mut self.player, fragment)
            && player.on_fragment(now, fragment)
        {
            self.send(net, endpoint, Content::KeyRequest, contents);
        }
    }

    /// Takes a packet whose fate the rate control is told: its number and its payload in bytes.
    fn on_numbered(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
        (sequence, bytes): (u64, u32),
        fragment: Option<&Fragment>,
        contents: &mut Contents,
    ) {
        self.show(net, endpoint, packet, bytes, fragment, contents);
        if let ReceivingEnds::Told(receiver) = &mut self.ends {
            receiver.on_data(instant(net.now()), sequence, bytes, packet.marked);
        }
        self.report(net, endpoint, contents);
        net.set_timer(endpoint, self.deadline().map(moment));
    }

    /// Sends the report on packets that is due, if one is.
    #[inline(never)]
    fn report(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        let now = instant(net.now());
        let ReceivingEnds::Told(receiver) = &mut self.ends else {
            return;
        };
        if receiver.deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        let mut report = contents.report();
        if let Some(bytes) = receiver.report(now, self.wire, &mut report) {
            let place = contents.reports.insert(report) as u32;
            let payload = keep(contents, Content::Report(place), endpoint, net.now());
            net.send_labelled(endpoint, bytes, ACK, payload, label_of(endpoint));
        }
    }

    pub(crate) fn on_timer(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        contents: &mut Contents,
    ) {
        if matches!(self.ends, ReceivingEnds::Told(_)) {
            self.report(net, endpoint, contents);
            return net.set_timer(endpoint, self.deadline().map(moment));
        }
        self.tell_causes(net, endpoint, contents);
        let now = instant(net.now());
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let feedback = match &mut self.ends {
                ReceivingEnds::One(receiver) => receiver.on_deadline(now),
                ReceivingEnds::Several(receiver) => receiver.on_deadline(now),
                ReceivingEnds::Told(_) => None,
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

    /// What shows the frames, if there are any.
    pub(crate) fn player(&self) -> Option<&Player> {
        self.player.as_deref()
    }

    /// Payload that arrived, without duplicates, in bytes.
    pub(crate) fn delivered(&self) -> u64 {
        match &self.player {
            Some(player) => player.payload(),
            None => self.counters().bytes,
        }
    }

    pub(crate) fn counters(&self) -> receiver::Counters {
        match &self.ends {
            ReceivingEnds::One(receiver) => receiver.counters(),
            ReceivingEnds::Several(receiver) => receiver.counters(),
            ReceivingEnds::Told(receiver) => receiver.counters(),
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
                ReceivingEnds::Told(_) => None,
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
            self.send(net, endpoint, Content::Feedback(feedback), contents);
        }
    }

    fn send(
        &self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        content: Content,
        contents: &mut Contents,
    ) {
        let payload = keep(contents, content, endpoint, net.now());
        net.send_labelled(endpoint, self.wire, ACK, payload, label_of(endpoint));
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.ends {
            ReceivingEnds::One(receiver) => receiver.deadline(),
            ReceivingEnds::Several(receiver) => receiver.deadline(),
            ReceivingEnds::Told(receiver) => receiver.deadline(),
        }
    }
}
