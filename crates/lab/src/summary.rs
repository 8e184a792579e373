//! The summary of one or more runs of the same scenario: means with intervals for every flow and
//! every link.

use dumbbell_run::outcome::{
    FlowOutcome, LinkOutcome, MediaOutcome, Outcome, Scores, TransfersOutcome, VideoOutcome,
    WorkloadOutcome,
};
use dumbbell_run::statistics::{Estimate, jain};
use dumbbell_scenario::{Scenario, Topology};

/// Means over runs that differ only in their seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The flows, in the order of the runs.
    pub flows: Vec<FlowSummary>,
    /// The links, those between routers first.
    pub links: Vec<LinkSummary>,
    /// The verdicts of classifiers, compared with the causes that the simulator knows.
    pub classified: Vec<ClassifierSummary>,
    /// The transfers of workloads, by classes of size.
    pub transfers: Vec<TransfersSummary>,
    /// How videos were played, in the order of the scenario.
    pub videos: Vec<VideosSummary>,
    /// The frames of media flows with encoders.
    pub frames: Vec<FramesSummary>,
    /// Jain's index of the TCP flows' goodputs; `None` if there are fewer than two.
    pub fairness: Option<Estimate>,
    /// Total events of all runs.
    pub events: u64,
}

/// The summary of a flow. A value that no run has is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSummary {
    /// Its name.
    pub name: String,
    /// Its control.
    pub control: String,
    /// Its recovery; `None` if it is not a TCP flow.
    pub recovery: Option<String>,
    /// Whether its control is a reconstruction and not the published algorithm of that name.
    pub reconstructed: bool,
    /// Payload delivered in order, in kb/s.
    pub goodput_kbps: Option<Estimate>,
    /// Packets sent, retransmissions included.
    pub sent: Option<Estimate>,
    /// Retransmitted packets.
    pub retransmits: Option<Estimate>,
    /// Timeouts.
    pub timeouts: Option<Estimate>,
    /// Recoveries without a timeout.
    pub fast_recoveries: Option<Estimate>,
    /// The mean round-trip time, in milliseconds.
    pub rtt_ms: Option<Estimate>,
    /// The mean window, in segments.
    pub cwnd: Option<Estimate>,
    /// The coefficient of variation of its sending rate.
    pub sending_variation: Option<Estimate>,
}

/// The summary of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSummary {
    /// Its name.
    pub name: String,
    /// Whether it is between routers, and not an access link.
    pub is_core: bool,
    /// Whether a packet was dropped, lost, marked or filtered there in any run.
    pub is_eventful: bool,
    /// Packets sent into it.
    pub sent: Option<Estimate>,
    /// Packets that the queue dropped because it was full, or early.
    pub dropped: Option<Estimate>,
    /// Packets that the link lost.
    pub lost: Option<Estimate>,
    /// Packets that the queue dropped early, although there was space; they are included in
    /// `dropped`.
    pub early: Option<Estimate>,
    /// Packets that a policer dropped; they are included in `dropped`.
    pub policed: Option<Estimate>,
    /// Packets that were marked.
    pub marked: Option<Estimate>,
    /// ACKs that a filter removed because later ones made them redundant.
    pub filtered: Option<Estimate>,
    /// How often the link sent a packet again.
    pub retransmitted: Option<Estimate>,
    /// Copies of packets that arrived twice.
    pub duplicated: Option<Estimate>,
    /// Packets that arrived damaged.
    pub corrupted: Option<Estimate>,
    /// The percentage of the time during which it transmitted.
    pub utilisation_percent: Option<Estimate>,
    /// The mean length of its queue, in packets.
    pub queue: Option<Estimate>,
    /// How long packets waited, the 95th percentile in ms; `None` if it was not measured.
    pub wait_p95_ms: Option<Estimate>,
}

/// The summary of the transfers of a workload, or of a class of size of them.
#[derive(Clone, Debug, PartialEq)]
pub struct TransfersSummary {
    /// The name of the flow entry.
    pub workload: String,
    /// The bound below which all sizes of the class are, in bytes, if it has one; `None` for all transfers.
    pub below: Option<Option<u64>>,
    /// Transfers that began.
    pub started: Option<Estimate>,
    /// Transfers that are complete.
    pub finished: Option<Estimate>,
    /// Transfers that were refused, because too many were under way; `None` in a class, of which it is not known.
    pub refused: Option<Estimate>,
    /// Mean completion time, in seconds.
    pub mean_s: Option<Estimate>,
    /// Median of the completion times, in seconds.
    pub p50_s: Option<Estimate>,
    /// 95th percentile of the completion times, in seconds.
    pub p95_s: Option<Estimate>,
    /// 99th percentile of the completion times, in seconds.
    pub p99_s: Option<Estimate>,
    /// Mean slowdown.
    pub slowdown: Option<Estimate>,
}

/// How the clients of a flow entry played their videos.
#[derive(Clone, Debug, PartialEq)]
pub struct VideosSummary {
    /// The name of the flow entry.
    pub workload: String,
    /// Clients that have begun to play.
    pub playing: Option<Estimate>,
    /// Mean time until a client begins to play, in seconds.
    pub startup_s: Option<Estimate>,
    /// How often a buffer ran empty.
    pub stalls: Option<Estimate>,
    /// The percentage of the time since the begin of playing in which it stood still.
    pub stalled_percent: Option<Estimate>,
    /// Mean rate of the chunks that arrived, in kb/s.
    pub rate_kbps: Option<Estimate>,
    /// How often a chunk had another rate than the one before it.
    pub switches: Option<Estimate>,
}

/// The summary of the frames of a media flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FramesSummary {
    /// The flow's name.
    pub flow: String,
    /// Mean rate of the frames that were made, in kb/s.
    pub encoded_kbps: Option<Estimate>,
    /// Mean rate of the frames that were shown, in kb/s.
    pub shown_kbps: Option<Estimate>,
    /// Frames that were made.
    pub made: Option<Estimate>,
    /// Frames that were shown.
    pub shown: Option<Estimate>,
    /// Frames that were complete only after they were due.
    pub late: Option<Estimate>,
    /// Frames of which a packet is missing.
    pub lost: Option<Estimate>,
    /// The percentage of the time since the first picture in which it stood still.
    pub frozen_percent: Option<Estimate>,
    /// How often it stood still noticeably.
    pub freezes: Option<Estimate>,
    /// Mean time from the making of a frame to its showing, in milliseconds.
    pub delay_ms: Option<Estimate>,
    /// 95th percentile of these times, in milliseconds.
    pub delay_p95_ms: Option<Estimate>,
}

/// The summary of a classifier at a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifierSummary {
    /// The flow's name.
    pub flow: String,
    /// The classifier's name.
    pub classifier: String,
    /// Drops by queues that it classified as congestion.
    pub dropped_as_congestion: Option<Estimate>,
    /// Drops by queues that it classified as random losses.
    pub dropped_as_random: Option<Estimate>,
    /// Losses on links that it classified as congestion.
    pub lost_as_congestion: Option<Estimate>,
    /// Losses on links that it classified as random losses.
    pub lost_as_random: Option<Estimate>,
    /// Loss episodes without a lost packet.
    pub spurious: Option<Estimate>,
    /// The percentage of its verdicts that are right.
    pub right_percent: Option<Estimate>,
}

impl Summary {
    /// Summarises the runs of a scenario, of which there must be at least one.
    pub fn of(scenario: &Scenario, runs: &[Outcome]) -> Self {
        let core = core_links(&scenario.topology);
        Self {
            flows: (0..runs[0].flows.len())
                .map(|place| flow(runs, place))
                .collect(),
            links: (0..runs[0].links.len())
                .map(|place| link(runs, place, place < core))
                .collect(),
            transfers: transfers(runs),
            videos: videos(runs),
            frames: frames(runs),
            classified: classified(runs),
            fairness: estimate(runs, fairness),
            events: runs.iter().map(|run| run.events).sum(),
        }
    }

    /// The controls that are reconstructions and not the published algorithms of their names, once
    /// for each flow that uses one.
    pub fn reconstructed(&self) -> impl Iterator<Item = &str> {
        let flows = self.flows.iter().filter(|flow| flow.reconstructed);
        flows.map(|flow| flow.control.as_str())
    }
}

fn flow(runs: &[Outcome], place: usize) -> FlowSummary {
    let of =
        |value: fn(&FlowOutcome) -> Option<f64>| estimate(runs, |run| value(&run.flows[place]));
    let first = &runs[0].flows[place];
    FlowSummary {
        name: first.name.clone(),
        control: first.control.clone(),
        recovery: first.recovery.map(|recovery| recovery.to_string()),
        reconstructed: first.reconstructed,
        goodput_kbps: of(|f| Some(f.goodput_bps / 1e3)),
        sent: of(|f| Some(f.sent as f64)),
        retransmits: of(|f| Some(f.retransmits as f64)),
        timeouts: of(|f| Some(f.timeouts as f64)),
        fast_recoveries: of(|f| Some(f.fast_recoveries as f64)),
        rtt_ms: of(|f| f.rtt_mean_s.map(|s| s * 1e3)),
        cwnd: of(|f| f.cwnd_mean),
        sending_variation: of(|f| f.sending_variation),
    }
}

fn link(runs: &[Outcome], place: usize, is_core: bool) -> LinkSummary {
    let of = |value: fn(&LinkOutcome) -> f64| estimate(runs, |run| Some(value(&run.links[place])));
    let mut all = runs.iter().map(|run| &run.links[place]);
    LinkSummary {
        name: runs[0].links[place].name.clone(),
        is_core,
        is_eventful: all.any(|l| l.dropped + l.lost + l.marked + l.filtered > 0),
        sent: of(|l| l.sent as f64),
        dropped: of(|l| l.dropped as f64),
        lost: of(|l| l.lost as f64),
        early: of(|l| l.early as f64),
        policed: of(|l| l.policed as f64),
        marked: of(|l| l.marked as f64),
        filtered: of(|l| l.filtered as f64),
        retransmitted: of(|l| l.retransmitted as f64),
        duplicated: of(|l| l.duplicated as f64),
        corrupted: of(|l| l.corrupted as f64),
        utilisation_percent: of(|l| l.utilisation * 100.0),
        queue: of(|l| l.queue_mean),
        wait_p95_ms: estimate(runs, |run| {
            Some(run.links[place].sojourn.as_ref()?.p95_s * 1e3)
        }),
    }
}

/// One summary for each class of size of each workload in which a transfer began, and one for all of a workload.
fn transfers(runs: &[Outcome]) -> Vec<TransfersSummary> {
    let mut all = Vec::new();
    for (place, workload) in runs[0].workloads.iter().enumerate() {
        let classes = (0..workload.classes.len()).map(Some);
        for class in classes.chain([None]) {
            let of = |value: fn(&TransfersOutcome) -> Option<f64>| {
                estimate(runs, |run| {
                    let workload = run.workloads.get(place)?;
                    match class {
                        Some(class) => value(workload.classes.get(class)?),
                        None => value(&workload.all),
                    }
                })
            };
            let started = of(|it| Some(it.started as f64));
            if started.is_none_or(|it| it.mean == 0.0) {
                continue;
            }
            all.push(TransfersSummary {
                workload: workload.name.clone(),
                below: class.map(|class| workload.classes[class].below_bytes),
                started,
                finished: of(|it| Some(it.finished as f64)),
                refused: match class {
                    Some(_) => None,
                    None => estimate(runs, |run| Some(run.workloads.get(place)?.refused as f64)),
                },
                mean_s: of(|it| it.completion_mean_s),
                p50_s: of(|it| it.completion_p50_s),
                p95_s: of(|it| it.completion_p95_s),
                p99_s: of(|it| it.completion_p99_s),
                slowdown: of(|it| it.slowdown_mean),
            });
        }
    }
    all
}

fn videos(runs: &[Outcome]) -> Vec<VideosSummary> {
    let all = runs[0].workloads.iter().enumerate();
    let with = all.filter(|(_, workload)| workload.video.is_some());
    let summary = |(place, workload): (usize, &WorkloadOutcome)| {
        let of = |value: fn(&VideoOutcome) -> Option<f64>| {
            estimate(runs, |run| value(run.workloads.get(place)?.video.as_ref()?))
        };
        VideosSummary {
            workload: workload.name.clone(),
            playing: of(|it| Some(it.playing as f64)),
            startup_s: of(|it| it.startup_mean_s),
            stalls: of(|it| Some(it.stalls as f64)),
            stalled_percent: of(|it| {
                let since = it.stalled_s + it.played_s;
                (since > 0.0).then(|| 100.0 * it.stalled_s / since)
            }),
            rate_kbps: of(|it| it.rate_mean_bps.map(|rate| rate / 1e3)),
            switches: of(|it| Some(it.switches as f64)),
        }
    };
    with.map(summary).collect()
}

fn frames(runs: &[Outcome]) -> Vec<FramesSummary> {
    let first = runs.first().map_or(&[][..], |run| &run.flows);
    let with = first
        .iter()
        .enumerate()
        .filter(|(_, flow)| flow.media.is_some());
    let summary = |(place, flow): (usize, &FlowOutcome)| {
        let of = |value: fn(&MediaOutcome) -> Option<f64>| {
            estimate(runs, |run| value(run.flows.get(place)?.media.as_ref()?))
        };
        FramesSummary {
            flow: flow.name.clone(),
            encoded_kbps: of(|it| Some(it.encoded_bps / 1e3)),
            shown_kbps: of(|it| Some(it.shown_bps / 1e3)),
            made: of(|it| Some(it.made as f64)),
            shown: of(|it| Some(it.shown as f64)),
            late: of(|it| Some((it.shown_late + it.late) as f64)),
            lost: of(|it| Some(it.lost as f64)),
            frozen_percent: of(|it| it.frozen_share().map(|share| 100.0 * share)),
            freezes: of(|it| Some(it.freezes as f64)),
            delay_ms: of(|it| it.delay_mean_s.map(|it| 1e3 * it)),
            delay_p95_ms: of(|it| it.delay_p95_s.map(|it| 1e3 * it)),
        }
    };
    with.map(summary).collect()
}

fn classified(runs: &[Outcome]) -> Vec<ClassifierSummary> {
    let mut all = Vec::new();
    for (place, flow) in runs[0].flows.iter().enumerate() {
        for (number, first) in flow.classified.iter().enumerate() {
            let of = |value: fn(&Scores) -> Option<f64>| {
                estimate(runs, |run| {
                    value(run.flows.get(place)?.classified.get(number)?)
                })
            };
            all.push(ClassifierSummary {
                flow: flow.name.clone(),
                classifier: first.classifier.clone(),
                dropped_as_congestion: of(|s| Some(s.dropped_as_congestion as f64)),
                dropped_as_random: of(|s| Some(s.dropped_as_random as f64)),
                lost_as_congestion: of(|s| Some(s.lost_as_congestion as f64)),
                lost_as_random: of(|s| Some(s.lost_as_random as f64)),
                spurious: of(|s| Some(s.spurious as f64)),
                right_percent: of(|s| s.accuracy().map(|part| part * 100.0)),
            });
        }
    }
    all
}

/// Jain's index of a run's TCP flows; `None` if there are fewer than two.
fn fairness(run: &Outcome) -> Option<f64> {
    let tcp = run.flows.iter().filter(|flow| flow.recovery.is_some());
    let shares: Vec<f64> = tcp.map(|flow| flow.goodput_bps).collect();
    if shares.len() > 1 {
        jain(&shares)
    } else {
        None
    }
}

/// The number of a run's links that are between routers; they come first.
fn core_links(topology: &Topology) -> usize {
    match topology {
        Topology::Dumbbell { .. } => 2,
        Topology::ParkingLot { hops } => 2 * hops.len(),
        Topology::Graph(graph) => graph
            .links
            .iter()
            .map(|link| 1 + usize::from(link.reverse.is_some()))
            .sum(),
    }
}

fn estimate(runs: &[Outcome], value: impl Fn(&Outcome) -> Option<f64>) -> Option<Estimate> {
    let values: Vec<f64> = runs.iter().filter_map(value).collect();
    Estimate::of(&values)
}

#[cfg(test)]
mod tests {
    use dumbbell_run::Run;
    use dumbbell_scenario::controls::Controls;

    use super::*;

    const SCENARIO: &str = r#"
        duration = "5 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "9 ms", queue = { droptail = 9 } }
        [[flow]]
        name = "A"
        control = "reno"
        count = 2
        [[flow]]
        name = "U"
        source = { cbr = "100 kb/s" }
    "#;

    fn runs() -> (Scenario, Vec<Outcome>) {
        let scenario = Scenario::parse("my.toml", SCENARIO, &Controls::builtin());
        let scenario = scenario.expect("it is right");
        let run = |seed| Run::new(&scenario).seed(seed).go();
        let runs = [1, 2].map(|seed| run(seed).expect("nothing interrupts it").outcome);
        (scenario, runs.to_vec())
    }

    #[test]
    fn means_are_over_the_runs() {
        let (scenario, mut runs) = runs();
        for (run, (goodput, dropped)) in runs.iter_mut().zip([(100e3, 4), (300e3, 8)]) {
            run.flows[0].goodput_bps = goodput;
            run.flows[1].goodput_bps = 300e3;
            run.links[0].dropped = dropped;
        }
        let found = Summary::of(&scenario, &runs);
        let names: Vec<&str> = found.flows.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["A.1", "A.2", "U"]);
        let mean = |estimate: Option<Estimate>| estimate.map(|it| it.mean);
        assert_eq!(mean(found.flows[0].goodput_kbps), Some(200.0));
        assert_eq!(mean(found.links[0].dropped), Some(6.0));
        // (100 + 300)^2 / (2 (100^2 + 300^2)) = 0.8, and 1; the UDP flow does not count.
        let fairness = mean(found.fairness).expect("two TCP flows");
        assert!((fairness - 0.9).abs() < 1e-12, "{fairness}");
        let recoveries = [0, 2].map(|place: usize| found.flows[place].recovery.is_some());
        assert_eq!(recoveries, [true, false]);
        assert_eq!(found.flows[2].cwnd, None);
        assert_eq!(found.events, runs[0].events + runs[1].events);
        assert_eq!(found.reconstructed().count(), 0);
    }

    #[test]
    fn the_links_between_routers_come_first() {
        let (scenario, mut runs) = runs();
        let last = runs[0].links.len() - 1;
        runs[1].links[last].filtered = 1;
        let found = Summary::of(&scenario, &runs);
        let core = found.links.iter().take_while(|it| it.is_core);
        let core: Vec<&str> = core.map(|it| it.name.as_str()).collect();
        assert_eq!(core, ["bottleneck", "bottleneck.reverse"]);
        assert!(found.links[2..].iter().all(|it| !it.is_core));
        // A single run is enough.
        assert!(found.links[last].is_eventful);
    }

    #[test]
    fn a_single_flow_has_no_fairness_index() {
        let (scenario, mut runs) = runs();
        for run in &mut runs {
            run.flows.remove(0);
        }
        assert_eq!(Summary::of(&scenario, &runs[..1]).fairness, None);
    }
}
