//! The hosts of a run with traces. Everything that their senders send and receive passes through a
//! tap.

mod before;
mod tap;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use dumbbell_sim::{Arrived, EndpointId, Gone, Host, Port, Time};
use dumbbell_tcp::config::Stamping;
use dumbbell_tcp::segment::{Echo, MAX_SACK_BLOCKS, SackBlock};
use dumbbell_tcp::sender::Sender;

use super::event::{Event, Heard, Opening, Stamps, State};
use super::tape::Tape;
use crate::flow::wire::{Payload, Stamp};
use crate::flow::{Control, FlowSender};
use crate::hosts::Hosts;
use crate::interrupt::Interrupt;
use crate::stage::Stage;

use before::{Before, state_of};
use tap::{Mark, Marked, Tap, Watch};

/// The hosts, and the tape that records them.
pub(crate) struct Tapped<'r> {
    hosts: Hosts,
    tape: Tape<'r>,
    interrupted: Interrupt<'r>,
    /// The watches by the positions of the flows; `None` for a flow that is not traced.
    watches: Vec<Option<Watch>>,
    /// The packets that left the sender during the current callback.
    departures: Vec<Event<'static>>,
    /// The time of the last callback of a flow.
    clock: Time,
    /// The packets sent so far, by whomever.
    sent: u32,
}

impl<'r> Tapped<'r> {
    /// Creates hosts with a tape. A trace that cannot be written interrupts the run.
    pub(crate) fn new(tape: Tape<'r>, interrupted: Interrupt<'r>) -> Self {
        Self {
            hosts: Hosts::default(),
            tape,
            interrupted,
            watches: Vec::new(),
            departures: Vec::new(),
            clock: Time::ZERO,
            sent: 0,
        }
    }

    /// The tape.
    pub(crate) fn tape(&mut self) -> &mut Tape<'r> {
        &mut self.tape
    }

    fn tap<'n, N>(&'n mut self, net: &'n mut N) -> (&'n mut Hosts, Tap<'n, N>) {
        let tap = Tap {
            net,
            watches: &mut self.watches,
            departures: &mut self.departures,
            sent: &mut self.sent,
        };
        (&mut self.hosts, tap)
    }

    /// The TCP sender of a flow, if it is traced.
    fn traced(&self, flow: usize) -> Option<(&Sender<Control>, &Watch)> {
        let watch = self.watches.get(flow)?.as_ref()?;
        match &self.hosts.senders[flow] {
            FlowSender::Tcp(sender) => Some((sender.tcp(), watch)),
            FlowSender::Udp(_)
            | FlowSender::Media(_)
            | FlowSender::Quic(_)
            | FlowSender::Workload(_) => None,
        }
    }

    /// Records what a callback did: the event that triggered it, the changes of the sender, and the
    /// packets that left.
    fn tell(&mut self, flow: usize, cause: Option<Event<'_>>, before: Option<&Before>) {
        let mut happened = [None; 4];
        let mut state = None;
        if let (Some(before), Some((sender, _))) = (before, self.traced(flow)) {
            happened = before.since(sender);
            state = Some(state_of(sender));
        }
        let departures = std::mem::take(&mut self.departures);
        let events = cause.iter().chain(happened.iter().flatten());
        for event in events.chain(&departures) {
            self.record(flow, event, state.as_ref());
        }
        self.departures = departures;
        self.departures.clear();
    }

    /// Reports the lost packets that precede a packet that arrives.
    fn tell_lost(&mut self, flow: usize, arrived: Mark) {
        let Some(Some(watch)) = self.watches.get_mut(flow) else {
            return;
        };
        match arrived {
            Mark::Transmission(number) => {
                for (packet, seq) in before(&mut watch.lost, number) {
                    self.record(flow, &Event::Lost { packet, seq }, None);
                }
            }
            Mark::Ack(number) => {
                for (_, ack) in before(&mut watch.acks_lost, number) {
                    self.record(flow, &Event::AckLost { ack }, None);
                }
            }
            Mark::Unseen => {}
        }
    }

    fn record(&mut self, flow: usize, event: &Event<'_>, state: Option<&State>) {
        if !self.tape.record(self.clock.as_nanos(), flow, event, state) {
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }

    /// Handles a packet that arrives at a sender.
    fn arrival(
        &mut self,
        net: &mut impl Port<Marked>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let flow = endpoint.index() / 2;
        let Some((sender, watch)) = self.traced(flow) else {
            // Feedback to a media flow may make it send.
            self.pass(net, endpoint, packet);
            return self.tell(flow, None, None);
        };
        let before = Before::of(sender);
        let mut board = [SackBlock::default(); MAX_SACK_BLOCKS];
        let mut count = 0;
        let mut aqt = None;
        let mut marks = None;
        let mut arrival = if packet.payload.is_opening() {
            Event::SynAck(Opening {
                bytes: packet.bytes,
                stamps: watch.tick.map(|_| Stamps {
                    value: watch.answered,
                    echo: watch.opened,
                }),
            })
        } else {
            // Traces show no others.
            let stamp = match watch.tick {
                Some(_) => Stamp::Clocks,
                None => Stamp::Received,
            };
            let (ack, echo) = packet.payload.as_ack(before.una, stamp);
            if let Some(place) = packet.payload.board() {
                let kept = self.hosts.boards.at(place);
                count = kept.blocks().len();
                board[..count].copy_from_slice(kept.blocks());
                aqt = kept.aqt(packet.queueing);
                marks = kept.marks();
            }
            Event::Heard(Heard {
                ack,
                blocks: &board[..count],
                bytes: packet.bytes,
                stamps: match echo {
                    Echo::Timestamps { value, echo } => Some(Stamps { value, echo }),
                    Echo::Exact { .. } | Echo::Sent { .. } => None,
                },
                ece: packet.payload.ece(),
                marks,
                marked: packet.marked,
                aqt,
                news: before.news(ack),
                rtt: None,
            })
        };
        let stamps = match &arrival {
            Event::SynAck(opening) => opening.stamps,
            Event::Heard(heard) => heard.stamps,
            _ => None,
        };
        if let (Some(stamps), Some(watch)) = (stamps, &mut self.watches[flow]) {
            watch.echo = stamps.value;
        }
        self.pass(net, endpoint, packet);
        if let (Event::Heard(heard), Some((sender, _))) = (&mut arrival, self.traced(flow)) {
            heard.rtt = (sender.rtt_samples() != before.rtt_samples).then(|| sender.last_rtt());
        }
        self.tell(flow, Some(arrival), Some(&before));
    }

    /// Handles a packet that arrives at a receiver. It may make the sender of a relay send.
    fn delivery(
        &mut self,
        net: &mut impl Port<Marked>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let relay = self.hosts.receivers[endpoint.index() / 2].relay();
        let before = relay
            .and_then(|relay| self.traced(relay))
            .map(|(sender, _)| Before::of(sender));
        self.pass(net, endpoint, packet);
        if let Some(relay) = relay {
            self.tell(relay, None, before.as_ref());
        }
    }

    fn pass(
        &mut self,
        net: &mut impl Port<Marked>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        let (hosts, mut tap) = self.tap(net);
        hosts.on_packet(&mut tap, endpoint, packet);
    }
}

impl Stage for Tapped<'_> {
    fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    fn hosts_mut(&mut self) -> &mut Hosts {
        &mut self.hosts
    }

    fn begin(&mut self) {
        self.watches = vec![None; self.hosts.senders.len()];
        for flow in self.tape.flows() {
            let tick = match &self.hosts.senders[flow] {
                FlowSender::Tcp(sender) => match sender.tcp().stamping() {
                    Stamping::Option { granularity } => Some(granularity.as_nanos().max(1)),
                    Stamping::Exact => None,
                },
                FlowSender::Udp(_)
                | FlowSender::Media(_)
                | FlowSender::Quic(_)
                | FlowSender::Workload(_) => None,
            };
            let opaque = matches!(self.hosts.senders[flow], FlowSender::Quic(_));
            self.watches[flow] = Some(Watch {
                tick,
                opaque,
                ..Watch::default()
            });
        }
    }
}

impl Host for Tapped<'_> {
    type Payload = Marked;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Marked>,
        endpoint: EndpointId,
        packet: Arrived<Marked>,
    ) {
        self.clock = net.now();
        self.tell_lost(endpoint.index() / 2, packet.payload.mark);
        let packet = packet.map(|marked| marked.payload);
        if endpoint.index().is_multiple_of(2) {
            self.arrival(net, endpoint, packet);
        } else {
            self.delivery(net, endpoint, packet);
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Marked>, endpoint: EndpointId) {
        let flow = endpoint.index() / 2;
        if flow < self.watches.len() {
            // The clock does not advance at a probe's samples, so that the trace is the same with
            // and without a probe.
            self.clock = net.now();
        }
        let before = if endpoint.index().is_multiple_of(2) {
            self.traced(flow).map(|(sender, _)| Before::of(sender))
        } else {
            None
        };
        let (hosts, mut tap) = self.tap(net);
        hosts.on_timer(&mut tap, endpoint);
        self.tell(flow, None, before.as_ref());
    }

    fn duplicate(&mut self, marked: Marked) -> Marked {
        Marked {
            payload: self.hosts.duplicate(marked.payload),
            ..marked
        }
    }

    fn discard(&mut self, packet: Marked, gone: Gone) {
        let flow = packet.flow as usize;
        let una = self.traced(flow).map(|(sender, _)| sender.una());
        if let Some(Some(watch)) = self.watches.get_mut(flow) {
            match (packet.mark, una) {
                (Mark::Transmission(number), una) => {
                    let seq = una.map(|_| packet.payload.as_data(watch.high).0);
                    watch.lost.insert(number, seq);
                }
                (Mark::Ack(number), Some(una)) => {
                    let (ack, _) = packet.payload.as_ack(una, Stamp::Received);
                    watch.acks_lost.insert(number, ack);
                }
                (Mark::Ack(_), None) | (Mark::Unseen, _) => {}
            }
        }
        self.hosts.discard(packet.payload, gone);
    }
}

/// Removes and returns the entries below a number.
fn before<T>(waiting: &mut BTreeMap<u64, T>, number: u64) -> BTreeMap<u64, T> {
    if waiting.is_empty() {
        return BTreeMap::new();
    }
    let later = waiting.split_off(&number);
    std::mem::replace(waiting, later)
}
