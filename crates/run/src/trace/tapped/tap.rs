//! The tap on the network: marks the packets that the hosts send, and records what leaves a traced sender.

use std::collections::BTreeMap;

use dumbbell_sim::{Ecn, EndpointId, Kind, Label, LinkId, Port, Time};

use crate::flow::wire::{ACK, DATA, Payload};
use crate::trace::event::{Event, Opening, Sent, Stamps};

/// The network as seen by the hosts, which records what they send.
pub(super) struct Tap<'n, N> {
    pub(super) net: &'n mut N,
    pub(super) watches: &'n mut [Option<Watch>],
    pub(super) departures: &'n mut Vec<Event<'static>>,
    pub(super) sent: &'n mut u32,
}

impl<N: Port<Marked>> Tap<'_, N> {
    /// Returns the mark for a packet that leaves now, and records its departure.
    fn mark(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: &Payload,
        label: Label,
    ) -> Mark {
        let now = self.net.now().as_nanos();
        let Some(Some(watch)) = self.watches.get_mut(endpoint.index() / 2) else {
            return Mark::Unseen;
        };
        let clock = watch.tick.map(|tick| (now / tick) as u32);
        if watch.opaque {
            // Neither acknowledgements nor the exchange that opens the connection.
            if !endpoint.index().is_multiple_of(2) || kind == ACK {
                return Mark::Unseen;
            }
            let packet = watch.packets;
            watch.packets += 1;
            self.departures.push(Event::Datagram { packet, bytes });
            return Mark::Transmission(packet);
        }
        if !endpoint.index().is_multiple_of(2) {
            if payload.is_opening() {
                watch.answered = clock.unwrap_or_default();
                return Mark::Unseen;
            }
            let ack = watch.acks;
            watch.acks += 1;
            return Mark::Ack(ack);
        }
        if kind == ACK {
            watch.opened = clock.unwrap_or_default();
            self.departures.push(Event::Syn(Opening {
                bytes,
                stamps: clock.map(|value| Stamps { value, echo: 0 }),
            }));
            return Mark::Unseen;
        }
        let packet = watch.packets;
        watch.packets += 1;
        self.departures.push(if kind == DATA {
            let (seq, _) = payload.as_data(watch.high);
            let retransmission = seq < watch.high;
            watch.high = watch.high.max(seq + 1);
            Event::Sent(Sent {
                packet,
                seq,
                bytes,
                retransmission,
                stamps: clock.map(|value| Stamps {
                    value,
                    echo: watch.echo,
                }),
                probe: payload.probes(),
                ect: label.ecn.is_capable(),
                l4s: label.ecn == Ecn::Ect1,
                cwr: payload.cwr(),
            })
        } else {
            Event::Datagram { packet, bytes }
        });
        Mark::Transmission(packet)
    }
}

impl<N: Port<Marked>> Port<Payload> for Tap<'_, N> {
    fn now(&self) -> Time {
        self.net.now()
    }

    fn send_labelled(
        &mut self,
        endpoint: EndpointId,
        bytes: u16,
        kind: Kind,
        payload: Payload,
        label: Label,
    ) {
        let number = *self.sent;
        *self.sent = number.wrapping_add(1);
        let marked = Marked {
            payload,
            flow: (endpoint.index() / 2) as u32,
            number,
            mark: self.mark(endpoint, bytes, kind, &payload, label),
        };
        self.net.send_labelled(endpoint, bytes, kind, marked, label);
    }

    fn set_timer(&mut self, endpoint: EndpointId, deadline: Option<Time>) {
        self.net.set_timer(endpoint, deadline);
    }

    fn queue_len(&mut self, link: LinkId) -> Option<u32> {
        self.net.queue_len(link)
    }
}

/// The state that is recorded for a traced flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// The segment after the highest one sent.
    pub(super) high: u64,
    /// The number of transmissions so far.
    pub(super) packets: u64,
    /// The number of ACKs that the receiver has sent.
    pub(super) acks: u64,
    /// Transmissions that will never arrive, with their segments, and the corresponding ACKs. How
    /// early the simulator knows of them depends on how it runs, so they are reported when a later
    /// packet arrives.
    pub(super) lost: BTreeMap<u64, Option<u64>>,
    pub(super) acks_lost: BTreeMap<u64, u64>,
    /// Whether its packets are recorded as datagrams, because they are encrypted (QUIC).
    pub(super) opaque: bool,
    /// The tick of the timestamp clocks in nanoseconds, if the option is in use.
    pub(super) tick: Option<u64>,
    /// The last timestamps of the segments that open the connection, at their sender and at its
    /// peer.
    pub(super) opened: u32,
    pub(super) answered: u32,
    /// The last timestamp that arrived, which segments echo.
    pub(super) echo: u32,
}

/// A packet's payload, and the mark by which it is recognised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked {
    pub(super) payload: Payload,
    pub(super) flow: u32,
    /// The packet's number among all packets that were sent.
    pub(super) number: u32,
    pub(super) mark: Mark,
}

impl Marked {
    /// The flow, by its position among the run's flows, and the number among all packets.
    pub(crate) fn identity(&self) -> (usize, u32) {
        (self.flow as usize, self.number)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// Not traced.
    Unseen,
    /// A transmission of the sender, by its number.
    Transmission(u64),
    /// An ACK of the receiver, by its number.
    Ack(u64),
}
