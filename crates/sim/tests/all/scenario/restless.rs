//! Hosts that send at random, and what they see.

use dumbbell_sim::{Arrived, Cause, Ecn, Gone, Host, Label, LinkId, Port};

use super::*;

/// A host that answers, bursts, waits, moves its timers back and forth, mixes sizes and reads queue
/// lengths, all decided by its own random numbers, and keeps a log.
#[derive(Clone, Debug)]
pub struct Restless {
    pub links: usize,
    pub silent: Vec<bool>,
    pub draws: Vec<Draw>,
    pub log: Log,
    /// The fate of every packet sent.
    pub fates: Vec<Fate>,
    /// The number of packets that arrived twice.
    pub copies: u64,
    /// Sum of the waiting times that probes reported, in microseconds.
    pub waited: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    UnderWay,
    Arrived,
    Discarded(Cause, LinkId),
}

/// A payload of 20 bytes, like that of TCP, with the number of the packet.
pub type Payload = [u32; 5];

impl Restless {
    fn act(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        let draw = &mut self.draws[endpoint.index()];
        if draw.below(8) == 0 {
            let link = draw.below(self.links as u64) as usize;
            let len = net.queue_len(LinkId::from_index(link));
            self.log.add(len.map_or(u64::MAX, u64::from));
        }
        let timer = draw.below(4);
        if timer > 0 {
            let deadline = (timer > 1).then(|| net.now() + draw.delay());
            net.set_timer(endpoint, deadline);
        }
        if self.silent[endpoint.index()] {
            return;
        }
        let burst = match draw.below(10) {
            0 => 30,
            1..4 => 2,
            _ => 1,
        };
        // Bursts of equal and of mixed sizes.
        let sizes = [[1000, 1000], [1000, 40], [576, 40]][draw.below(3) as usize];
        let unlabelled = draw.below(3) == 0;
        for k in 0..burst {
            let number = self.fates.len() as u32;
            self.fates.push(Fate::UnderWay);
            let kind = Kind::new(draw.below(4) as u8);
            if unlabelled {
                net.send(endpoint, sizes[k % 2], kind, [number; 5]);
                continue;
            }
            let label = Label {
                flow: draw.below(4) as u32,
                ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1][draw.below(3) as usize],
                probe: draw.below(2) == 0,
                // The numbers mostly increase; some occur twice and some are out of order.
                supersedes: (draw.below(3) > 0)
                    .then(|| (draw.below(3) as u32, u64::from(number / 2) + draw.below(4))),
            };
            net.send_labelled(endpoint, sizes[k % 2], kind, [number; 5], label);
        }
    }

    fn settle(&mut self, packet: u32, fate: Fate) {
        let entry = &mut self.fates[packet as usize];
        assert_eq!(*entry, Fate::UnderWay, "packet {packet} ended twice");
        *entry = fate;
    }

    pub fn count(&self, fate: Fate) -> usize {
        self.fates.iter().filter(|&&other| other == fate).count()
    }
}

impl Host for Restless {
    type Payload = Payload;

    fn on_packet(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        packet: Arrived<Payload>,
    ) {
        self.settle(packet.payload[0], Fate::Arrived);
        self.log.add(net.now().as_nanos());
        self.log.add(endpoint.index() as u64);
        self.log.add(u64::from(packet.payload[4]));
        self.log
            .add(u64::from(packet.bytes) << 8 | packet.kind.index() as u64);
        self.log
            .add(u64::from(packet.marked) << 1 | u64::from(packet.corrupt));
        self.log.add(packet.queueing.map_or(u64::MAX, u64::from));
        self.waited += u64::from(packet.queueing.unwrap_or(0));
        // Fewer than one packet is sent per arrival on average; otherwise the network would be flooded.
        if self.draws[endpoint.index()].below(6) == 0 {
            self.act(net, endpoint);
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<Payload>, endpoint: EndpointId) {
        self.log.add(net.now().as_nanos());
        self.log.add(!(endpoint.index() as u64));
        self.act(net, endpoint);
        if self.draws[endpoint.index()].below(20) > 0 {
            let delay = self.draws[endpoint.index()].delay();
            net.set_timer(endpoint, Some(net.now() + delay));
        }
    }

    fn duplicate(&mut self, mut payload: Payload) -> Payload {
        payload[0] = self.fates.len() as u32;
        self.copies += 1;
        self.fates.push(Fate::UnderWay);
        payload
    }

    fn discard(&mut self, payload: Payload, Gone { cause, link, .. }: Gone) {
        self.settle(payload[0], Fate::Discarded(cause, link));
    }
}

/// The events in their order, as a hash (FNV-1a over 64-bit words) and a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    pub hash: u64,
    pub entries: u64,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            hash: 0xcbf2_9ce4_8422_2325,
            entries: 0,
        }
    }
}

impl Log {
    pub fn add(&mut self, word: u64) {
        self.hash = (self.hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29);
        self.entries += 1;
    }
}
