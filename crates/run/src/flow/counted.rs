//! What has been counted at the two ends of a flow.

use dumbbell_scenario::{Flow, Traffic};
use dumbbell_sim::Time;

use super::tcp::delivered_bytes;
use super::{FlowReceiver, FlowSender};
use crate::totals::Totals;

/// The counters of a flow, which is at `now`.
pub(crate) fn totals(
    flow: &Flow,
    sender: &FlowSender,
    receiver: &FlowReceiver,
    now: Time,
) -> Totals {
    match (sender, receiver, &flow.traffic) {
        (FlowSender::Tcp(sender), FlowReceiver::Tcp(receiver), Traffic::Tcp(tcp)) => {
            let counters = sender.tcp().counters();
            let window = sender.tcp().window().0.cwnd;
            let end = sender.finish().unwrap_or(now).min(now);
            Totals {
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
                classified: sender.judge().map_or_else(Vec::new, |judge| judge.scores()),
            }
        }
        (FlowSender::Quic(sender), FlowReceiver::Quic(receiver), Traffic::Tcp(tcp)) => {
            let counters = sender.quic().counters();
            let end = sender.finish.unwrap_or(now).min(now);
            let window = sender.quic().window().cwnd;
            Totals {
                delivered: delivered_bytes(tcp, receiver.quic().delivered()),
                arrived: receiver.payload,
                sent: counters.sent,
                retransmits: counters.again,
                timeouts: counters.timeouts,
                recoveries: counters.episodes,
                ecn_cuts: counters.ecn_cuts,
                marks: receiver.quic().marks(),
                rtt_samples: sender.quic().rtt_samples(),
                rtt_sum: sender.seen.rtt_sum(),
                cwnd_area: sender.seen.cwnd_area(window, sender.start, end),
                classified: Vec::new(),
            }
        }
        (FlowSender::Workload(workload), _, _) => workload.totals(),
        (FlowSender::Udp(sender), FlowReceiver::Udp(receiver), _) => Totals {
            delivered: receiver.bytes,
            arrived: receiver.bytes,
            sent: sender.sent,
            ..Totals::default()
        },
        (FlowSender::Media(sender), FlowReceiver::Media(receiver), _) => {
            let (sent, received) = (sender.counters(), receiver.counters());
            let (rtt_samples, rtt_sum) = sender.rtts_so_far();
            Totals {
                delivered: receiver.delivered(),
                arrived: receiver.bytes,
                sent: sent.sent,
                timeouts: sent.expiries,
                recoveries: received.loss_events,
                marks: received.marked,
                rtt_samples,
                rtt_sum,
                ..Totals::default()
            }
        }
        _ => unreachable!("both ends of a flow are made together"),
    }
}
