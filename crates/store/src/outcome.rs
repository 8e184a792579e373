//! Encodes outcomes as bytes, with words and numbers separated.
//!
//! The words (the names of flows, controls and links) are the same in all runs of a scenario and
//! are stored once. The numbers of all flows form columns, and so do those of all links. If a field
//! is added to an outcome, this code does not compile until the field is handled; this then
//! requires a new version of the [tables](crate::schema).

use dumbbell_run::outcome::{FlowOutcome, GroupOutcome, Outcome, Scores};

use crate::codec::{Reader, Writer};
use crate::lasting::lasting;

mod line;
mod link;
mod media;
mod workload;

use line::{Line, flag, read, write};
use link::LinkLine;

/// An encoded outcome in two parts.
pub(crate) struct Parts {
    /// The part that all runs of a scenario share.
    pub(crate) words: Vec<u8>,
    /// The rest.
    pub(crate) numbers: Vec<u8>,
}

type FlowLine = Line<8, 3, 14>;
type GroupLine = Line<1, 2, 11>;
type ScoresLine = Line<5, 0, 0>;

/// Encodes an outcome.
pub(crate) fn encode(outcome: &Outcome) -> Parts {
    let Outcome {
        flows,
        links,
        groups,
        workloads,
        packets,
        events,
        seed,
        version,
    } = outcome;
    let (mut words, mut numbers) = (Writer::default(), Writer::default());
    for number in [packets, events, seed] {
        numbers.whole(*number);
    }
    words.text(version);
    words.count(flows.len());
    let lines: Vec<FlowLine> = flows
        .iter()
        .map(|flow| encode_flow(flow, &mut words))
        .collect();
    write(&lines, &mut numbers);
    let classified = flows.iter().flat_map(|flow| &flow.classified);
    let lines: Vec<ScoresLine> = classified
        .map(|scores| encode_scores(scores, &mut words))
        .collect();
    write(&lines, &mut numbers);
    media::encode(flows, &mut words, &mut numbers);
    words.count(links.len());
    let lines: Vec<LinkLine> = links
        .iter()
        .map(|link| link::encode(link, &mut words))
        .collect();
    write(&lines, &mut numbers);
    words.count(groups.len());
    let lines: Vec<GroupLine> = groups
        .iter()
        .map(|group| encode_group(group, &mut words))
        .collect();
    write(&lines, &mut numbers);
    workload::encode(workloads, &mut words, &mut numbers);
    Parts {
        words: words.bytes,
        numbers: numbers.bytes,
    }
}

/// Decodes an outcome; `None` if the bytes are not valid.
pub(crate) fn decode(words: &[u8], numbers: &[u8]) -> Option<Outcome> {
    let (mut words, mut numbers) = (Reader::new(words), Reader::new(numbers));
    let [packets, events, seed] = [numbers.whole()?, numbers.whole()?, numbers.whole()?];
    let version = words.text()?.to_owned().into();
    let count = words.count()?;
    let lines: Vec<FlowLine> = read(&mut numbers, count)?;
    let mut flows = Vec::with_capacity(count);
    let mut classifiers = Vec::with_capacity(count);
    for line in lines {
        let (flow, classified) = decode_flow(line, &mut words)?;
        flows.push(flow);
        classifiers.push(classified);
    }
    // Each classifier has a text among the words, so their number is bounded, too.
    let all: usize = classifiers.iter().sum();
    let lines: Vec<ScoresLine> = read(&mut numbers, (all <= words.left()).then_some(all)?)?;
    let mut lines = lines.into_iter();
    for (flow, count) in flows.iter_mut().zip(classifiers) {
        for line in lines.by_ref().take(count) {
            flow.classified.push(decode_scores(line, &mut words)?);
        }
    }
    media::decode(&mut flows, &mut words, &mut numbers)?;
    let count = words.count()?;
    let lines: Vec<LinkLine> = read(&mut numbers, count)?;
    let links: Option<_> = lines
        .into_iter()
        .map(|line| link::decode(line, &mut words))
        .collect();
    let count = words.count()?;
    let lines: Vec<GroupLine> = read(&mut numbers, count)?;
    let groups: Option<_> = lines
        .into_iter()
        .map(|line| decode_group(line, &mut words))
        .collect();
    let workloads = workload::decode(&mut words, &mut numbers)?;
    (words.is_at_end() && numbers.is_at_end()).then_some(Outcome {
        flows,
        links: links?,
        groups: groups?,
        workloads,
        packets,
        events,
        seed,
        version,
    })
}

fn encode_flow(flow: &FlowOutcome, words: &mut Writer) -> FlowLine {
    let FlowOutcome {
        name,
        group,
        control,
        reconstructed,
        recovery,
        goodput_bps,
        throughput_bps,
        share,
        sent,
        dropped,
        lost,
        retransmits,
        timeouts,
        fast_recoveries,
        ecn_cuts,
        marks,
        classified,
        start_s,
        finish_s,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
        cwnd_mean,
        sending_variation,
        // With those of other flows.
        media: _,
    } = flow;
    words.text(name);
    words.text(group);
    words.text(control);
    words.whole(u64::from(*reconstructed));
    words.whole(u64::from(recovery.is_some()));
    if let Some(name) = recovery {
        words.text(name);
    }
    words.count(classified.len());
    Line {
        wholes: [
            *sent,
            *dropped,
            *lost,
            *retransmits,
            *timeouts,
            *fast_recoveries,
            *ecn_cuts,
            *marks,
        ],
        numbers: [*goodput_bps, *throughput_bps, *start_s],
        options: [
            *finish_s,
            *rtt_mean_s,
            *rtt_p50_s,
            *rtt_p95_s,
            *rtt_p99_s,
            *rtt_max_s,
            *queueing_mean_s,
            *queueing_p50_s,
            *queueing_p95_s,
            *queueing_p99_s,
            *queueing_max_s,
            *cwnd_mean,
            *sending_variation,
            *share,
        ],
    }
}

/// Decodes a flow without its classifiers, and the number of its classifiers.
fn decode_flow(line: FlowLine, words: &mut Reader<'_>) -> Option<(FlowOutcome, usize)> {
    let [
        sent,
        dropped,
        lost,
        retransmits,
        timeouts,
        fast_recoveries,
        ecn_cuts,
        marks,
    ] = line.wholes;
    let [goodput_bps, throughput_bps, start_s] = line.numbers;
    let [
        finish_s,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
        cwnd_mean,
        sending_variation,
        share,
    ] = line.options;
    let flow = FlowOutcome {
        name: words.text()?.to_owned(),
        group: words.text()?.to_owned(),
        control: words.text()?.to_owned(),
        reconstructed: flag(words)?,
        recovery: if flag(words)? {
            Some(lasting(words.text()?))
        } else {
            None
        },
        goodput_bps,
        throughput_bps,
        share,
        sent,
        dropped,
        lost,
        retransmits,
        timeouts,
        fast_recoveries,
        ecn_cuts,
        marks,
        classified: Vec::new(),
        start_s,
        finish_s,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
        cwnd_mean,
        sending_variation,
        media: None,
    };
    Some((flow, words.count()?))
}

fn encode_scores(scores: &Scores, words: &mut Writer) -> ScoresLine {
    let Scores {
        classifier,
        dropped_as_congestion,
        dropped_as_random,
        lost_as_congestion,
        lost_as_random,
        spurious,
    } = scores;
    words.text(classifier);
    Line {
        wholes: [
            *dropped_as_congestion,
            *dropped_as_random,
            *lost_as_congestion,
            *lost_as_random,
            *spurious,
        ],
        numbers: [],
        options: [],
    }
}

fn decode_scores(line: ScoresLine, words: &mut Reader<'_>) -> Option<Scores> {
    let [
        dropped_as_congestion,
        dropped_as_random,
        lost_as_congestion,
        lost_as_random,
        spurious,
    ] = line.wholes;
    Some(Scores {
        classifier: words.text()?.to_owned(),
        dropped_as_congestion,
        dropped_as_random,
        lost_as_congestion,
        lost_as_random,
        spurious,
    })
}

fn encode_group(group: &GroupOutcome, words: &mut Writer) -> GroupLine {
    let GroupOutcome {
        name,
        flows,
        goodput_bps,
        throughput_bps,
        share,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
    } = group;
    words.text(name);
    Line {
        wholes: [*flows],
        numbers: [*goodput_bps, *throughput_bps],
        options: [
            *share,
            *rtt_mean_s,
            *rtt_p50_s,
            *rtt_p95_s,
            *rtt_p99_s,
            *rtt_max_s,
            *queueing_mean_s,
            *queueing_p50_s,
            *queueing_p95_s,
            *queueing_p99_s,
            *queueing_max_s,
        ],
    }
}

fn decode_group(line: GroupLine, words: &mut Reader<'_>) -> Option<GroupOutcome> {
    let [flows] = line.wholes;
    let [goodput_bps, throughput_bps] = line.numbers;
    let [
        share,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
    ] = line.options;
    Some(GroupOutcome {
        name: words.text()?.to_owned(),
        flows,
        goodput_bps,
        throughput_bps,
        share,
        rtt_mean_s,
        rtt_p50_s,
        rtt_p95_s,
        rtt_p99_s,
        rtt_max_s,
        queueing_mean_s,
        queueing_p50_s,
        queueing_p95_s,
        queueing_p99_s,
        queueing_max_s,
    })
}

#[cfg(test)]
mod tests;
