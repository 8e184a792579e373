//! Describes the events at a TCP sender in the terms of QUIC.

use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;

use dumbbell_control::units::{Duration, Segments};
use dumbbell_scenario::Tcp;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::DUP_THRESHOLD;

use super::schema::{Ack, Data, Header, Metrics, Packet, Raw, Stream};
use super::{Lines, milliseconds};
use crate::trace::event::{Event, Heard, News, Sent, State};
use crate::trace::frame::Hosts;
use crate::trace::numbers::Numbers;

/// The state of a traced connection.
pub(super) struct Connection {
    hosts: Hosts,
    numbers: Numbers,
    /// The oldest segment in flight.
    una: u64,
    /// The segments in flight, beginning with `una`.
    in_flight: VecDeque<Flying>,
    /// The number of ACKs so far, which is the next packet number of an ACK.
    acks: u64,
    ranges: Vec<[u64; 2]>,
    metrics: Metrics,
    congestion: Option<&'static str>,
    /// Whether the last loss was detected by the retransmission timer.
    timed_out: bool,
}

/// A segment in flight.
#[derive(Clone, Copy)]
struct Flying {
    /// Its last transmission.
    packet: u64,
    sacked: bool,
}

impl Connection {
    pub(super) fn new(tcp: &Tcp, hosts: Hosts) -> Self {
        Self {
            hosts,
            numbers: Numbers::of(tcp),
            una: 0,
            in_flight: VecDeque::new(),
            acks: 0,
            ranges: Vec::new(),
            metrics: Metrics::default(),
            congestion: None,
            timed_out: false,
        }
    }

    pub(super) fn record(
        &mut self,
        lines: &mut Lines<'_>,
        event: &Event<'_>,
        state: &State,
    ) -> io::Result<()> {
        if self.congestion.is_none() {
            self.begin(lines, state)?;
        }
        match event {
            Event::Sent(sent) => self.send(lines, sent)?,
            Event::Heard(heard) => self.hear(lines, heard)?,
            Event::Timeout => {
                self.timed_out = true;
                lines.push(&Data::LossTimerUpdated {
                    timer_type: "pto",
                    event_type: "expired",
                })?;
            }
            Event::Recovery => self.timed_out = false,
            _ => {}
        }
        self.tell(lines, event, state)
    }

    fn begin(&self, lines: &mut Lines<'_>, state: &State) -> io::Result<()> {
        let [(source, source_port), (destination, destination_port)] = self.hosts.ends();
        lines.push(&Data::ConnectionStarted {
            ip_version: "v4",
            src_ip: Ipv4Addr::from(source).to_string(),
            dst_ip: Ipv4Addr::from(destination).to_string(),
            protocol: "TCP",
            src_port: source_port,
            dst_port: destination_port,
        })?;
        lines.push(&Data::ParametersSet {
            reordering_threshold: DUP_THRESHOLD,
            max_datagram_size: self.numbers.payload(),
            initial_congestion_window: self.bytes(state.cwnd),
        })
    }

    fn send(&mut self, lines: &mut Lines<'_>, sent: &Sent) -> io::Result<()> {
        let flying = Flying {
            packet: sent.packet,
            sacked: false,
        };
        match self.in_flight.get_mut((sent.seq - self.una) as usize) {
            Some(known) => {
                let lost = std::mem::replace(known, flying).packet;
                lines.push(&Data::PacketLost {
                    header: Header::of(lost),
                    trigger: if self.timed_out {
                        "pto_expired"
                    } else {
                        "reordering_threshold"
                    },
                })?;
            }
            None => self.in_flight.push_back(flying),
        }
        lines.push(&Data::PacketSent(Packet {
            header: Header::of(sent.packet),
            raw: Raw::of(sent.bytes),
            frames: [Stream {
                frame_type: "stream",
                stream_id: 0,
                offset: self.numbers.offset(sent.seq),
                length: self.numbers.length(sent.seq),
                fin: self.numbers.is_last(sent.seq),
            }],
        }))
    }

    fn hear(&mut self, lines: &mut Lines<'_>, heard: &Heard<'_>) -> io::Result<()> {
        self.ranges.clear();
        if heard.news != News::Nothing {
            self.acknowledge(heard);
        }
        let number = self.acks;
        self.acks += 1;
        lines.push(&Data::PacketReceived(Packet {
            header: Header::of(number),
            raw: Raw::of(heard.bytes),
            frames: [Ack {
                frame_type: "ack",
                acked_ranges: &self.ranges,
            }],
        }))
    }

    /// Lists the transmissions that this ACK newly acknowledges.
    fn acknowledge(&mut self, heard: &Heard<'_>) {
        let mut packets = Vec::new();
        while self.una < heard.ack
            && let Some(flying) = self.in_flight.pop_front()
        {
            self.una += 1;
            if !flying.sacked {
                packets.push(flying.packet);
            }
        }
        for block in heard.blocks {
            let from = block.start.max(self.una) - self.una;
            let count = block.end.saturating_sub(block.start.max(self.una));
            let sacked = self
                .in_flight
                .iter_mut()
                .skip(from as usize)
                .take(count as usize);
            for flying in sacked.filter(|flying| !flying.sacked) {
                flying.sacked = true;
                packets.push(flying.packet);
            }
        }
        packets.sort_unstable();
        for packet in packets {
            match self.ranges.last_mut() {
                Some([_, last]) if *last + 1 == packet => *last = packet,
                _ => self.ranges.push([packet, packet]),
            }
        }
    }

    /// Writes the changes of the sender's state.
    fn tell(&mut self, lines: &mut Lines<'_>, event: &Event<'_>, state: &State) -> io::Result<()> {
        let rtt = match event {
            Event::Heard(heard) => heard.rtt.map(as_milliseconds),
            _ => None,
        };
        let metrics = Metrics {
            min_rtt: match (self.metrics.min_rtt, rtt) {
                (Some(least), Some(rtt)) => Some(rtt.min(least)),
                (least, rtt) => least.or(rtt),
            },
            smoothed_rtt: state.srtt.map(as_milliseconds),
            latest_rtt: rtt.or(self.metrics.latest_rtt),
            congestion_window: Some(self.bytes(state.cwnd)),
            bytes_in_flight: Some(state.in_flight * self.numbers.payload()),
            ssthresh: state.ssthresh.map(|ssthresh| self.bytes(ssthresh)),
            packets_in_flight: Some(state.in_flight),
        };
        if let Some(news) = metrics.since(&self.metrics) {
            lines.push(&Data::MetricsUpdated(news))?;
            self.metrics = metrics;
        }
        let congestion = congestion(state);
        if self.congestion != Some(congestion) {
            lines.push(&Data::CongestionStateUpdated {
                old: self.congestion,
                new: congestion,
            })?;
            self.congestion = Some(congestion);
        }
        Ok(())
    }

    /// The size of a window in whole bytes.
    fn bytes(&self, window: Segments) -> u64 {
        let product = u128::from(window.raw()) * u128::from(self.numbers.payload());
        (product / u128::from(Segments::ONE.raw())) as u64
    }
}

/// qlog's name of a sender's state.
fn congestion(state: &State) -> &'static str {
    match state.phase {
        Phase::Recovery => "recovery",
        _ if state.ssthresh.is_none_or(|ssthresh| state.cwnd < ssthresh) => "slow_start",
        _ => "congestion_avoidance",
    }
}

fn as_milliseconds(span: Duration) -> f64 {
    milliseconds(span.as_nanos())
}
