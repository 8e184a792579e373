//! What has been counted at workloads.

use dumbbell_control::units::Duration;
use dumbbell_scenario::{Scenario, Traffic};
use dumbbell_sim::Time;

use super::client::Wants;
use super::connection::Connection;
use super::player::Videos;
use super::tally::Tally;
use super::{Driver, Workload};
use crate::delays::{Delays, Sample};
use crate::histogram::Histogram;
use crate::outcome::WorkloadOutcome;
use crate::path::Slowest;
use crate::totals::Totals;

/// Adds the counters of a connection, apart from what is counted as packets arrive.
pub(super) fn count(connection: &Connection, totals: &mut Totals) {
    let counters = connection.sender.counters();
    totals.sent += counters.sent;
    totals.retransmits += counters.retransmits;
    totals.timeouts += counters.timeouts;
    totals.recoveries += counters.fast_recoveries;
    totals.ecn_cuts += counters.ecn_cuts;
    totals.marks += connection.receiver.marks();
}

impl Workload {
    /// The counters of all connections so far.
    pub(crate) fn totals(&self) -> Totals {
        let mut totals = self.over.clone();
        for connection in self.slots.iter() {
            count(connection, &mut totals);
        }
        totals
    }

    /// Data packets sent, retransmissions included.
    pub(crate) fn sent(&self) -> u64 {
        self.totals().sent
    }

    /// The measurements begin: forgets what is not a counter, and the transfers that have begun before.
    pub(crate) fn restart(&mut self) {
        self.rtts = Histogram::default();
        self.rtt_max = Duration::ZERO;
        self.queueing = Delays::default();
        self.tally.restart();
        self.slots.each(|connection| connection.job.counts = false);
    }

    /// The round-trip times since the measurements began; `before` is their number and sum then.
    pub(crate) fn rtts(&self, before: (u64, u64)) -> Sample<'_> {
        let (count, sum) = (self.over.rtt_samples, self.over.rtt_sum);
        Sample::of(
            count - before.0,
            sum - before.1,
            self.rtt_max,
            Some(&self.rtts),
        )
    }

    /// How long data packets waited in queues.
    pub(crate) fn queueing(&self) -> &Delays {
        &self.queueing
    }
}

/// The results of all entries with a workload in a span of time. `pairs` has one element for each flow of the
/// run: the pair of hosts, if it has a workload, and the rate of the slowest link on its path.
pub(crate) fn outcomes<'w>(
    scenario: &Scenario,
    mut pairs: impl Iterator<Item = Option<(&'w Workload, &'w Slowest)>>,
    (from, end): (Time, Time),
) -> Vec<WorkloadOutcome> {
    let mut outcomes = Vec::new();
    for entry in &scenario.flows {
        let pairs = pairs.by_ref().take(entry.count as usize);
        let Traffic::Workload(workload) = &entry.traffic else {
            // The pairs of other flows are passed over.
            pairs.for_each(drop);
            continue;
        };
        let (classes, listed) = workload.application.report();
        let mut tally = Tally::new(classes, listed);
        let mut videos = None;
        let (mut most_alive, mut capacity) = (0, None);
        for (pair, slowest) in pairs.flatten() {
            tally.add(&pair.tally);
            most_alive = most_alive.max(pair.most_alive as u64);
            if let Driver::Client(client) = &pair.driver
                && let Wants::Video(player) = &client.wants
                && pair.start <= end
            {
                player.add_to(videos.get_or_insert_with(Videos::default), end);
            }
            let begin = pair.start.max(from);
            let stop = pair.stop.unwrap_or(end).min(end);
            if let Some(rate) = slowest.rate(from, end) {
                let bits = rate * (stop - begin).as_secs_f64();
                // The pairs share one bottleneck; that of the entry is the slowest.
                capacity = Some(capacity.map_or(bits, |least: f64| least.min(bits)));
            }
        }
        let (all, classes) = tally.outcomes();
        let offered = tally.bytes() as f64 * 8.0;
        outcomes.push(WorkloadOutcome {
            name: entry.name.clone(),
            application: workload.application.key().to_owned(),
            offered_load: capacity
                .filter(|bits| *bits > 0.0)
                .map(|bits| offered / bits),
            refused: tally.refused,
            most_alive,
            all,
            classes,
            video: videos.map(|videos| videos.outcome()),
            list: tally.list(),
        });
    }
    outcomes
}
