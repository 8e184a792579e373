//! A trace as a capture at the senders: the packets that they send and receive.
//!
//! Every packet of the capture is a packet of the simulation. `docs/traces.md` describes the
//! headers.

use std::io::{self, Write};

use dumbbell_scenario::{Tcp, Traffic};
use dumbbell_tcp::config::EcnMode;
use dumbbell_tcp::option::Aqt;
use etherparse::{IpEcn, TcpHeader, TcpOptionElement};

use super::TraceError;
use super::event::{Event, Heard, Opening, Recorder, Sent, Stamps, State};
use super::flow::Traced;
use super::frame::{self, Frame, Hosts, Network, Way};
use super::numbers::Numbers;
use crate::capture::{self, Packet};

/// More than the longest headers, which are 20 bytes of IP and 60 of TCP.
const SNAP_LENGTH: u32 = 96;
/// The start of a run in nanoseconds of Unix time. It is not 0, because analysers treat 0 as a missing time.
const START: u64 = 1_000_000_000 * 1_000_000_000;

/// The initial sequence number of both ends, so that data begins at 1.
const INITIAL: u32 = 0;
const LARGEST_FIELD: u64 = u16::MAX as u64;
/// The counter of marked packets begins at this number.
const FIRST_COUNT: u64 = 5;
/// RFC 7323, section 2.3.
const LARGEST_SCALE: u8 = 14;

/// Writes packets into a capture.
pub(super) struct Pcap<W> {
    out: W,
    /// The flows by their positions among all flows; `None` for a flow that is not traced.
    flows: Vec<Option<Talk>>,
}

/// The state of a flow in the capture.
struct Talk {
    hosts: Hosts,
    /// The number of packets so far in each direction, which is the next IP identification.
    packets: [u16; 2],
    tcp: Option<Connection>,
}

/// The properties of a connection that determine its headers.
struct Connection {
    numbers: Numbers,
    sack: bool,
    ecn: EcnMode,
    /// Whether ACKs may be marked.
    ect_acks: bool,
    /// The receiver's window as in the header, and the shift (window scale) to apply to it.
    window: u16,
    scale: u8,
}

/// Fails if packets of a flow are too long for IPv4.
pub(super) fn check(flows: &[Traced<'_>]) -> Result<(), TraceError> {
    for flow in flows {
        let Some(tcp) = flow.traffic.tcp().filter(|tcp| !tcp.is_quic()) else {
            continue;
        };
        let most =
            frame::most_payload((tcp.timestamps.wire_bytes() + tcp.probe_wire_bytes()) as usize);
        if tcp.payload.0 > most {
            return Err(TraceError::TooLong {
                flow: flow.name.clone(),
                payload: tcp.payload.0,
                most,
            });
        }
    }
    Ok(())
}

impl<W: Write> Pcap<W> {
    pub(super) fn new(mut out: W, flows: &[Traced<'_>]) -> io::Result<Self> {
        let mut talks = Vec::new();
        talks.resize_with(flows.last().map_or(0, |flow| flow.index + 1), || None);
        for flow in flows {
            talks[flow.index] = Some(Talk {
                hosts: Hosts::of(flow.index),
                packets: [0; 2],
                tcp: match flow.traffic {
                    Traffic::Tcp(tcp) if !tcp.is_quic() => Some(Connection::of(tcp)),
                    Traffic::Tcp(_)
                    | Traffic::Workload(_)
                    | Traffic::Udp(_)
                    | Traffic::Media(_) => None,
                },
            });
        }
        capture::pcap::begin(&mut out, SNAP_LENGTH)?;
        Ok(Self { out, flows: talks })
    }

    /// Writes a packet that takes `bytes` bytes on the simulated wire.
    fn packet(&mut self, time: u64, frame: &Frame, bytes: u16) -> io::Result<()> {
        let length = frame.length.max(usize::from(bytes));
        let packet = Packet {
            at: START + time,
            stored: &frame.stored,
            // Packets are short, so it fits.
            length: length as u32,
        };
        capture::pcap::packet(&mut self.out, &packet)
    }
}

impl<W: Write> Recorder for Pcap<W> {
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        _: Option<&State>,
    ) -> io::Result<()> {
        let Some(talk) = &mut self.flows[flow] else {
            return Ok(());
        };
        let Some((frame, bytes)) = talk.frame(event) else {
            return Ok(());
        };
        self.packet(time, &frame, bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Talk {
    /// The packet of an event, if the event is about a packet, and its size on the simulated wire.
    fn frame(&mut self, event: &Event<'_>) -> Option<(Frame, u16)> {
        if let Event::Datagram { bytes, .. } = event {
            let identification = self.identification(Way::ToReceiver);
            return Some((self.hosts.datagram(identification, *bytes), *bytes));
        }
        let tcp = self.tcp.as_ref()?;
        let (way, header, options, payload, bytes) = match event {
            Event::Syn(opening) => {
                let (header, options) = tcp.opening(opening, Way::ToReceiver);
                (Way::ToReceiver, header, options, 0, opening.bytes)
            }
            Event::SynAck(opening) => {
                let (header, options) = tcp.opening(opening, Way::ToSender);
                (Way::ToSender, header, options, 0, opening.bytes)
            }
            Event::Sent(sent) => {
                let (header, options) = tcp.data(sent);
                let payload = tcp.numbers.length(sent.seq) as usize;
                (Way::ToReceiver, header, options, payload, sent.bytes)
            }
            Event::Heard(heard) => {
                let (header, options) = tcp.ack(heard);
                (Way::ToSender, header, options, 0, heard.bytes)
            }
            _ => return None,
        };
        let network = Network {
            ecn: tcp.codepoint(event),
            aqt: match event {
                Event::Sent(sent) => sent.probe.then(Aqt::default),
                Event::Heard(heard) => heard.aqt,
                _ => None,
            },
            identification: self.identification(way),
        };
        let frame = self.hosts.segment(way, &network, header, &options, payload);
        Some((frame, bytes))
    }

    fn identification(&mut self, way: Way) -> u16 {
        let next = &mut self.packets[usize::from(way == Way::ToSender)];
        let this = *next;
        *next = next.wrapping_add(1);
        this
    }
}

impl Connection {
    fn of(tcp: &Tcp) -> Self {
        let (window, scale) = window(tcp);
        Self {
            numbers: Numbers::of(tcp),
            sack: tcp.recovery.kind().needs_sack(),
            ecn: tcp.ecn,
            ect_acks: tcp.ack_control.is_some(),
            window,
            scale,
        }
    }

    /// The sequence number of segment `seq`. The FIN comes with the last segment and takes one
    /// number.
    fn number(&self, seq: u64) -> u32 {
        let fin = u64::from(self.numbers.is_end(seq));
        (u64::from(INITIAL) + 1 + self.numbers.offset(seq) + fin) as u32
    }

    /// The ECN codepoint in the IP header of a segment.
    fn codepoint(&self, event: &Event<'_>) -> IpEcn {
        match event {
            Event::Sent(sent) if sent.l4s => IpEcn::Ect1,
            Event::Sent(sent) if sent.ect => IpEcn::Ect0,
            Event::Heard(heard) if heard.marked => IpEcn::CongestionExperienced,
            Event::Heard(_) if self.ect_acks => IpEcn::Ect0,
            _ => IpEcn::NotEct,
        }
    }

    fn opening(&self, opening: &Opening, way: Way) -> (TcpHeader, Vec<TcpOptionElement>) {
        let (window, scale) = match way {
            Way::ToReceiver => (u16::MAX, 0),
            Way::ToSender => (self.window, self.scale),
        };
        let mut header = TcpHeader::new(0, 0, INITIAL, window);
        header.syn = true;
        // RFC 3168, section 6.1.1: ECE and CWR offer ECN, ECE alone accepts it.
        // draft-ietf-tcpm-accurate-ecn, section 3.1: all three flags offer accurate feedback, CWR alone accepts it.
        let offers = way == Way::ToReceiver;
        header.ece = self.ecn.is_on() && (offers || !self.ecn.counts());
        header.cwr = self.ecn.is_on() && (offers || self.ecn.counts());
        header.ns = self.ecn.counts() && offers;
        if way == Way::ToSender {
            header.ack = true;
            header.acknowledgment_number = INITIAL + 1;
        }
        let segment = u16::try_from(self.numbers.payload()).unwrap_or(u16::MAX);
        let mut options = vec![TcpOptionElement::MaximumSegmentSize(segment)];
        if self.sack {
            options.extend([
                TcpOptionElement::Noop,
                TcpOptionElement::Noop,
                TcpOptionElement::SelectiveAcknowledgementPermitted,
            ]);
        }
        stamp(opening.stamps, &mut options);
        options.extend([TcpOptionElement::Noop, TcpOptionElement::WindowScale(scale)]);
        (header, options)
    }

    fn data(&self, sent: &Sent) -> (TcpHeader, Vec<TcpOptionElement>) {
        let mut header = TcpHeader::new(0, 0, self.number(sent.seq), u16::MAX);
        header.ack = true;
        header.acknowledgment_number = INITIAL + 1;
        let last = self.numbers.is_last(sent.seq);
        header.psh = last;
        header.fin = last;
        header.cwr = sent.cwr;
        if self.ecn.counts() {
            count(0, &mut header);
        }
        let mut options = Vec::new();
        stamp(sent.stamps, &mut options);
        (header, options)
    }

    fn ack(&self, heard: &Heard<'_>) -> (TcpHeader, Vec<TcpOptionElement>) {
        let mut header = TcpHeader::new(0, 0, INITIAL + 1, self.window);
        header.ack = true;
        header.acknowledgment_number = self.number(heard.ack);
        header.ece = heard.ece;
        if let Some(marks) = heard.marks {
            count(marks, &mut header);
        }
        let mut options = Vec::new();
        stamp(heard.stamps, &mut options);
        let mut blocks = heard
            .blocks
            .iter()
            .map(|block| (self.number(block.start), self.number(block.end)));
        if let Some(first) = blocks.next() {
            let others = [(); 3].map(|()| blocks.next());
            options.extend([
                TcpOptionElement::Noop,
                TcpOptionElement::Noop,
                TcpOptionElement::SelectiveAcknowledgement(first, others),
            ]);
        }
        (header, options)
    }
}

/// Adds the timestamps as RFC 7323 lays them out (appendix A).
/// Writes the number of marked packets that have arrived, modulo 8, into AE, CWR and ECE (draft-ietf-tcpm-accurate-ecn, section 3.2).
fn count(marks: u64, header: &mut TcpHeader) {
    let ace = marks.wrapping_add(FIRST_COUNT);
    header.ns = ace & 4 != 0;
    header.cwr = ace & 2 != 0;
    header.ece = ace & 1 != 0;
}

fn stamp(stamps: Option<Stamps>, options: &mut Vec<TcpOptionElement>) {
    if let Some(stamps) = stamps {
        options.extend([
            TcpOptionElement::Noop,
            TcpOptionElement::Noop,
            TcpOptionElement::Timestamp(stamps.value, stamps.echo),
        ]);
    }
}

/// The receiver's window in a header, and its scale. An unlimited window is the largest possible
/// one; a limited window is rounded up.
fn window(tcp: &Tcp) -> (u16, u8) {
    let scaled = |bytes: u64, scale: u8| bytes.div_ceil(1 << scale);
    let bytes = tcp
        .receiver_window
        .map_or(u64::MAX, |segments| u64::from(segments) * tcp.payload.0);
    let scale = (0..LARGEST_SCALE)
        .find(|&scale| scaled(bytes, scale) <= LARGEST_FIELD)
        .unwrap_or(LARGEST_SCALE);
    // Without the segments that open a connection, an analyser could not know the scale.
    let scale = if tcp.handshake { scale } else { 0 };
    (scaled(bytes, scale).min(LARGEST_FIELD) as u16, scale)
}
