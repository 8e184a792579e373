//! What has been counted at a flow up to a moment, so that results can begin after a warm-up.

use dumbbell_scenario::{Flow, Traffic};
use dumbbell_sim::Time;

use crate::flow::tcp::delivered_bytes;
use crate::flow::{FlowReceiver, FlowSender};
use crate::outcome::Scores;

/// The counters of a flow since its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    /// Payload delivered in order, in bytes.
    pub(crate) delivered: u64,
    /// Payload that arrived, in bytes.
    pub(crate) arrived: u64,
    pub(crate) sent: u64,
    pub(crate) retransmits: u64,
    pub(crate) timeouts: u64,
    pub(crate) recoveries: u64,
    pub(crate) ecn_cuts: u64,
    pub(crate) marks: u64,
    pub(crate) rtt_samples: u64,
    /// The sum of the round-trip times, in nanoseconds.
    pub(crate) rtt_sum: u64,
    /// The integral of the window over time, in its raw unit times nanoseconds.
    pub(crate) cwnd_area: f64,
    pub(crate) classified: Vec<Scores>,
}

impl Totals {
    /// The counters of a flow, which is at `now`.
    pub(crate) fn of(flow: &Flow, sender: &FlowSender, receiver: &FlowReceiver, now: Time) -> Self {
        match (sender, receiver, &flow.traffic) {
            (FlowSender::Tcp(sender), FlowReceiver::Tcp(receiver), Traffic::Tcp(tcp)) => {
                let counters = sender.tcp().counters();
                let window = sender.tcp().window().0.cwnd;
                let end = sender.finish.unwrap_or(now).min(now);
                Self {
                    delivered: delivered_bytes(tcp, receiver.tcp().delivered()),
                    arrived: receiver.payload,
                    sent: counters.sent,
                    retransmits: counters.retransmits,
                    timeouts: counters.timeouts,
                    recoveries: counters.fast_recoveries,
                    ecn_cuts: counters.ecn_cuts,
                    marks: receiver.tcp().marks(),
                    rtt_samples: sender.tcp().rtt_samples(),
                    rtt_sum: sender.seen.rtt_sum(),
                    cwnd_area: sender.seen.cwnd_area(window, sender.start, end),
                    classified: sender
                        .judge
                        .as_ref()
                        .map_or_else(Vec::new, |judge| judge.scores()),
                }
            }
            (FlowSender::Workload(workload), _, _) => workload.totals(),
            (FlowSender::Udp(sender), FlowReceiver::Udp(receiver), _) => Self {
                delivered: receiver.bytes,
                arrived: receiver.bytes,
                sent: sender.sent,
                ..Self::default()
            },
            (FlowSender::Media(sender), FlowReceiver::Media(receiver), _) => {
                let (sent, received) = (sender.counters(), receiver.counters());
                let (rtt_samples, rtt_sum) = sender.rtts_so_far();
                Self {
                    delivered: received.bytes,
                    arrived: receiver.bytes,
                    sent: sent.sent,
                    timeouts: sent.expiries,
                    recoveries: received.loss_events,
                    marks: received.marked,
                    rtt_samples,
                    rtt_sum,
                    ..Self::default()
                }
            }
            _ => unreachable!("both ends of a flow are made together"),
        }
    }

    /// What was counted after `earlier`.
    pub(crate) fn since(mut self, earlier: &Self) -> Self {
        for (scores, before) in self.classified.iter_mut().zip(&earlier.classified) {
            scores.subtract(before);
        }
        Self {
            delivered: self.delivered - earlier.delivered,
            arrived: self.arrived - earlier.arrived,
            sent: self.sent - earlier.sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            recoveries: self.recoveries - earlier.recoveries,
            ecn_cuts: self.ecn_cuts - earlier.ecn_cuts,
            marks: self.marks - earlier.marks,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            rtt_sum: self.rtt_sum - earlier.rtt_sum,
            cwnd_area: self.cwnd_area - earlier.cwnd_area,
            classified: self.classified,
        }
    }
}
