//! Probes: a few packets at a rate above the estimate, as WebRTC's `BitrateProber` sends them.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};
use goog_cc::transport::{PacedPacketInfo, ProbeClusterConfig};
use goog_cc::units::DataRate;

/// A probe that has not begun after this time is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most probes that wait.
const MOST: usize = 8;
/// The sizes of packets without content, in bytes.
const SIZES: std::ops::RangeInclusive<f64> = 200.0..=1000.0;

/// The probes that are to be sent, the first of them now.
#[derive(Debug, Default)]
pub(super) struct Probes {
    waiting: VecDeque<Probe>,
    /// The number of probes that were sent.
    pub(super) finished: u64,
}

#[derive(Debug)]
struct Probe {
    info: PacedPacketInfo,
    /// In bit/s.
    rate: f64,
    /// The size of a packet without content.
    size: u32,
    packets: i64,
    /// When it is given up if it has not begun; set when time is known.
    until: Option<Instant>,
}

impl Probes {
    pub(super) fn add(&mut self, cluster: &ProbeClusterConfig) {
        let rate = cluster.target_data_rate.bps_float();
        if self.waiting.len() == MOST || !(rate.is_finite() && rate > 0.0) {
            return;
        }
        let least = cluster.target_data_rate * cluster.target_duration;
        let mut info = PacedPacketInfo::new(
            cluster.id,
            i64::from(cluster.target_probe_count).max(1),
            least.bytes().max(1),
        );
        info.send_bitrate = DataRate::from_bits_per_sec_float(rate);
        // BitrateProber::RecommendedMinProbeSize: twice what the rate has in min_probe_delta.
        let size = rate / 8.0 * 2.0 * cluster.min_probe_delta.seconds_float();
        self.waiting.push_back(Probe {
            info,
            rate,
            size: size.max(*SIZES.start()).min(*SIZES.end()) as u32,
            packets: 0,
            until: None,
        });
    }

    /// The rate of the probe that is being sent.
    pub(super) fn rate(&self) -> Option<f64> {
        self.waiting.front().map(|probe| probe.rate)
    }

    /// The size of the packet that is sent if no media waits.
    pub(super) fn padding(&self) -> Option<u32> {
        self.waiting.front().map(|probe| probe.size)
    }

    /// A packet leaves: returns the probe to which it belongs.
    pub(super) fn on_sent(&mut self, now: Instant, bytes: u32) -> PacedPacketInfo {
        let Some(probe) = self.waiting.front_mut() else {
            return PacedPacketInfo::default();
        };
        probe.until.get_or_insert(now + PATIENCE);
        let info = probe.info;
        probe.info.probe_cluster_bytes_sent += i64::from(bytes);
        probe.packets += 1;
        let enough = probe.packets >= probe.info.probe_cluster_min_probes
            && probe.info.probe_cluster_bytes_sent >= probe.info.probe_cluster_min_bytes;
        if enough {
            self.waiting.pop_front();
            self.finished += 1;
        }
        info
    }

    /// Gives up probes that have taken too long.
    pub(super) fn expire(&mut self, now: Instant) {
        while let Some(probe) = self.waiting.front_mut() {
            if *probe.until.get_or_insert(now + PATIENCE) > now {
                return;
            }
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goog_cc::units::TimeDelta;

    fn cluster(kbps: i64) -> ProbeClusterConfig {
        ProbeClusterConfig {
            target_data_rate: DataRate::from_kilobits_per_sec(kbps),
            target_duration: TimeDelta::from_millis(15),
            target_probe_count: 5,
            id: 3,
            ..ProbeClusterConfig::default()
        }
    }

    /// By hand: 900 kb/s for 15 ms are 1687.5 bytes; bursts of 4 ms have 450 bytes, and five of them 2250.
    #[test]
    fn a_probe_has_its_packets_and_its_bytes() {
        let mut probes = Probes::default();
        probes.add(&cluster(900));
        assert_eq!((probes.rate(), probes.padding()), (Some(9e5), Some(450)));
        for sent in 0..5 {
            let info = probes.on_sent(Instant::ZERO, 450);
            assert_eq!(
                (info.probe_cluster_id, info.probe_cluster_min_bytes),
                (3, 1688)
            );
            assert_eq!(info.probe_cluster_bytes_sent, 450 * sent);
        }
        assert_eq!((probes.rate(), probes.finished), (None, 1));
        let after = probes.on_sent(Instant::ZERO, 450);
        assert_eq!(after.probe_cluster_id, PacedPacketInfo::NOT_APROBE);
    }

    #[test]
    fn a_probe_that_nothing_carries_is_given_up() {
        let mut probes = Probes::default();
        for _ in 0..20 {
            probes.add(&cluster(450));
        }
        assert_eq!(probes.waiting.len(), MOST);
        probes.expire(Instant::ZERO);
        probes.expire(Instant::ZERO + Duration::from_secs(5));
        assert_eq!(probes.waiting.len(), MOST - 1);
        assert_eq!(probes.finished, 0);
    }
}
