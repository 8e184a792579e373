//! GCC: Google congestion control as WebRTC has it, by the crate `goog_cc`, which is not ours: a port of WebRTC's C++ to
//! Rust. This file translates between its calls and a [`Control`]; it is there to compare others with, behind the feature `gcc`.
//!
//! | here | there |
//! |---|---|
//! | first packet | `on_network_availability`, `on_process_interval` |
//! | every 25 ms | `on_process_interval` |
//! | packet sent | `on_sent_packet`, as part of a probe if there is one |
//! | report | `on_transport_packets_feedback`: its round-trip times and losses, too (`feedback_only`) |
//! | target rate | `target_rate`, less `cwnd_reduce_ratio`, with which WebRTC drops frames; between the encoder's bounds |
//! | pacing rate | that of the probe, or else `pacer_config`: 2.5 times the target |
//!
//! *Source.* WebRTC's revision da2a3d6c4d of 2024-12-09, with its default field trials: a trend line of the delay
//! (draft-ietf-rmcat-gcc-02 has its ancestor), the second loss-based estimator, probes. *Readings.* A probe is sent as the
//! packets that wait or, if none do, as packets without content of the size of WebRTC's bursts. Sizes are of payload, as those of
//! the other controls. *Deviations.* No padding outside of probes (WebRTC's default), no probes while the application
//! limits the rate (WebRTC has them for shared screens). *Determinism.* The crate reads the clock of the machine to note when the
//! application began to limit the rate, which matters for these last probes only. Its powers and logarithms are those of the
//! platform, so that runs are the same on one platform, and perhaps not on two.
//!
//! The crate's part is made with the first packet, in the thread that sends it, and stays there: an emulator builds its simulated
//! flows in one thread, and runs them in another. If it is dropped in a third one, its memory is not given back.
//!
//! *Signals*: delays, losses. *Hosts*: the simulator, and live streams.

mod probe;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};
use goog_cc::network_control::{NetworkControllerConfig, NetworkControllerInterface as _};
use goog_cc::transport::{
    EcnMarking, NetworkAvailability, NetworkControlUpdate, PacedPacketInfo, PacketResult,
    ProcessInterval, SentPacket, StreamsConfig, TargetRateConstraints, TransportPacketsFeedback,
};
use goog_cc::units::{DataRate, DataSize, Timestamp};
use goog_cc::{GoogCcConfig, GoogCcNetworkController};
use send_wrapper::SendWrapper;

use crate::control::{Control, Ecn, Fate, Known, Report, Sent};
use probe::Probes;

/// How often the control is to be woken up: `get_process_interval`.
const PROCESS: Duration = Duration::from_millis(25);
/// Time 0 means "never" in some places there, so our clock starts at 1000 s.
const ORIGIN: i64 = 1_000_000_000;
/// The most packets of probes whose fate is awaited, and of lost packets that wait for a report with an arrival.
const MOST_AWAITED: usize = 1024;

/// The bounds of GCC. Rates are in bit/s of payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The least rate of the encoder, and of the estimate.
    pub rate_min: f64,
    /// The largest rate of the encoder, at least `rate_min`.
    pub rate_max: f64,
    /// The first estimate, at least `rate_min`.
    pub rate_start: f64,
    /// The interval of reports.
    pub interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rate_min: 150e3,
            rate_max: 1.5e6,
            rate_start: 150e3,
            interval: Duration::from_millis(50),
        }
    }
}

/// A GCC sender.
pub struct Gcc {
    config: Config,
    /// The crate's type cannot be proved to be safe in another thread; it panics if it is used in one.
    inner: Option<SendWrapper<GoogCcNetworkController>>,
    /// The estimate less what the window pushes back, and the pacing rate, in bit/s.
    target: f64,
    pacing: f64,
    loss: f64,
    rtt: f64,
    probes: Probes,
    /// The packets of probes whose fate is not known, in the order of their numbers.
    awaited: VecDeque<(u64, PacedPacketInfo)>,
    /// What is told at the next report that has an arrival: without one, the crate panics.
    news: Vec<PacketResult>,
    next: Option<Instant>,
    waiting: u64,
}

impl Gcc {
    /// Makes a sender at its first rate.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            inner: None,
            target: config.rate_start,
            pacing: config.rate_start,
            loss: 0.0,
            rtt: 0.0,
            probes: Probes::default(),
            awaited: VecDeque::with_capacity(MOST_AWAITED),
            news: Vec::with_capacity(MOST_AWAITED),
            next: None,
            waiting: 0,
        }
    }

    /// The crate's part.
    fn inner(&mut self) -> &mut GoogCcNetworkController {
        let config = self.config;
        self.inner
            .get_or_insert_with(|| SendWrapper::new(controller(config)))
    }

    fn start(&mut self, now: Instant) {
        let update = self.inner().on_network_availability(NetworkAvailability {
            at_time: time(now),
            network_available: true,
        });
        self.take(&update);
        self.process(now);
    }

    fn process(&mut self, now: Instant) {
        let interval = ProcessInterval {
            at_time: time(now),
            pacer_queue: Some(bytes(self.waiting)),
        };
        let update = self.inner().on_process_interval(interval);
        self.take(&update);
        self.probes.expire(now);
        self.next = Some(now + PROCESS);
    }

    /// Takes what the crate decides.
    fn take(&mut self, update: &NetworkControlUpdate) {
        if let Some(target) = &update.target_rate {
            let left = 1.0 - target.cwnd_reduce_ratio.clamp(0.0, 1.0);
            self.target = target.target_rate.bps_float() * left;
            self.loss = f64::from(target.network_estimate.loss_rate_ratio);
            let rtt = target.network_estimate.round_trip_time;
            if rtt.is_finite() {
                self.rtt = rtt.seconds_float();
            }
        }
        if let Some(pacer) = &update.pacer_config {
            self.pacing = pacer.data_rate().bps_float();
        }
        for cluster in &update.probe_cluster_configs {
            self.probes.add(cluster);
        }
    }

    /// Returns what the crate has to know of a packet whose fate is new; `None` if its arrival has no time.
    fn result(&mut self, packet: &Known) -> Option<PacketResult> {
        let (receive_time, ecn) = match packet.fate {
            Fate::Arrived { at, ecn, .. } => (time(at?), marking(ecn)),
            Fate::Missing => (Timestamp::plus_infinity(), EcnMarking::NotEct),
        };
        Some(PacketResult {
            sent_packet: SentPacket {
                send_time: time(packet.sent_at),
                size: bytes(packet.bytes.into()),
                pacing_info: self.probe_of(packet.sequence),
                sequence_number: packet.sequence as i64,
                ..SentPacket::default()
            },
            receive_time,
            ecn,
        })
    }

    fn probe_of(&self, sequence: u64) -> PacedPacketInfo {
        let found = self
            .awaited
            .binary_search_by_key(&sequence, |(number, _)| *number);
        found.map_or_else(|_| PacedPacketInfo::default(), |at| self.awaited[at].1)
    }
}

impl Control for Gcc {
    fn on_waiting(&mut self, _: Instant, bytes: u64) {
        self.waiting = bytes;
    }

    fn on_sent(&mut self, sent: &Sent) {
        if self.next.is_none() {
            self.start(sent.now);
        }
        let pacing_info = self.probes.on_sent(sent.now, sent.bytes);
        if pacing_info.probe_cluster_id != PacedPacketInfo::NOT_APROBE {
            if self.awaited.len() == MOST_AWAITED {
                self.awaited.pop_front();
            }
            self.awaited.push_back((sent.sequence, pacing_info));
        }
        let update = self.inner().on_sent_packet(SentPacket {
            send_time: time(sent.now),
            size: bytes(sent.bytes.into()),
            pacing_info,
            sequence_number: sent.sequence as i64,
            data_in_flight: bytes(sent.in_flight),
            ..SentPacket::default()
        });
        self.take(&update);
    }

    fn on_report(&mut self, report: &Report<'_>) {
        for packet in report.packets {
            if self.news.len() < MOST_AWAITED
                && let Some(result) = self.result(packet)
            {
                self.news.push(result);
            }
        }
        if !self.news.iter().any(PacketResult::is_received) {
            return;
        }
        let news = std::mem::replace(&mut self.news, Vec::with_capacity(MOST_AWAITED));
        let update = self
            .inner()
            .on_transport_packets_feedback(TransportPacketsFeedback {
                feedback_time: time(report.now),
                data_in_flight: bytes(report.in_flight),
                packet_feedbacks: news,
                sendless_arrival_times: Vec::new(),
            });
        self.take(&update);
    }

    fn on_timer(&mut self, now: Instant) {
        if self.next.is_some_and(|next| next <= now) {
            self.process(now);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn target_rate(&self) -> f64 {
        self.target
            .max(self.config.rate_min)
            .min(self.config.rate_max)
    }

    fn pacing_rate(&self) -> f64 {
        self.probes.rate().unwrap_or(self.pacing)
    }

    fn padding(&self) -> Option<u32> {
        self.probes.padding()
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let probing = self.probes.rate().is_some();
        out(
            "mode",
            Value::State(if probing { "probe" } else { "media" }),
        );
        out("estimate", Value::BitRate(self.target));
        out("loss_ratio", Value::Number(self.loss));
        out("rtt", Value::Seconds(self.rtt));
        out("probes", Value::Number(self.probes.finished as f64));
    }
}

impl Drop for Gcc {
    fn drop(&mut self) {
        // In another thread, dropping it would be a panic.
        if let Some(inner) = self.inner.take().filter(|inner| !inner.valid()) {
            std::mem::forget(inner);
        }
    }
}

fn controller(config: Config) -> GoogCcNetworkController {
    let rate = |rate: f64| Some(DataRate::from_bits_per_sec_float(rate));
    let at_time = time(Instant::ZERO);
    GoogCcNetworkController::new(
        NetworkControllerConfig {
            constraints: TargetRateConstraints {
                at_time,
                min_data_rate: rate(config.rate_min),
                max_data_rate: None,
                starting_rate: rate(config.rate_start),
            },
            stream_based_config: StreamsConfig {
                at_time,
                min_total_allocated_bitrate: rate(config.rate_min),
                max_total_allocated_bitrate: rate(config.rate_max),
                ..StreamsConfig::default()
            },
            ..NetworkControllerConfig::default()
        },
        GoogCcConfig {
            feedback_only: true,
        },
    )
}

fn time(at: Instant) -> Timestamp {
    Timestamp::from_micros(ORIGIN + (at.as_nanos() / 1000) as i64)
}

fn bytes(bytes: u64) -> DataSize {
    DataSize::from_bytes(bytes as i64)
}

fn marking(ecn: Ecn) -> EcnMarking {
    match ecn {
        Ecn::NotEct => EcnMarking::NotEct,
        Ecn::Ect1 => EcnMarking::Ect1,
        Ecn::Ect0 => EcnMarking::Ect0,
        Ecn::Ce => EcnMarking::Ce,
    }
}
