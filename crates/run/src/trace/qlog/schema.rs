//! The objects of qlog that are written, with the names of its main schema and of its QUIC events
//! (draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-01).

use serde::Serialize;

/// The beginning of a file, without the traces.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    qlog_version: &'static str,
    qlog_format: &'static str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
}

impl<'a> Head<'a> {
    pub(super) fn new(title: &'a str, description: Option<&'a str>) -> Self {
        Self {
            qlog_version: "0.3",
            qlog_format: "JSON",
            title,
            description,
        }
    }
}

/// The beginning of a trace, without the events.
#[derive(Serialize)]
pub(super) struct TraceHead<'a> {
    title: &'a str,
    description: &'a str,
    vantage_point: VantagePoint,
    common_fields: CommonFields<'a>,
}

#[derive(Serialize)]
struct VantagePoint {
    name: &'static str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct CommonFields<'a> {
    group_id: &'a str,
    protocol_type: [&'a str; 1],
    time_format: &'static str,
    reference_time: u8,
}

impl<'a> TraceHead<'a> {
    pub(super) fn new(name: &'a str, description: &'a str, protocol: &'a str) -> Self {
        Self {
            title: name,
            description,
            vantage_point: VantagePoint {
                name: "sender",
                r#type: "client",
            },
            common_fields: CommonFields {
                group_id: name,
                protocol_type: [protocol],
                time_format: "relative",
                reference_time: 0,
            },
        }
    }
}

/// An event.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    /// In milliseconds from the start of the run.
    pub time: f64,
    pub name: &'static str,
    pub data: &'a Data<'a>,
}

/// The data of an event.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Data<'a> {
    ConnectionStarted {
        ip_version: &'static str,
        src_ip: String,
        dst_ip: String,
        protocol: &'static str,
        src_port: u16,
        dst_port: u16,
    },
    ParametersSet {
        reordering_threshold: u32,
        max_datagram_size: u64,
        initial_congestion_window: u64,
    },
    PacketSent(Packet<Stream>),
    PacketReceived(Packet<Ack<'a>>),
    DatagramsSent {
        count: u32,
        raw: [Raw; 1],
    },
    PacketLost {
        header: Header,
        trigger: &'static str,
    },
    MetricsUpdated(Metrics),
    CongestionStateUpdated {
        #[serde(skip_serializing_if = "Option::is_none")]
        old: Option<&'static str>,
        new: &'static str,
    },
    LossTimerUpdated {
        timer_type: &'static str,
        event_type: &'static str,
    },
}

impl Data<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::ConnectionStarted { .. } => "connectivity:connection_started",
            Self::ParametersSet { .. } => "recovery:parameters_set",
            Self::PacketSent(_) => "transport:packet_sent",
            Self::PacketReceived(_) => "transport:packet_received",
            Self::DatagramsSent { .. } => "transport:datagrams_sent",
            Self::PacketLost { .. } => "recovery:packet_lost",
            Self::MetricsUpdated(_) => "recovery:metrics_updated",
            Self::CongestionStateUpdated { .. } => "recovery:congestion_state_updated",
            Self::LossTimerUpdated { .. } => "recovery:loss_timer_updated",
        }
    }
}

/// A packet, with at most one frame.
#[derive(Serialize)]
pub(super) struct Packet<F> {
    pub header: Header,
    pub raw: Raw,
    pub frames: [F; 1],
}

/// All packets are in the same packet number space.
#[derive(Serialize)]
pub(super) struct Header {
    packet_type: &'static str,
    packet_number: u64,
}

impl Header {
    pub(super) fn of(packet_number: u64) -> Self {
        Self {
            packet_type: "1RTT",
            packet_number,
        }
    }
}

/// Sizes in bytes.
#[derive(Serialize)]
pub(super) struct Raw {
    length: u16,
}

impl Raw {
    pub(super) fn of(length: u16) -> Self {
        Self { length }
    }
}

/// The bytes of a segment.
#[derive(Serialize)]
pub(super) struct Stream {
    pub frame_type: &'static str,
    pub stream_id: u8,
    pub offset: u64,
    pub length: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fin: bool,
}

/// The packets that an ACK newly acknowledges, as ranges from first to last.
#[derive(Serialize)]
pub(super) struct Ack<'a> {
    pub frame_type: &'static str,
    pub acked_ranges: &'a [[u64; 2]],
}

/// Times in milliseconds, windows in bytes. Values that have not changed are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Metrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoothed_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssthresh: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_in_flight: Option<u64>,
}

impl Metrics {
    /// The values that differ from before; `None` if there are none.
    pub(super) fn since(self, before: &Self) -> Option<Self> {
        fn news<T: PartialEq>(now: Option<T>, before: &Option<T>) -> Option<T> {
            now.filter(|now| before.as_ref() != Some(now))
        }
        let news = Self {
            min_rtt: news(self.min_rtt, &before.min_rtt),
            smoothed_rtt: news(self.smoothed_rtt, &before.smoothed_rtt),
            latest_rtt: news(self.latest_rtt, &before.latest_rtt),
            congestion_window: news(self.congestion_window, &before.congestion_window),
            bytes_in_flight: news(self.bytes_in_flight, &before.bytes_in_flight),
            ssthresh: news(self.ssthresh, &before.ssthresh),
            packets_in_flight: news(self.packets_in_flight, &before.packets_in_flight),
        };
        (news != Self::default()).then_some(news)
    }
}
