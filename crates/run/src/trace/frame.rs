//! IPv4 packets of a simulated flow: addresses, headers and checksums. The payload is all zeros.

use dumbbell_tcp::option::Aqt;
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

/// The discard service (RFC 863), whose payload no analyser dissects.
const DISCARD: u16 = 9;
/// The first of the dynamic ports (RFC 6335, section 6).
const FIRST_PORT: u16 = 49152;
/// Bytes of a datagram's payload that are stored. With fewer, Wireshark complains because it cannot
/// determine that the payload is of no known protocol. A segment needs none.
const SHOWN: usize = 32;
const TTL: u8 = 64;
/// The longest IPv4 packet.
const LONGEST: usize = u16::MAX as usize;
/// The longest possible payload, all zeros.
static ZEROS: [u8; LONGEST] = [0; LONGEST];

/// A packet: its headers, in a datagram also the beginning of its payload, and its length.
pub(super) struct Frame {
    pub stored: Vec<u8>,
    pub length: usize,
}

/// The two hosts of a flow. In the first flow `10.0.0.1` sends to `10.128.0.1`; later flows have
/// the next addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hosts {
    sender: [u8; 4],
    receiver: [u8; 4],
    port: u16,
}

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    ToReceiver,
    ToSender,
}

/// The fields of a segment's IP header apart from addresses and lengths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Network {
    pub identification: u16,
    pub ecn: IpEcn,
    pub aqt: Option<Aqt>,
}

impl Hosts {
    /// The hosts of the flow at this position among all flows.
    pub(super) fn of(flow: usize) -> Self {
        let number = (flow + 1) as u32;
        let host = |network: u8| {
            let [_, a, b, c] = number.to_be_bytes();
            [10, network | a, b, c]
        };
        Self {
            sender: host(0),
            receiver: host(128),
            port: FIRST_PORT + (flow % usize::from(u16::MAX - FIRST_PORT + 1)) as u16,
        }
    }

    /// The sender's address and port, and the receiver's.
    pub(super) fn ends(&self) -> [([u8; 4], u16); 2] {
        [(self.sender, self.port), (self.receiver, DISCARD)]
    }

    fn route(&self, way: Way) -> [([u8; 4], u16); 2] {
        let [sender, receiver] = self.ends();
        match way {
            Way::ToReceiver => [sender, receiver],
            Way::ToSender => [receiver, sender],
        }
    }

    /// Builds a TCP segment. Fills in the ports and the checksum.
    pub(super) fn segment(
        &self,
        way: Way,
        network: &Network,
        mut tcp: TcpHeader,
        options: &[TcpOptionElement],
        payload: usize,
    ) -> Frame {
        let [(source, source_port), (destination, destination_port)] = self.route(way);
        tcp.source_port = source_port;
        tcp.destination_port = destination_port;
        tcp.set_options(options)
            .expect("the options of no segment exceed 40 bytes");
        let length = tcp.header_len() + payload;
        let ip = ip(IpNumber::TCP, network, source, destination, length);
        tcp.checksum = tcp
            .calc_checksum_ipv4(&ip, &ZEROS[..payload])
            .expect("it fits into an IPv4 packet");
        let mut stored = ip.to_bytes().to_vec();
        stored.extend_from_slice(&tcp.to_bytes());
        Frame {
            stored,
            length: usize::from(ip.total_len),
        }
    }

    /// Builds a datagram to the receiver, of `bytes` bytes with its headers; no fewer than the
    /// headers take.
    pub(super) fn datagram(&self, identification: u16, bytes: u16) -> Frame {
        let payload = usize::from(bytes).saturating_sub(Ipv4Header::MIN_LEN + UdpHeader::LEN);
        let [(source, source_port), (destination, destination_port)] = self.route(Way::ToReceiver);
        let network = Network {
            identification,
            ..Network::default()
        };
        let ip = ip(
            IpNumber::UDP,
            &network,
            source,
            destination,
            UdpHeader::LEN + payload,
        );
        let udp =
            UdpHeader::with_ipv4_checksum(source_port, destination_port, &ip, &ZEROS[..payload])
                .expect("it fits into an IPv4 packet");
        let mut stored = ip.to_bytes().to_vec();
        stored.extend_from_slice(&udp.to_bytes());
        stored.extend_from_slice(&ZEROS[..payload.min(SHOWN)]);
        Frame {
            stored,
            length: usize::from(ip.total_len),
        }
    }
}

fn ip(
    protocol: IpNumber,
    network: &Network,
    source: [u8; 4],
    destination: [u8; 4],
    length: usize,
) -> Ipv4Header {
    let length = u16::try_from(length).expect("it fits into an IPv4 packet");
    let mut ip = Ipv4Header::new(length, TTL, protocol, source, destination)
        .expect("it fits into an IPv4 packet");
    ip.identification = network.identification;
    ip.ecn = network.ecn;
    if let Some(aqt) = network.aqt {
        ip.options = aqt.encode().into();
        ip.total_len = u16::try_from(ip.header_len() + usize::from(length))
            .expect("it fits into an IPv4 packet");
    }
    ip.header_checksum = ip.calc_header_checksum();
    ip
}

/// The largest payload of a segment whose TCP header has this many bytes of options.
pub(super) fn most_payload(options: usize) -> u64 {
    (LONGEST - Ipv4Header::MIN_LEN - TcpHeader::MIN_LEN - options) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flow_has_its_own_hosts() {
        assert_eq!(
            Hosts::of(0).ends(),
            [([10, 0, 0, 1], 49152), ([10, 128, 0, 1], 9)]
        );
        assert_eq!(
            Hosts::of(99_999).ends(),
            [([10, 1, 134, 160], 50847), ([10, 129, 134, 160], 9)]
        );
    }

    /// The ones' complement sum of all 16-bit words.
    fn sum(bytes: &[u8]) -> u16 {
        let mut sum: u64 = bytes
            .chunks(2)
            .map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0)))
            .sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }

    /// Checks as a receiver does (RFC 1071) that the sum including the checksum is all ones.
    fn check(frame: &Frame, protocol: u8) {
        let (ip, transport) = frame.stored.split_at(20);
        assert_eq!(sum(ip), 0xffff);
        assert_eq!(
            usize::from(u16::from_be_bytes([ip[2], ip[3]])),
            frame.length
        );
        let length = frame.length - 20;
        let mut covered = ip[12..20].to_vec();
        covered.extend([0, protocol]);
        covered.extend((length as u16).to_be_bytes());
        covered.extend(transport);
        covered.extend(&ZEROS[..frame.length - frame.stored.len()]);
        assert_eq!(sum(&covered), 0xffff);
    }

    #[test]
    fn checksums_are_valid_at_the_receiver() {
        let hosts = Hosts::of(4711);
        let plain = Network {
            identification: 7,
            ..Network::default()
        };
        for payload in [0, 1, 999, 65_495] {
            let mut tcp = TcpHeader::new(0, 0, 0xffff_fff0, 65535);
            tcp.ack = true;
            check(
                &hosts.segment(Way::ToReceiver, &plain, tcp, &[], payload),
                6,
            );
        }
        let options = [
            TcpOptionElement::Noop,
            TcpOptionElement::Noop,
            TcpOptionElement::Timestamp(1, 2),
        ];
        let ack = TcpHeader::new(0, 0, 1, 65535);
        check(&hosts.segment(Way::ToSender, &plain, ack, &options, 0), 6);
        for bytes in [1, 28, 29, 1500, 65_535] {
            check(&hosts.datagram(65_535, bytes), 17);
        }
    }

    #[test]
    fn short_datagrams_have_at_least_their_headers() {
        let sizes = |bytes| {
            let frame = Hosts::of(0).datagram(0, bytes);
            (frame.length, frame.stored.len())
        };
        assert_eq!(
            [1, 28, 29, 60, 1000].map(sizes),
            [(28, 28), (28, 28), (29, 29), (60, 60), (1000, 60)]
        );
        assert_eq!((most_payload(0), most_payload(12)), (65_495, 65_483));
    }
}
