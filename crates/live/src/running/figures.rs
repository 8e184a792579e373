//! Figures of a running network between two moments.

use dumbbell_run::LinkCounts;
use serde::{Deserialize, Serialize};

use crate::emulator::Snapshot;

/// How a network does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Seconds since the network's time began.
    pub elapsed_s: f64,
    /// The time that rates and means are of, in seconds.
    pub interval_s: f64,
    /// What the sender's host sends into the network, in bit/s, headers of IP included.
    pub from_sender_bps: f64,
    /// What the receiver's host gets.
    pub to_receiver_bps: f64,
    /// What the receiver's host sends.
    pub from_receiver_bps: f64,
    /// What the sender's host gets.
    pub to_sender_bps: f64,
    /// The links, at most the first 64.
    pub links: Vec<LinkFigures>,
    /// The TCP connections of the hosts, by the smoothed state of the kernel.
    pub connections: Vec<ConnectionFigures>,
    /// How late 99 % of packets were at most, since the beginning, in seconds.
    pub late_p99_s: f64,
    /// How late the last of them was, in seconds.
    pub late_most_s: f64,
    /// The longest stall of the emulator, in seconds.
    pub stall_s: f64,
    /// Why the results up to now are not to be believed; empty if they are.
    pub faults: Vec<String>,
}

/// How a link does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkFigures {
    /// Its name, as in results.
    pub name: String,
    /// What left its queue, in bit/s.
    pub rate_bps: f64,
    /// The mean number of packets in its queue and in transmission.
    pub queue: f64,
    /// Packets dropped by its queue in this time.
    pub dropped: u64,
    /// Packets lost in this time.
    pub lost: u64,
    /// Packets marked in this time.
    pub marked: u64,
    /// Packets dropped since the beginning.
    pub dropped_in_all: u64,
    /// Packets lost since the beginning.
    pub lost_in_all: u64,
    /// Packets marked since the beginning.
    pub marked_in_all: u64,
}

/// How one end of a connection does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionFigures {
    /// The host: "sender" or "receiver".
    pub host: String,
    /// Its address and port there.
    pub local: String,
    /// The other end.
    pub remote: String,
    /// Its congestion control, by its name in the kernel.
    pub control: String,
    /// Its window, in segments.
    pub cwnd: u32,
    /// Its slow-start threshold, in segments; `None` while there is none.
    pub ssthresh: Option<u32>,
    /// Its smoothed round-trip time, in seconds.
    pub rtt_s: f64,
    /// What was acknowledged of its data, in bit/s.
    pub goodput_bps: f64,
    /// Segments that it has sent again since it was opened.
    pub retransmits: u32,
}

impl Figures {
    /// Returns the figures between two moments. `names` are those of the links.
    pub(super) fn between(before: Option<&Snapshot>, now: &Snapshot, names: &[String]) -> Self {
        let began = before.map_or(0.0, |it| it.elapsed.as_secs_f64());
        let elapsed_s = now.elapsed.as_secs_f64();
        let interval_s = elapsed_s - began;
        let per_second = |amount: f64| match interval_s > 0.0 {
            true => amount / interval_s,
            false => 0.0,
        };
        let bps = |of: &dyn Fn(&Snapshot) -> u64| {
            per_second((of(now) - before.map_or(0, of)) as f64 * 8.0)
        };
        let links = now.links.iter().enumerate().map(|(number, link)| {
            let nothing = LinkCounts::default();
            let before = before.and_then(|it| it.links.get(number));
            let before = before.unwrap_or(&nothing);
            LinkFigures {
                name: names.get(number).cloned().unwrap_or_default(),
                rate_bps: per_second(link.bytes.saturating_sub(before.bytes) as f64 * 8.0),
                queue: per_second((link.queue_s - before.queue_s).max(0.0)),
                dropped: link.dropped.saturating_sub(before.dropped),
                lost: link.lost.saturating_sub(before.lost),
                marked: link.marked.saturating_sub(before.marked),
                dropped_in_all: link.dropped,
                lost_in_all: link.lost,
                marked_in_all: link.marked,
            }
        });
        let judged = &now.judged;
        Self {
            elapsed_s,
            interval_s,
            from_sender_bps: bps(&|it| it.entered_bytes[0]),
            to_receiver_bps: bps(&|it| it.left_bytes[1]),
            from_receiver_bps: bps(&|it| it.entered_bytes[1]),
            to_sender_bps: bps(&|it| it.left_bytes[0]),
            links: links.collect(),
            connections: Vec::new(),
            late_p99_s: judged.lateness.p99_s.max(judged.entry_lateness.p99_s),
            late_most_s: judged.lateness.most_s.max(judged.entry_lateness.most_s),
            stall_s: judged.stalls.worst_s,
            faults: judged.faults.iter().map(ToString::to_string).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::emulator::Judged;

    fn snapshot(seconds: f64, bytes: u64, queue_s: f64, dropped: u64) -> Snapshot {
        Snapshot {
            elapsed: Duration::from_secs_f64(seconds),
            links: vec![LinkCounts {
                bytes,
                dropped,
                lost: 0,
                marked: 0,
                queue_s,
            }],
            entered_bytes: [bytes + 1000, 0],
            left_bytes: [0, bytes],
            judged: Judged::default(),
        }
    }

    /// 500 ms in which 125,000 bytes left: 2 Mb/s; and 5 packet-seconds of waiting: 10 packets.
    #[test]
    fn figures_are_those_of_the_interval() {
        let (before, now) = (snapshot(2.0, 1_000, 3.0, 4), snapshot(2.5, 126_000, 8.0, 6));
        let names = ["bottleneck".to_owned()];
        let found = Figures::between(Some(&before), &now, &names);
        let link = &found.links[0];
        assert_eq!(link.name, "bottleneck");
        for (found, expected) in [
            (link.rate_bps, 2e6),
            (link.queue, 10.0),
            (found.to_receiver_bps, 2e6),
            (found.from_sender_bps, 2e6),
            (found.to_sender_bps, 0.0),
        ] {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!((link.dropped, link.dropped_in_all), (2, 6));
        let first = Figures::between(None, &now, &names);
        assert!((first.links[0].queue - 3.2).abs() < 1e-9);
        assert_eq!(first.links[0].dropped, 6);
    }
}
