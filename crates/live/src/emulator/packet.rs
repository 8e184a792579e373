//! The properties of a real packet that the network needs, and the fields that its routers write.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use dumbbell_control::units::Duration;
use dumbbell_run::{Ecn, Label, Sort};
use dumbbell_tcp::option::Aqt;
use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};

use super::checksum::fold;

/// Parses packets. It stores the connections that it has seen, for ACK filters.
#[derive(Debug, Default)]
pub struct Reader {
    connections: HashMap<Connection, Acknowledged>,
}

/// One direction of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Connection {
    from: (IpAddr, u16),
    to: (IpAddr, u16),
}

/// How far a connection has acknowledged, as a number that does not wrap.
#[derive(Clone, Copy, Debug)]
struct Acknowledged {
    flow: u32,
    highest: u64,
}

/// The number of connections that are stored; further ones are not filtered.
const MOST_CONNECTIONS: usize = 65_536;

/// Length of an IPv4 header without options.
const PLAIN_HEADER: usize = 20;
const CONGESTION_EXPERIENCED: u8 = 3;

impl Reader {
    /// Returns what a packet is, and the fields that routers may read. Any bytes are accepted: a packet
    /// that cannot be parsed is a datagram with an empty label.
    pub fn read(&mut self, packet: &[u8]) -> (Sort, Label) {
        let Ok(sliced) = SlicedPacket::from_ip(packet) else {
            return (Sort::Datagram, Label::NONE);
        };
        let mut label = Label::NONE;
        let ends: [IpAddr; 2] = match &sliced.net {
            Some(NetSlice::Ipv4(ip)) => {
                let header = ip.header();
                label.ecn = codepoint(header.ecn().value());
                label.probe = Aqt::position(header.options()).is_some();
                [header.source_addr(), header.destination_addr()].map(IpAddr::V4)
            }
            Some(NetSlice::Ipv6(ip)) => {
                let header = ip.header();
                label.ecn = codepoint(header.ecn().value());
                [header.source_addr(), header.destination_addr()].map(IpAddr::V6)
            }
            _ => return (Sort::Datagram, label),
        };
        label.flow = flow(ends, sliced.transport.as_ref());
        let Some(TransportSlice::Tcp(tcp)) = &sliced.transport else {
            return (Sort::Datagram, label);
        };
        if !tcp.payload().is_empty() {
            return (Sort::Data, label);
        }
        label.supersedes = self.supersedes(ends, tcp);
        (Sort::Ack, label)
    }

    /// Returns the connection and the position that a plain ACK acknowledges; it supersedes earlier ACKs.
    /// Returns `None` for an ACK that opens or closes the connection, or that has SACK blocks.
    fn supersedes(&mut self, [from, to]: [IpAddr; 2], tcp: &TcpSlice<'_>) -> Option<(u32, u64)> {
        let sacks = |option| matches!(option, Ok(TcpOptionElement::SelectiveAcknowledgement(..)));
        let special = tcp.syn() || tcp.fin() || tcp.rst() || !tcp.ack();
        if special || tcp.options_iterator().any(sacks) {
            return None;
        }
        let connection = Connection {
            from: (from, tcp.source_port()),
            to: (to, tcp.destination_port()),
        };
        let number = tcp.acknowledgment_number();
        let known = self.connections.len();
        if known >= MOST_CONNECTIONS && !self.connections.contains_key(&connection) {
            return None;
        }
        let seen = self.connections.entry(connection).or_insert(Acknowledged {
            flow: known as u32,
            highest: u64::from(number) | 1 << 32,
        });
        // The nearest number with these low bits: half of the number space is ahead, half of it behind.
        let ahead = number.wrapping_sub(seen.highest as u32) as i32;
        let unwrapped = seen.highest.wrapping_add_signed(i64::from(ahead));
        seen.highest = seen.highest.max(unwrapped);
        Some((seen.flow, unwrapped))
    }
}

/// The ECN codepoint of a header (RFC 3168). A packet that is already marked counts as L4S (RFC 9331).
fn codepoint(bits: u8) -> Ecn {
    match bits {
        0 => Ecn::NotEct,
        2 => Ecn::Ect0,
        _ => Ecn::Ect1,
    }
}

/// The number of a flow: a hash of the addresses, the protocol and the ports.
fn flow(ends: [IpAddr; 2], transport: Option<&TransportSlice<'_>>) -> u32 {
    let ports = match transport {
        Some(TransportSlice::Tcp(tcp)) => (6, tcp.source_port(), tcp.destination_port()),
        Some(TransportSlice::Udp(udp)) => (17, udp.source_port(), udp.destination_port()),
        _ => (0, 0, 0),
    };
    let mut hash = DefaultHasher::new();
    (ends, ports).hash(&mut hash);
    hash.finish() as u32
}

/// Returns the ports of a packet, its source's and its destination's; `None` if it has none.
pub(super) fn ports(packet: &[u8]) -> Option<[u16; 2]> {
    match SlicedPacket::from_ip(packet).ok()?.transport? {
        TransportSlice::Tcp(tcp) => Some([tcp.source_port(), tcp.destination_port()]),
        TransportSlice::Udp(udp) => Some([udp.source_port(), udp.destination_port()]),
        _ => None,
    }
}

/// Writes into a packet what routers report: congestion, if its transport supports ECN (RFC 3168), and
/// the microseconds that it has waited, into its AQT option. The checksum of its header is updated (RFC
/// 1624); a wrong checksum stays wrong.
pub fn write(packet: &mut [u8], marked: bool, queueing: Option<u32>) {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) => {
            let length = usize::from(packet[0] & 15) * 4;
            if length >= PLAIN_HEADER && packet.len() >= length {
                rewrite(&mut packet[..length], |header| {
                    if marked && header[1] & CONGESTION_EXPERIENCED != 0 {
                        header[1] |= CONGESTION_EXPERIENCED;
                    }
                    if let Some(waited) = queueing {
                        add(&mut header[PLAIN_HEADER..], waited);
                    }
                });
            }
        }
        // The two ECN bits are the last of the traffic class: bits 10 and 11 of the header.
        Some(6) if marked && packet.len() >= 40 && packet[1] & 0x30 != 0 => packet[1] |= 0x30,
        _ => {}
    }
}

/// Adds a waiting time to the AQT option among the options of a header, if there is one.
fn add(options: &mut [u8], waited: u32) {
    if let Some(at) = Aqt::position(options)
        && let Some(option) = Aqt::find(&options[at..])
    {
        let waited = Duration::from_micros(u64::from(waited));
        let after = option.delayed(waited).encode();
        options[at..at + Aqt::LENGTH].copy_from_slice(&after[..Aqt::LENGTH]);
    }
}

/// Changes an IPv4 header, and adjusts its checksum for the change.
fn rewrite(header: &mut [u8], change: impl FnOnce(&mut [u8])) {
    let before = sum(header);
    change(header);
    let after = sum(header);
    let old = u16::from_be_bytes([header[10], header[11]]);
    if before != after {
        let new = fold(u32::from(!old) + u32::from(!before) + u32::from(after));
        header[10..12].copy_from_slice(&(!new).to_be_bytes());
    }
}

/// Returns the ones' complement sum of a header's words, without its checksum.
fn sum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2).enumerate();
    let others = words.filter(|(place, _)| *place != 5);
    fold(
        others
            .map(|(_, word)| u32::from(u16::from_be_bytes([word[0], word[1]])))
            .sum(),
    )
}

/// The addresses of the two ends.
pub(super) const ADDRESSES: [Ipv4Addr; 2] =
    [Ipv4Addr::new(10, 11, 12, 1), Ipv4Addr::new(10, 11, 12, 2)];
/// The sender's and the receiver's IPv6 addresses, in a network that is local to the hosts (RFC 4193).
pub(super) const ADDRESSES6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd10, 0x11, 0x12, 0, 0, 0, 0, 1),
    Ipv6Addr::new(0xfd10, 0x11, 0x12, 0, 0, 0, 0, 2),
];

/// Returns whether an address is one of the ends.
pub(super) fn is_ours(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => ADDRESSES.contains(&address),
        IpAddr::V6(address) => ADDRESSES6.contains(&address),
    }
}

/// Returns whether the network carries a packet. The kernel's neighbour discovery is not carried.
pub(super) fn is_carried(packet: &[u8]) -> bool {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) => true,
        Some(6) => {
            let Some(Ok(to)) = packet.get(24..40).map(<[u8; 16]>::try_from) else {
                return false;
            };
            let to = Ipv6Addr::from(to);
            !to.is_multicast() && !to.is_unicast_link_local()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{PacketBuilder, TcpOptionElement as Option};

    /// Returns a segment of a connection, with its header's options and its payload.
    fn segment(ack: u32, options: &[Option], payload: &[u8], ecn: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .tcp(40_000, 80, 7, 100)
            .ack(ack)
            .options(options)
            .expect("options of a few bytes fit")
            .write(&mut bytes, payload)
            .expect("a vector can be written to");
        set_ecn(&mut bytes, ecn);
        bytes
    }

    fn set_ecn(packet: &mut [u8], ecn: u8) {
        rewrite(&mut packet[..20], |header| header[1] |= ecn);
    }

    /// Inserts an AQT option between the header and the payload of a packet, after a NOP.
    fn with_aqt(plain: &[u8], queueing: u32) -> Vec<u8> {
        let mut packet = plain[..20].to_vec();
        packet.push(1);
        packet.extend(&Aqt { queueing, echo: 9 }.encode()[..Aqt::LENGTH]);
        packet.push(0);
        packet.extend(&plain[20..]);
        let length = packet.len() as u16;
        packet[0] = 0x48;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        let checksum = !sum(&packet[..32]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        packet
    }

    /// Checks a header as in RFC 1071: its words, including the checksum, sum up to all ones.
    fn is_right(header: &[u8]) -> bool {
        let words = header.chunks_exact(2);
        let sum = words
            .map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])))
            .sum();
        fold(sum) == 0xffff
    }

    #[test]
    fn segments_with_payload_are_data_and_those_without_are_acks() {
        let mut reader = Reader::default();
        assert_eq!(reader.read(&segment(1, &[], b"x", 0)).0, Sort::Data);
        assert_eq!(reader.read(&segment(1, &[], b"", 0)).0, Sort::Ack);
        let mut datagram = |from| {
            let mut datagram = Vec::new();
            PacketBuilder::ipv4([1; 4], [2; 4], 9)
                .udp(from, 6)
                .write(&mut datagram, b"media")
                .unwrap();
            reader.read(&datagram)
        };
        let [one, again, other] = [5, 5, 7].map(&mut datagram);
        assert_eq!(one.0, Sort::Datagram);
        assert_eq!(Label { flow: 0, ..one.1 }, Label::NONE);
        // Addresses and ports tell flows apart.
        assert_eq!(one, again);
        assert_ne!(one.1.flow, other.1.flow);
        assert_eq!(reader.read(b"nonsense"), (Sort::Datagram, Label::NONE));
        assert_eq!(reader.read(b""), (Sort::Datagram, Label::NONE));
    }

    #[test]
    fn acks_supersede_earlier_ones_across_the_wrap() {
        let mut reader = Reader::default();
        let mut number = |ack| {
            reader
                .read(&segment(ack, &[], b"", 0))
                .1
                .supersedes
                .unwrap()
        };
        let first = number(u32::MAX - 9);
        let second = number(10);
        let late = number(u32::MAX - 4);
        assert_eq!(first.0, second.0);
        assert_eq!(second.1 - first.1, 20);
        assert_eq!(late.1 - first.1, 5);
    }

    #[test]
    fn acks_with_blocks_supersede_nothing() {
        let block = Option::SelectiveAcknowledgement((5, 9), [None; 3]);
        let read = |options: &[Option], payload: &[u8]| {
            let mut reader = Reader::default();
            reader.read(&segment(3, options, payload, 0)).1.supersedes
        };
        assert_eq!(read(&[block], b""), None);
        assert_eq!(read(&[], b"data"), None);
        assert!(read(&[Option::Timestamp(1, 2)], b"").is_some());
    }

    #[test]
    fn packets_of_a_connection_are_one_flow() {
        let flow = |packet: &[u8]| Reader::default().read(packet).1.flow;
        let data = segment(1, &[], b"x", 0);
        assert_eq!(flow(&data), flow(&segment(9, &[], b"", 2)));
        // The other direction has the ports the other way round.
        let mut back = data.clone();
        back[20..24].rotate_left(2);
        assert_ne!(flow(&data), flow(&back));
    }

    #[test]
    fn only_ecn_capable_packets_are_marked() {
        for (before, after) in [(0, 0), (1, 3), (2, 3), (3, 3)] {
            let mut packet = segment(1, &[], b"x", before);
            assert_eq!(
                Reader::default().read(&packet).1.ecn.is_capable(),
                before != 0
            );
            write(&mut packet, true, None);
            assert_eq!(packet[1] & 3, after);
            assert!(is_right(&packet[..20]));
        }
    }

    /// Adds 12,346 microseconds to 30,000.
    #[test]
    fn waits_are_added_to_the_option() {
        let mut packet = with_aqt(&segment(1, &[], b"payload", 0), 30_000);
        assert!(is_right(&packet[..32]));
        assert!(Reader::default().read(&packet).1.probe);
        write(&mut packet, false, Some(12_346));
        let found = Aqt::find(&packet[20..32]).unwrap();
        assert_eq!((found.queueing, found.echo), (42_346, 9));
        assert!(is_right(&packet[..32]));
        assert_eq!(&packet[packet.len() - 7..], b"payload");
    }

    #[test]
    fn a_wrong_checksum_stays_wrong() {
        let mut packet = with_aqt(&segment(1, &[], b"", 2), 0);
        packet[10] ^= 0x40;
        write(&mut packet, true, Some(5));
        assert!(!is_right(&packet[..32]));
        packet[10] ^= 0x40;
        // A carry in the checksum may change another bit, so the value is only nearly the same.
        assert_eq!(Aqt::find(&packet[20..32]).unwrap().queueing, 5);
    }

    #[test]
    fn truncated_headers_are_left_unchanged() {
        let whole = with_aqt(&segment(1, &[], b"", 2), 0);
        for length in 0..32 {
            let mut packet = whole[..length].to_vec();
            write(&mut packet, true, Some(5));
            assert_eq!(packet, whole[..length]);
        }
    }

    #[test]
    fn segments_and_datagrams_have_ports() {
        assert_eq!(ports(&segment(1, &[], b"x", 0)), Some([40_000, 80]));
        let mut datagram = Vec::new();
        let builder = PacketBuilder::ipv4([1; 4], [2; 4], 9).udp(5, 6);
        builder.write(&mut datagram, b"media").unwrap();
        assert_eq!(ports(&datagram), Some([5, 6]));
        assert_eq!(ports(&datagram[..22]), None);
    }

    #[test]
    fn neighbour_discovery_is_not_carried() {
        let mut solicitation = vec![0x60; 48];
        solicitation[24..40].copy_from_slice(&Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 2).octets());
        assert!(!is_carried(&solicitation));
        assert!(is_carried(&segment(1, &[], b"", 0)));
        assert!(!is_carried(&[]));
    }
}
