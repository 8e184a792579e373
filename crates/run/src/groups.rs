//! What the flows of a group did together: their transfers and their times.

use std::collections::BTreeMap;

use crate::delays::{Sample, Times};
use crate::flow::{FlowReceiver, FlowSender};
use crate::outcome::GroupOutcome;
use crate::transfer::{Transfer, Transfers};

/// The groups of a run, in the order of their first flows.
#[derive(Default)]
pub(crate) struct Groups {
    places: BTreeMap<String, usize>,
    groups: Vec<Group>,
}

/// The flows of a group.
pub(crate) struct Group {
    name: String,
    flows: u64,
    transfers: Transfers,
    rtt: Times,
    queueing: Times,
}

impl Groups {
    /// The group with this name.
    pub(crate) fn of(&mut self, name: &str) -> &mut Group {
        let place = match self.places.get(name) {
            Some(&place) => place,
            None => {
                self.places.insert(name.to_owned(), self.groups.len());
                self.groups.push(Group {
                    name: name.to_owned(),
                    flows: 0,
                    transfers: Transfers::default(),
                    rtt: Times::default(),
                    queueing: Times::default(),
                });
                self.groups.len() - 1
            }
        };
        &mut self.groups[place]
    }

    pub(crate) fn outcomes(self) -> Vec<GroupOutcome> {
        self.groups.into_iter().map(Group::outcome).collect()
    }
}

impl Group {
    /// Adds a flow. `before` is the number and the sum of its round-trip times before the
    /// measurements began.
    pub(crate) fn add(
        &mut self,
        transfer: Transfer,
        sender: &FlowSender,
        receiver: &FlowReceiver,
        before: (u64, u64),
    ) {
        self.flows += 1;
        self.transfers.add(transfer);
        self.rtt.add(&rtts(sender, before));
        self.queueing.add(&receiver.queueing(sender).sample());
    }

    fn outcome(self) -> GroupOutcome {
        let rates = self.transfers.rates();
        let rtt = self.rtt.sample().summary();
        let queueing = self.queueing.sample().summary().of_delays();
        GroupOutcome {
            name: self.name,
            flows: self.flows,
            goodput_bps: rates.goodput,
            throughput_bps: rates.throughput,
            share: rates.share,
            rtt_mean_s: rtt.mean,
            rtt_p50_s: rtt.p50,
            rtt_p95_s: rtt.p95,
            rtt_p99_s: rtt.p99,
            rtt_max_s: rtt.max,
            queueing_mean_s: queueing.mean,
            queueing_p50_s: queueing.p50,
            queueing_p95_s: queueing.p95,
            queueing_p99_s: queueing.p99,
            queueing_max_s: queueing.max,
        }
    }
}

/// The round-trip times of a flow since the measurements began.
pub(crate) fn rtts(sender: &FlowSender, before: (u64, u64)) -> Sample<'_> {
    let ((count, sum), max, histogram) = match sender {
        FlowSender::Tcp(sender) => {
            let seen = &sender.seen;
            let so_far = (sender.tcp().rtt_samples(), seen.rtt_sum());
            (so_far, seen.rtt_max(), sender.rtts.histogram())
        }
        FlowSender::Quic(sender) => {
            let seen = &sender.seen;
            let so_far = (sender.quic().rtt_samples(), seen.rtt_sum());
            (so_far, seen.rtt_max(), sender.rtts.histogram())
        }
        FlowSender::Workload(workload) => return workload.rtts(before),
        FlowSender::Media(sender) => (sender.rtts_so_far(), sender.rtt_max, &sender.rtts),
        FlowSender::Udp(_) => return Sample::of(0, 0, Default::default(), None),
    };
    Sample::of(count - before.0, sum - before.1, max, Some(histogram))
}
