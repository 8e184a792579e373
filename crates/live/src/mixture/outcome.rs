//! The results of mixtures.

use dumbbell_run::statistics::{self, Estimate};
use serde::Serialize;

use crate::compare::{Predicted, Span, over_time};
use crate::emulator::{Fault, Report};
use crate::stream::Streamed;
use crate::transfer::Measured;
use crate::trials::{self, Trial};

/// Several mixtures on one path.
#[derive(Clone, Debug, Serialize)]
pub struct Together {
    /// The mixtures, in the order of the plan.
    pub mixtures: Vec<Mixed>,
    /// Whether the first is the one that the others are measured against.
    pub reference: bool,
    /// The number of planned runs. If interrupted, there are fewer runs.
    pub planned: usize,
    /// Length of a run, in seconds.
    pub duration_s: f64,
    /// Time between two samples of a connection, in seconds.
    pub interval_s: f64,
    /// The first seed.
    pub first_seed: u64,
}

/// The results of one mixture.
#[derive(Clone, Debug, Serialize)]
pub struct Mixed {
    /// Its displayed name.
    pub label: String,
    /// The names of its connections.
    pub members: Vec<String>,
    /// The kernel's runs, in the order of the seeds.
    pub runs: Vec<Run>,
    /// The simulator's predictions, seed by seed: those of all connections. Empty if it has not all of the controls.
    pub predicted: Vec<Vec<Predicted>>,
}

/// A run of a mixture.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The seed of its losses.
    pub seed: u64,
    /// How often it had to be repeated, because its results were not to be trusted.
    pub repeated: u32,
    /// Jain's index of the goodputs of the TCP connections, from 1/n to 1; `None` if nothing was carried.
    pub jain: Option<f64>,
    /// What each connection carried.
    pub flows: Vec<Carried>,
    /// The network.
    pub network: Report,
}

/// What a connection carried.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Carried {
    /// A TCP connection.
    Tcp(Measured),
    /// A stream of datagrams.
    Udp(Streamed),
}

/// The connections of a mixture that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their name.
    pub label: String,
    /// Their positions in the mixture.
    pub places: Vec<usize>,
}

impl Carried {
    /// Returns its goodput in bit/s.
    pub fn goodput_bps(&self) -> f64 {
        match self {
            Self::Tcp(it) => it.goodput_bps,
            Self::Udp(it) => it.goodput_bps,
        }
    }

    /// Returns the results of TCP; `None` for datagrams.
    pub fn tcp(&self) -> Option<&Measured> {
        match self {
            Self::Tcp(it) => Some(it),
            Self::Udp(_) => None,
        }
    }

    /// Returns the results of a stream; `None` for TCP.
    pub fn udp(&self) -> Option<&Streamed> {
        match self {
            Self::Tcp(_) => None,
            Self::Udp(it) => Some(it),
        }
    }
}

/// Jain's index of the TCP connections among these.
pub(super) fn jain(flows: &[Carried]) -> Option<f64> {
    let goodputs: Vec<f64> = flows
        .iter()
        .filter_map(Carried::tcp)
        .map(|it| it.goodput_bps)
        .collect();
    statistics::jain(&goodputs)
}

impl Together {
    /// Returns the number of finished runs of the kernel.
    pub fn runs(&self) -> usize {
        self.mixtures.iter().map(|it| it.runs.len()).sum()
    }

    /// Returns whether any run is not to be believed.
    pub fn is_doubtful(&self) -> bool {
        self.all_runs().any(Trial::is_doubtful)
    }

    /// Returns how many repetitions of runs there were.
    pub fn repeated(&self) -> u32 {
        self.all_runs().map(Trial::repeated).sum()
    }

    /// Returns how late packets left the emulator, in seconds, as the mean of all runs; and the highest 99th
    /// percentile of any run, of packets that left or came in.
    pub fn lateness(&self) -> (f64, f64) {
        trials::lateness(self.all_runs().map(|run| &run.network))
    }

    /// Returns the goodput that the mixture at this position leaves to the TCP connections after its first, in percent
    /// of what the first mixture leaves to them, seed by seed: 100 is friendly.
    pub fn left_to_others(&self, place: usize) -> Option<Estimate> {
        if !self.reference || place == 0 {
            return None;
        }
        let (ours, first) = (self.mixtures.get(place)?, self.mixtures.first()?);
        percent(&ours.others(), &first.others())
    }

    /// Returns [`left_to_others`](Self::left_to_others) as the simulator predicts it.
    pub fn predicted_left_to_others(&self, place: usize) -> Option<Estimate> {
        if !self.reference || place == 0 {
            return None;
        }
        let (ours, first) = (self.mixtures.get(place)?, self.mixtures.first()?);
        percent(&ours.predicted_others(), &first.predicted_others())
    }

    /// Returns warnings about results that should not be trusted, with the reasons.
    pub fn warnings(&self) -> Vec<String> {
        let sorts = self
            .mixtures
            .iter()
            .map(|it| (it.label.as_str(), &it.runs[..]));
        trials::warnings(self.planned, &sorts.collect::<Vec<_>>())
    }

    fn all_runs(&self) -> impl Iterator<Item = &Run> {
        self.mixtures.iter().flat_map(|it| &it.runs)
    }
}

impl Trial for Run {
    fn faults(&self) -> &[Fault] {
        &self.network.faults
    }

    fn connections(&self) -> impl Iterator<Item = &Measured> {
        self.flows.iter().filter_map(Carried::tcp)
    }

    fn repeated(&self) -> u32 {
        self.repeated
    }

    fn set_repeated(&mut self, repeated: u32) {
        self.repeated = repeated;
    }
}

fn percent(parts: &[f64], wholes: &[f64]) -> Option<Estimate> {
    let both = parts.len().min(wholes.len());
    let ratio = Estimate::ratio(&parts[..both], &wholes[..both])?;
    Some(Estimate {
        mean: 100.0 * ratio.mean,
        half_width: ratio.half_width.map(|half| 100.0 * half),
    })
}

impl Mixed {
    /// Returns its connections by name, in the order of their first ones.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (place, label) in self.members.iter().enumerate() {
            match groups.iter_mut().find(|it| it.label == *label) {
                Some(group) => group.places.push(place),
                None => groups.push(Group {
                    label: label.clone(),
                    places: vec![place],
                }),
            }
        }
        groups
    }

    /// Returns the goodput of each connection of a group, in bit/s.
    pub fn goodput(&self, group: &Group) -> Option<Estimate> {
        self.over_runs(|run| mean(group, |place| Some(run.flows.get(place)?.goodput_bps())))
    }

    /// Returns the part of all goodput that each connection of a group has, in percent.
    pub fn share(&self, group: &Group) -> Option<Estimate> {
        let parts = self.runs.iter().map(|run| {
            mean(group, |place| Some(run.flows.get(place)?.goodput_bps())).unwrap_or(0.0)
        });
        let wholes = self
            .runs
            .iter()
            .map(|run| run.flows.iter().map(Carried::goodput_bps).sum());
        percent(&parts.collect::<Vec<f64>>(), &wholes.collect::<Vec<f64>>())
    }

    /// Returns what had to be sent again in a group, in percent of the segments sent; of a stream, what was lost.
    pub fn missing(&self, group: &Group) -> Option<Estimate> {
        self.over_runs(|run| {
            mean(group, |place| {
                let (missing, sent) = match run.flows.get(place)? {
                    Carried::Tcp(it) => (it.retransmits, it.segments),
                    // What is in the network at the end has not been lost, but it is little.
                    Carried::Udp(it) => (it.sent.saturating_sub(it.received), it.sent),
                };
                (sent > 0).then(|| 100.0 * missing as f64 / sent as f64)
            })
        })
    }

    /// Returns the mean smoothed round-trip time of a group's connections, in seconds; of a stream there is none.
    pub fn rtt(&self, group: &Group) -> Option<Estimate> {
        self.over_runs(|run| mean(group, |place| run.flows.get(place)?.tcp()?.rtt_mean_s))
    }

    /// Returns the goodput that the simulator predicts for each connection of a group, in bit/s.
    pub fn predicted_goodput(&self, group: &Group) -> Option<Estimate> {
        let goodputs = self
            .predicted
            .iter()
            .filter_map(|flows| mean(group, |place| Some(flows.get(place)?.goodput_bps)));
        Estimate::of(&goodputs.collect::<Vec<f64>>())
    }

    /// Returns the ratio of a group's goodput in the kernel to that in the simulator.
    pub fn agreement(&self, group: &Group) -> Option<f64> {
        let (kernel, simulator) = (self.goodput(group)?, self.predicted_goodput(group)?);
        (simulator.mean > 0.0).then(|| kernel.mean / simulator.mean)
    }

    /// Returns Jain's index of the TCP connections.
    pub fn jain(&self) -> Option<Estimate> {
        self.over_runs(|run| run.jain)
    }

    /// Returns Jain's index as the simulator predicts it.
    pub fn predicted_jain(&self) -> Option<Estimate> {
        let tcp = self.tcp();
        let indices = self.predicted.iter().filter_map(|flows| {
            let goodputs: Vec<f64> = tcp
                .iter()
                .filter_map(|it| Some(flows.get(*it)?.goodput_bps))
                .collect();
            statistics::jain(&goodputs)
        });
        Estimate::of(&indices.collect::<Vec<f64>>())
    }

    /// Returns the goodput of all connections together, in bit/s.
    pub fn total(&self) -> Option<Estimate> {
        self.over_runs(|run| Some(run.flows.iter().map(Carried::goodput_bps).sum()))
    }

    /// Returns the goodput of all connections together that the simulator predicts, in bit/s.
    pub fn predicted_total(&self) -> Option<Estimate> {
        let totals = self.predicted.iter();
        let totals = totals.map(|flows| flows.iter().map(|it| it.goodput_bps).sum());
        Estimate::of(&totals.collect::<Vec<f64>>())
    }

    /// Returns the number of runs that are not to be believed.
    pub fn doubtful(&self) -> usize {
        trials::doubtful(&self.runs)
    }

    /// Returns the window of a connection of a group over time, in segments, at `places` times: the mean of all of
    /// them in all runs.
    pub fn windows(&self, group: &Group, duration_s: f64, places: usize) -> Span {
        let windows = self.runs.iter().flat_map(|run| {
            let flows = group
                .places
                .iter()
                .filter_map(|place| run.flows.get(*place)?.tcp());
            flows.map(|it| {
                it.samples
                    .iter()
                    .map(|at| (at.at_s, f64::from(at.cwnd)))
                    .collect()
            })
        });
        over_time(
            &windows.collect::<Vec<Vec<(f64, f64)>>>(),
            duration_s,
            places,
        )
    }

    /// Returns the same in the simulator.
    pub fn predicted_windows(&self, group: &Group, duration_s: f64, places: usize) -> Span {
        let windows = self.predicted.iter().flat_map(|flows| {
            group
                .places
                .iter()
                .filter_map(|place| Some(flows.get(*place)?.windows.clone()))
        });
        over_time(&windows.collect::<Vec<_>>(), duration_s, places)
    }

    /// Returns the positions of its TCP connections.
    fn tcp(&self) -> Vec<usize> {
        let flows = self
            .runs
            .first()
            .map_or(&[][..], |run| &run.flows)
            .iter()
            .enumerate();
        flows
            .filter(|(_, it)| it.tcp().is_some())
            .map(|(place, _)| place)
            .collect()
    }

    /// Returns the goodput of the TCP connections after the first, run by run.
    fn others(&self) -> Vec<f64> {
        let runs = self.runs.iter();
        runs.map(|run| {
            run.flows
                .iter()
                .skip(1)
                .filter_map(Carried::tcp)
                .map(|it| it.goodput_bps)
                .sum()
        })
        .collect()
    }

    fn predicted_others(&self) -> Vec<f64> {
        let tcp = self.tcp();
        let runs = self.predicted.iter();
        runs.map(|flows| {
            let others = tcp.iter().filter(|place| **place > 0);
            others
                .filter_map(|it| Some(flows.get(*it)?.goodput_bps))
                .sum()
        })
        .collect()
    }

    fn over_runs(&self, value: impl Fn(&Run) -> Option<f64>) -> Option<Estimate> {
        let values: Vec<f64> = self.runs.iter().filter_map(value).collect();
        Estimate::of(&values)
    }
}

/// Returns the mean of a value over the connections of a group that have it.
fn mean(group: &Group, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = group
        .places
        .iter()
        .filter_map(|place| value(*place))
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicted(goodput_bps: f64) -> Predicted {
        Predicted {
            seed: 1,
            goodput_bps,
            segments: 100,
            retransmits: 0,
            cuts: 0,
            rtt_mean_s: None,
            elapsed_s: 1.0,
            windows: Vec::new(),
        }
    }

    #[test]
    fn connections_that_are_alike_are_one_group() {
        let members = ["reno", "veno", "reno"].map(str::to_owned).to_vec();
        let mixed = Mixed {
            label: "all".to_owned(),
            members,
            runs: Vec::new(),
            predicted: vec![[1e6, 4e6, 2e6].map(predicted).to_vec()],
        };
        let groups = mixed.groups();
        let found: Vec<(&str, &[usize])> = groups
            .iter()
            .map(|it| (it.label.as_str(), &it.places[..]))
            .collect();
        assert_eq!(found, [("reno", &[0, 2][..]), ("veno", &[1])]);
        let goodput = |group| mixed.predicted_goodput(group).expect("a prediction").mean;
        assert!((goodput(&groups[0]) - 1.5e6).abs() < 1.0);
        assert!((goodput(&groups[1]) - 4e6).abs() < 1.0);
        assert!((mixed.predicted_total().expect("a prediction").mean - 7e6).abs() < 1.0);
        assert_eq!(
            (mixed.goodput(&groups[0]), mixed.jain(), mixed.doubtful()),
            (None, None, 0)
        );
    }

    /// 3 of 4 and 2 of 4 Mb/s: 5/8. Seeds without a partner do not count.
    #[test]
    fn what_is_left_is_compared_seed_by_seed() {
        let left = percent(&[3e6, 2e6, 9e6], &[4e6, 4e6]).expect("two pairs");
        assert!((left.mean - 62.5).abs() < 1e-9 && left.half_width.is_some());
        assert_eq!(percent(&[], &[]), None);
    }
}
