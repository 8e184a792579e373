//! The packets of a capture file.

use std::net::{IpAddr, SocketAddr};

use etherparse::{
    EtherType, LaxNetSlice, LaxSlicedPacket, TcpOptionElement, TransportSlice, ether_type,
};
use pcap_parser::nom;
use pcap_parser::pcapng::{Block, parse_block_be, parse_block_le};
use pcap_parser::{
    Linktype, PcapError, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified,
    parse_pcap_header,
};

use crate::recording::Fault;

/// A packet of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// When, in nanoseconds.
    pub(super) at: u64,
    /// Of TCP and UDP; of others, with port 0.
    pub(super) source: SocketAddr,
    pub(super) destination: SocketAddr,
    /// The length of the packet of IP, with its headers.
    pub(super) bytes: u32,
    pub(super) tcp: Option<Segment>,
}

/// What is used of a segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) sequence: u32,
    /// Bytes of data; a SYN counts as one.
    pub(super) length: u32,
    pub(super) is_ack: bool,
    /// The time of the sender, and the time that it echoes.
    pub(super) timestamps: Option<(u32, u32)>,
}

impl Packet {
    pub(super) fn hosts(&self) -> (IpAddr, IpAddr) {
        (self.source.ip(), self.destination.ip())
    }
}

/// Reads the packets of a file; `None` stands for one that is not of IP. The number counts from 1.
pub(super) fn read(
    bytes: &[u8],
    take: impl FnMut(u64, Option<Packet>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match bytes.get(..4) {
        // The block type of a section header is the same in either order of bytes.
        Some([0x0a, 0x0d, 0x0d, 0x0a]) => read_next_generation(bytes, take),
        _ => read_classic(bytes, take),
    }
}

const WANTED: &str = "captures are files of tcpdump or Wireshark, .pcap or .pcapng";

fn read_classic(
    bytes: &[u8],
    mut take: impl FnMut(u64, Option<Packet>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (mut rest, header) = parse_pcap_header(bytes)
        .map_err(|_| Fault::whole("it is not a capture of packets", WANTED))?;
    let link = Link::of(header.network, 0)?;
    let parse = match (header.is_modified_format(), header.is_bigendian()) {
        (true, _) => parse_pcap_frame_modified,
        (false, true) => parse_pcap_frame_be,
        (false, false) => parse_pcap_frame,
    };
    let parts = if header.is_nanosecond_precision() {
        1
    } else {
        1000
    };
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let (after, packet) = parse(rest).map_err(|wrong| broken(number, &wrong))?;
        rest = after;
        let at = u64::from(packet.ts_sec) * 1_000_000_000 + u64::from(packet.ts_usec) * parts;
        let captured = packet.data.get(..packet.caplen as usize);
        take(number, link.packet(at, captured.unwrap_or(packet.data)))?;
    }
    Ok(())
}

/// An interface of a pcapng file.
struct Interface {
    link: Link,
    /// Of its times, in parts of a second.
    resolution: u64,
    /// In seconds.
    offset: i64,
}

fn read_next_generation(
    bytes: &[u8],
    mut take: impl FnMut(u64, Option<Packet>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut rest = bytes;
    let mut is_big_endian = false;
    let mut number = 0;
    while !rest.is_empty() {
        let parse = if is_big_endian {
            parse_block_be
        } else {
            parse_block_le
        };
        let (after, block) = parse(rest).map_err(|wrong| broken(number + 1, &wrong))?;
        if after.len() >= rest.len() {
            return Err(Fault::packet(number + 1, "the block has no length", WANTED));
        }
        rest = after;
        match block {
            Block::SectionHeader(section) => {
                is_big_endian = section.big_endian();
                interfaces.clear();
            }
            Block::InterfaceDescription(it) => interfaces.push(Interface {
                link: Link::of(it.linktype, number)?,
                resolution: it.ts_resolution().filter(|it| *it > 0).ok_or_else(|| {
                    Fault::packet(
                        number + 1,
                        "an interface has no resolution of times",
                        WANTED,
                    )
                })?,
                offset: it.ts_offset(),
            }),
            Block::EnhancedPacket(it) => {
                number += 1;
                let Some(interface) = interfaces.get(it.if_id as usize) else {
                    let what = format!("interface {} is not described", it.if_id);
                    return Err(Fault::packet(number, what, WANTED));
                };
                let units = u64::from(it.ts_high) << 32 | u64::from(it.ts_low);
                let at = interface.time(units).ok_or_else(|| {
                    Fault::packet(
                        number,
                        "the time is out of range",
                        "times are from 1970 to 2554",
                    )
                })?;
                let captured = it.data.get(..it.caplen as usize);
                take(
                    number,
                    interface.link.packet(at, captured.unwrap_or(it.data)),
                )?;
            }
            Block::SimplePacket(_) => {
                let help = "simple packets of pcapng have no times: capture enhanced ones";
                return Err(Fault::packet(number + 1, "the packet has no time", help));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Interface {
    /// Returns a time in nanoseconds since 1970.
    fn time(&self, units: u64) -> Option<u64> {
        let time = i128::from(units) * 1_000_000_000 / i128::from(self.resolution);
        u64::try_from(time + i128::from(self.offset) * 1_000_000_000).ok()
    }
}

fn broken(number: u64, wrong: &nom::Err<PcapError<&[u8]>>) -> Fault {
    match wrong {
        nom::Err::Incomplete(_) | nom::Err::Error(PcapError::Incomplete(_)) => Fault::packet(
            number,
            "the file ends within it",
            "the file is cut off: `editcap` of Wireshark keeps what is whole",
        ),
        _ => Fault::packet(number, "it is damaged", WANTED),
    }
}

/// What stands in front of the packets of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Ethernet,
    /// Nothing.
    Ip,
    /// Linux' `any`, of 16 bytes with the protocol in the last two.
    Cooked,
    /// The same in its second version, of 20 bytes with the protocol in the first two.
    Cooked2,
    /// BSD's loopback: 4 bytes.
    Loopback,
}

impl Link {
    /// The link of this number of tcpdump.org/linktypes.html.
    fn of(number: Linktype, packets: u64) -> Result<Self, Fault> {
        match number.0 {
            1 => Ok(Self::Ethernet),
            12 | 14 | 101 | 228 | 229 => Ok(Self::Ip),
            113 => Ok(Self::Cooked),
            276 => Ok(Self::Cooked2),
            0 | 108 => Ok(Self::Loopback),
            other => Err(Fault::packet(
                packets + 1,
                format!("packets of link type {other} are not read"),
                "captures of Ethernet, of IP, and of Linux' `any` are",
            )),
        }
    }

    /// Reads a packet; `None` if it is not of IP, or its headers were not captured.
    fn packet(self, at: u64, bytes: &[u8]) -> Option<Packet> {
        let typed = |protocol: &[u8], from: usize| {
            let protocol = EtherType(u16::from_be_bytes(protocol.try_into().ok()?));
            let is_ip = [ether_type::IPV4, ether_type::IPV6].contains(&protocol);
            is_ip.then(|| {
                LaxSlicedPacket::from_ether_type(protocol, bytes.get(from..).unwrap_or(&[]))
            })
        };
        let sliced = match self {
            Self::Ethernet => LaxSlicedPacket::from_ethernet(bytes).ok()?,
            Self::Ip => LaxSlicedPacket::from_ip(bytes).ok()?,
            Self::Loopback => LaxSlicedPacket::from_ip(bytes.get(4..)?).ok()?,
            Self::Cooked => typed(bytes.get(14..16)?, 16)?,
            Self::Cooked2 => typed(bytes.get(..2)?, 20)?,
        };
        let (source, destination, total): (IpAddr, IpAddr, u32) = match sliced.net? {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let hosts = (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                );
                (hosts.0, hosts.1, header.total_len().into())
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let hosts = (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                );
                (hosts.0, hosts.1, u32::from(header.payload_length()) + 40)
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let ports = match &sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => (tcp.source_port(), tcp.destination_port()),
            Some(TransportSlice::Udp(udp)) => (udp.source_port(), udp.destination_port()),
            _ => (0, 0),
        };
        let tcp = match &sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                // What stands before the header of TCP has been read in full.
                let before = (tcp.slice().as_ptr() as usize).checked_sub(bytes.as_ptr() as usize)?;
                let ip = before.checked_sub(self.length(bytes))?;
                let headers = u32::try_from(ip).ok()? + u32::from(tcp.data_offset()) * 4;
                let stamps = tcp.options_iterator().find_map(|option| match option {
                    Ok(TcpOptionElement::Timestamp(own, echo)) => Some((own, echo)),
                    _ => None,
                });
                Some(Segment {
                    sequence: tcp.sequence_number(),
                    length: total.saturating_sub(headers) + u32::from(tcp.syn()),
                    is_ack: tcp.ack(),
                    timestamps: stamps,
                })
            }
            _ => None,
        };
        Some(Packet {
            at,
            source: SocketAddr::new(source, ports.0),
            destination: SocketAddr::new(destination, ports.1),
            bytes: total,
            tcp,
        })
    }

    /// The bytes in front of the header of IP.
    fn length(self, bytes: &[u8]) -> usize {
        match self {
            Self::Ip => 0,
            Self::Loopback => 4,
            Self::Cooked => 16,
            Self::Cooked2 => 20,
            // With 4 bytes for each VLAN.
            Self::Ethernet => {
                let tagged = |at: usize| {
                    matches!(
                        bytes.get(at..at + 2),
                        Some([0x81, 0x00] | [0x88, 0xa8] | [0x91, 0x00])
                    )
                };
                let tags = (0..3).take_while(|n| tagged(12 + 4 * n)).count();
                14 + 4 * tags
            }
        }
    }
}
