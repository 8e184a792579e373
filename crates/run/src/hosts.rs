//! The hosts of a simulation: both ends of every flow, and the probes.

use dumbbell_control::hint::cold_path;
use dumbbell_scenario::{Scenario, Traffic, copies};
use dumbbell_sim::{
    Arrived, Cause, EndpointId, Foresight, Gone, Host, LinkId, LinkStatistics, Lookahead, Port,
    Time, fetch,
};

use crate::fates::Fates;
use crate::flow::media::{self, Content, Contents};
use crate::flow::wire::{Boards, Payload};
use crate::flow::{FlowReceiver, FlowSender, Relayed, Writer, totals};
use crate::path::Slowest;
use crate::probe::{Bins, Probes};
use crate::totals::Totals;

/// All hosts.
#[derive(Default)]
pub(crate) struct Hosts {
    pub(crate) senders: Vec<FlowSender>,
    pub(crate) receivers: Vec<FlowReceiver>,
    /// What writes at the senders of TCP flows. Their timers are the first after those of the flows.
    pub(crate) writers: Vec<Writer>,
    pub(crate) boards: Boards,
    pub(crate) contents: Contents,
    pub(crate) probes: Option<Probes>,
    /// The bins in which the packets that each flow sends are counted; empty if they are not.
    pub(crate) bins: Vec<Bins>,
    /// The data packets that never arrive.
    pub(crate) fates: Fates,
    /// The slowest links on the paths of the flows.
    pub(crate) slowest: Vec<Slowest>,
    /// The counters when the warm-up was over; `None` without a warm-up, or during it.
    pub(crate) mark: Option<Box<Mark>>,
}

/// What had been counted when the measurements began.
pub(crate) struct Mark {
    pub(crate) at: Time,
    pub(crate) flows: Vec<Totals>,
    pub(crate) links: Vec<LinkStatistics>,
}

impl Hosts {
    /// Begins the measurements: all results are those of what happens from now on.
    pub(crate) fn restart(&mut self, scenario: &Scenario, at: Time, links: Vec<LinkStatistics>) {
        let ends = self.senders.iter().zip(&self.receivers);
        let flows = copies(scenario)
            .zip(ends)
            .map(|((flow, _), (sender, receiver))| totals(flow, sender, receiver.own(), at))
            .collect();
        self.senders.iter_mut().for_each(FlowSender::restart);
        self.receivers.iter_mut().for_each(FlowReceiver::restart);
        self.fates.restart();
        self.mark = Some(Box::new(Mark { at, flows, links }));
    }

    /// The ends of flows that may run ahead of the network. `ends` holds the ends of each flow, counts
    /// expanded.
    pub(crate) fn lookaheads(
        &self,
        ends: &[(EndpointId, EndpointId)],
    ) -> impl Iterator<Item = (EndpointId, Lookahead)> {
        // What a relay has to send depends on another endpoint.
        let relays: Vec<usize> = self
            .receivers
            .iter()
            .filter_map(FlowReceiver::relay)
            .collect();
        // So does what an application writes.
        let written: Vec<usize> = self.writers.iter().map(Writer::flow).collect();
        let of_sender = move |flow: usize, sender: &FlowSender| match sender {
            FlowSender::Tcp(_) if relays.contains(&flow) || written.contains(&flow) => None,
            FlowSender::Tcp(sender) => sender.is_alone().then_some(Lookahead::Packets),
            FlowSender::Quic(_) if relays.contains(&flow) || written.contains(&flow) => None,
            FlowSender::Quic(sender) => sender.is_alone().then_some(Lookahead::Packets),
            FlowSender::Workload(_) => None,
            FlowSender::Udp(_) => Some(Lookahead::Timers),
            FlowSender::Media(sender) => sender.is_alone().then_some(Lookahead::Timers),
        };
        let of_receiver = |receiver: &FlowReceiver| match receiver {
            FlowReceiver::Tcp(_)
            | FlowReceiver::Udp(_)
            | FlowReceiver::Media(_)
            | FlowReceiver::Quic(_) => Some(Lookahead::Packets),
            // What arrives is sent on at once by another endpoint.
            FlowReceiver::Relayed(_) => None,
            // It shares its state with the other end.
            FlowReceiver::Workload => None,
        };
        let hosts = self.senders.iter().zip(&self.receivers);
        let hosts = hosts.zip(ends).enumerate();
        hosts.flat_map(move |(flow, ((sender, receiver), ends))| {
            let sender = of_sender(flow, sender).map(|lookahead| (ends.0, lookahead));
            let receiver = of_receiver(receiver).map(|lookahead| (ends.1, lookahead));
            receiver.into_iter().chain(sender)
        })
    }

    /// Handles a packet of a flow other than TCP. Kept separate from the frequent TCP packets.
    #[inline(never)]
    fn on_other(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
    ) {
        let flow = endpoint.index() / 2;
        if endpoint.index().is_multiple_of(2) {
            match &mut self.senders[flow] {
                FlowSender::Media(sender) => {
                    sender.on_packet(net, endpoint, packet, &mut self.contents);
                }
                FlowSender::Quic(sender) => {
                    sender.on_packet(net, endpoint, packet, &mut self.contents);
                }
                FlowSender::Workload(workload) => {
                    workload.on_packet_at_sender(net, packet, &mut self.boards);
                }
                FlowSender::Tcp(_) | FlowSender::Udp(_) => {}
            }
            return;
        }
        match &mut self.receivers[flow] {
            FlowReceiver::Tcp(_) => {}
            FlowReceiver::Udp(receiver) => receiver.on_packet(net.now(), packet),
            FlowReceiver::Media(receiver) => {
                receiver.on_packet(net, endpoint, packet, &mut self.contents);
            }
            FlowReceiver::Quic(receiver) => {
                receiver.on_packet(net, endpoint, packet, &mut self.contents);
            }
            FlowReceiver::Relayed(_) => self.relay(net, endpoint, packet),
            FlowReceiver::Workload => {
                self.end_bins(flow, net.now());
                if let FlowSender::Workload(workload) = &mut self.senders[flow] {
                    workload.on_packet_at_receiver(net, packet, &mut self.boards);
                }
            }
        }
    }

    /// Ends the bins of a flow that end before `now`, when something happens to its sender. Nothing that has not happened
    /// yet may make that send before `now`.
    #[inline(always)]
    fn end_bins(&mut self, flow: usize, now: Time) {
        if let Some(bins) = self.bins.get_mut(flow) {
            bins.pass(now, || self.senders[flow].sent());
        }
    }

    /// Handles a packet of a relayed flow; its relay may then have more to send.
    fn relay(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: &Arrived<Payload>,
    ) {
        let FlowReceiver::Relayed(relayed) = &mut self.receivers[endpoint.index() / 2] else {
            return;
        };
        let (boards, contents) = (&mut self.boards, &mut self.contents);
        relayed
            .own
            .on_packet(net, endpoint, packet, boards, contents);
        let (relay, segments) = (relayed.relay, relayed.segments());
        self.end_bins(relay.index() / 2, net.now());
        self.senders[relay.index() / 2].offer(net, relay, segments);
    }

    /// Frees what a packet refers to that will not be read, and counts it. A packet that arrives damaged was lost on no
    /// certain link.
    fn release(&mut self, payload: Payload, cause: Cause, at: Time, link: Option<LinkId>) {
        if let Some(place) = payload.board() {
            let _ = self.boards.take(place);
        } else if let Some(place) = payload.frame() {
            let _ = self.contents.frames.try_remove(place as usize);
        } else if let Some((flow, low)) = payload.segment_of()
            && let Some(sender) = self.senders.get_mut(flow)
        {
            if let FlowSender::Tcp(sender) = sender {
                sender.on_discard(low, cause);
            }
            self.fates.count(flow, cause, at, link);
        } else if let Some(flow) = payload.source_of() {
            self.fates.count(flow, cause, at, link);
        } else if let Some((_, flow)) = payload.place()
            && let Some(content) = media::take(&mut self.contents, &payload)
        {
            match content {
                Content::Data(data) | Content::Frame(data, _) => {
                    if let Some(receiver) = self.receivers.get_mut(flow)
                        && let FlowReceiver::Media(receiver) = receiver.own_mut()
                    {
                        receiver.on_discard(&data, cause, at);
                        self.fates.count(flow, cause, at, link);
                    }
                }
                Content::Numbered(..) | Content::NumberedFrame(..) => {
                    self.fates.count(flow, cause, at, link);
                }
                Content::Report(place) => self.contents.discard(place),
                Content::Feedback(_) | Content::KeyRequest => {}
            }
        }
    }
}

impl Host for Hosts {
    type Payload = Payload;

    // Inlined where the engine runs; elsewhere it hardly ever runs.
    #[inline(always)]
    fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        if packet.corrupt {
            cold_path();
            return self.release(packet.payload, Cause::Lost, net.now(), None);
        }
        let flow = endpoint.index() / 2;
        if endpoint.index().is_multiple_of(2) {
            self.end_bins(flow, net.now());
            if let FlowSender::Tcp(sender) = &mut self.senders[flow] {
                return sender.on_packet(net, endpoint, &packet, &mut self.boards);
            }
        } else if let FlowReceiver::Tcp(receiver) = &mut self.receivers[flow] {
            return receiver.on_packet(net, endpoint, &packet, &mut self.boards);
        }
        self.on_other(net, endpoint, &packet);
    }

    #[inline]
    fn foresee(&self, endpoint: EndpointId, foresight: Foresight) {
        let flow = endpoint.index() / 2;
        match (endpoint.index().is_multiple_of(2), foresight) {
            (true, Foresight::Far) => fetch(&self.senders[flow]),
            (false, Foresight::Far) => fetch(&self.receivers[flow]),
            (true, Foresight::Near) => {
                if let FlowSender::Tcp(sender) = &self.senders[flow] {
                    sender.foresee();
                }
            }
            (false, Foresight::Near) => {
                if let FlowReceiver::Tcp(receiver) = &self.receivers[flow] {
                    receiver.foresee();
                }
            }
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let flow = endpoint.index() / 2;
        if flow >= self.senders.len() {
            let place = flow - self.senders.len();
            if let Some(flow) = self.writers.get(place).map(Writer::flow) {
                self.end_bins(flow, net.now());
                return self.writers[place].on_timer(net, &mut self.senders);
            }
            if let Some(probes) = &mut self.probes {
                probes.sample(net, endpoint, &self.senders, &self.receivers);
            }
            return;
        }
        if endpoint.index().is_multiple_of(2) {
            self.end_bins(flow, net.now());
            let bins = self.bins.get_mut(flow);
            match &mut self.senders[flow] {
                FlowSender::Tcp(sender) => sender.on_timer(net, endpoint),
                FlowSender::Udp(sender) => sender.on_timer(net, endpoint, bins),
                FlowSender::Media(sender) => {
                    sender.on_timer(net, endpoint, &mut self.contents, bins);
                }
                FlowSender::Quic(sender) => sender.on_timer(net, endpoint),
                FlowSender::Workload(workload) => {
                    workload.on_timer(net, endpoint, &mut self.boards);
                }
            }
        } else if let FlowReceiver::Workload = &self.receivers[flow] {
            self.end_bins(flow, net.now());
            if let FlowSender::Workload(workload) = &mut self.senders[flow] {
                workload.on_timer(net, endpoint, &mut self.boards);
            }
        } else {
            let receiver = self.receivers[flow].own_mut();
            receiver.on_timer(net, endpoint, &mut self.boards, &mut self.contents);
        }
    }

    /// What a packet refers to is copied with it.
    fn duplicate(&mut self, payload: Payload) -> Payload {
        if let Some(place) = payload.board() {
            payload.at(self.boards.copy(place))
        } else if let Some((place, _)) = payload.place()
            && let Some(copy) = self.contents.copy(place)
        {
            payload.at(copy)
        } else if let Some(place) = payload.frame()
            && let Some(&frame) = self.contents.frames.get(place as usize)
        {
            payload.at(self.contents.frames.insert(frame) as u32)
        } else {
            payload
        }
    }

    fn discard(&mut self, payload: Payload, gone: Gone) {
        self.release(payload, gone.cause, gone.at, Some(gone.link));
    }
}

/// Connects relaying flows with the flows that they relay. `ends` holds the ends of each flow,
/// counts expanded.
pub(crate) fn join(scenario: &Scenario, hosts: &mut Hosts, ends: &[(EndpointId, EndpointId)]) {
    let flows = &scenario.flows;
    let first =
        |entry: usize| -> usize { flows[..entry].iter().map(|flow| flow.count as usize).sum() };
    for (entry, relay) in flows.iter().enumerate() {
        let (Some(source), Traffic::Tcp(by)) = (relay.relays, &relay.traffic) else {
            continue;
        };
        let (relays, sources) = (first(entry), first(source));
        for copy in 0..relay.count as usize {
            let (sender, _) = ends[relays + copy];
            let own = hosts.receivers.swap_remove(sources + copy);
            let relayed = Relayed::new(own, &flows[source], sender, by);
            hosts
                .receivers
                .push(FlowReceiver::Relayed(Box::new(relayed)));
            let last = hosts.receivers.len() - 1;
            hosts.receivers.swap(sources + copy, last);
        }
    }
}
