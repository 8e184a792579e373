//! Encodes the results of workloads.

use dumbbell_run::outcome::{TransferOutcome, TransfersOutcome, VideoOutcome, WorkloadOutcome};

use super::line::{Line, flag, read, write};
use crate::codec::{Columns, Reader, Writer};

type WorkloadLine = Line<2, 0, 1>;
type TransfersLine = Line<4, 0, 10>;
type VideoLine = Line<4, 2, 3>;

pub(super) fn encode(workloads: &[WorkloadOutcome], words: &mut Writer, numbers: &mut Writer) {
    words.count(workloads.len());
    let (mut lines, mut transfers, mut videos) = (Vec::new(), Vec::new(), Vec::new());
    for workload in workloads {
        let WorkloadOutcome {
            name,
            application,
            offered_load,
            refused,
            most_alive,
            all,
            classes,
            video,
            list,
        } = workload;
        words.text(name);
        words.text(application);
        words.whole(u64::from(video.is_some()));
        words.count(classes.len());
        numbers.count(list.len());
        lines.push(Line {
            wholes: [*refused, *most_alive],
            numbers: [],
            options: [*offered_load],
        });
        for class in [all].into_iter().chain(classes) {
            transfers.push(encode_transfers(class, words));
        }
        videos.extend(video.as_ref().map(encode_video));
    }
    write::<2, 0, 1>(&lines, numbers);
    write::<4, 0, 10>(&transfers, numbers);
    write::<4, 2, 3>(&videos, numbers);
    encode_list(workloads, numbers);
}

pub(super) fn decode(
    words: &mut Reader<'_>,
    numbers: &mut Reader<'_>,
) -> Option<Vec<WorkloadOutcome>> {
    let count = words.count()?;
    let (mut workloads, mut listed) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let name = words.text()?.to_owned();
        let application = words.text()?.to_owned();
        let video = flag(words)?.then_some(VideoOutcome::default());
        let classes = words.count()?;
        listed.push(numbers.index()?);
        workloads.push(WorkloadOutcome {
            name,
            application,
            offered_load: None,
            refused: 0,
            most_alive: 0,
            all: bounds(words)?,
            classes: (0..classes).map(|_| bounds(words)).collect::<Option<_>>()?,
            video,
            list: Vec::new(),
        });
    }
    let lines: Vec<WorkloadLine> = read(numbers, count)?;
    for (workload, line) in workloads.iter_mut().zip(lines) {
        [workload.refused, workload.most_alive] = line.wholes;
        [workload.offered_load] = line.options;
    }
    // Each class has bounds among the words, so their number is limited by them.
    let classes: usize = workloads.iter().map(|it| 1 + it.classes.len()).sum();
    let lines: Vec<TransfersLine> = read(numbers, classes)?;
    let all = workloads
        .iter_mut()
        .flat_map(|it| [&mut it.all].into_iter().chain(&mut it.classes));
    all.zip(lines)
        .for_each(|(class, line)| decode_transfers(line, class));
    let videos = workloads.iter_mut().filter_map(|it| it.video.as_mut());
    let videos: Vec<&mut VideoOutcome> = videos.collect();
    let lines: Vec<VideoLine> = read(numbers, videos.len())?;
    for (video, line) in videos.into_iter().zip(lines) {
        *video = decode_video(&line);
    }
    decode_list(&mut workloads, &listed, numbers)?;
    Some(workloads)
}

/// Encodes the numbers of a class; its bounds, which the scenario determines, are words.
fn encode_transfers(class: &TransfersOutcome, words: &mut Writer) -> TransfersLine {
    let &TransfersOutcome {
        from_bytes,
        below_bytes,
        started,
        finished,
        alive,
        bytes,
        completion_mean_s,
        completion_p50_s,
        completion_p95_s,
        completion_p99_s,
        completion_max_s,
        slowdown_mean,
        slowdown_p50,
        slowdown_p95,
        slowdown_p99,
        slowdown_max,
    } = class;
    words.whole(from_bytes);
    words.whole(u64::from(below_bytes.is_some()));
    if let Some(below) = below_bytes {
        words.whole(below);
    }
    Line {
        wholes: [started, finished, alive, bytes],
        numbers: [],
        options: [
            completion_mean_s,
            completion_p50_s,
            completion_p95_s,
            completion_p99_s,
            completion_max_s,
            slowdown_mean,
            slowdown_p50,
            slowdown_p95,
            slowdown_p99,
            slowdown_max,
        ],
    }
}

/// Reads the bounds of a class.
fn bounds(words: &mut Reader<'_>) -> Option<TransfersOutcome> {
    Some(TransfersOutcome {
        from_bytes: words.whole()?,
        below_bytes: match flag(words)? {
            true => Some(words.whole()?),
            false => None,
        },
        ..TransfersOutcome::default()
    })
}

fn decode_transfers(line: TransfersLine, class: &mut TransfersOutcome) {
    [class.started, class.finished, class.alive, class.bytes] = line.wholes;
    [
        class.completion_mean_s,
        class.completion_p50_s,
        class.completion_p95_s,
        class.completion_p99_s,
        class.completion_max_s,
        class.slowdown_mean,
        class.slowdown_p50,
        class.slowdown_p95,
        class.slowdown_p99,
        class.slowdown_max,
    ] = line.options;
}

fn encode_video(video: &VideoOutcome) -> VideoLine {
    let &VideoOutcome {
        clients,
        playing,
        startup_mean_s,
        startup_max_s,
        stalls,
        stalled_s,
        played_s,
        rate_mean_bps,
        switches,
    } = video;
    Line {
        wholes: [clients, playing, stalls, switches],
        numbers: [stalled_s, played_s],
        options: [startup_mean_s, startup_max_s, rate_mean_bps],
    }
}

fn decode_video(line: &VideoLine) -> VideoOutcome {
    let [clients, playing, stalls, switches] = line.wholes;
    let [stalled_s, played_s] = line.numbers;
    let [startup_mean_s, startup_max_s, rate_mean_bps] = line.options;
    VideoOutcome {
        clients,
        playing,
        startup_mean_s,
        startup_max_s,
        stalls,
        stalled_s,
        played_s,
        rate_mean_bps,
        switches,
    }
}

/// Encodes the transfers that are listed, as columns of all workloads together.
fn encode_list(workloads: &[WorkloadOutcome], out: &mut Writer) {
    let listed = || workloads.iter().flat_map(|it| &it.list);
    let (mut wholes, mut numbers) = (Columns::default(), Columns::default());
    wholes.write_wholes(out, listed().map(|it| it.bytes).collect());
    let complete = listed().map(|it| u64::from(it.completion_s.is_some()));
    wholes.write_wholes(out, complete.collect());
    numbers.write_numbers(out, listed().map(|it| it.start_s));
    numbers.write_numbers(out, listed().filter_map(|it| it.completion_s));
}

/// Reads as many transfers for each workload as are `listed` of it.
fn decode_list(
    workloads: &mut [WorkloadOutcome],
    listed: &[usize],
    from: &mut Reader<'_>,
) -> Option<()> {
    let all = listed
        .iter()
        .try_fold(0_usize, |all, one| all.checked_add(*one))?;
    let (mut wholes, mut numbers) = (Columns::default(), Columns::default());
    let bytes = wholes.read_wholes(from, all)?.to_vec();
    let complete = wholes.read_wholes(from, all)?.to_vec();
    let starts: Vec<f64> = numbers.read_numbers(from, all)?.collect();
    let finished = complete.iter().filter(|&&it| it == 1).count();
    if complete.iter().any(|&it| it > 1) {
        return None;
    }
    let mut times = numbers.read_numbers(from, finished)?;
    let lines = starts.into_iter().zip(bytes).zip(complete);
    let mut transfers = lines.map(|((start_s, bytes), complete)| TransferOutcome {
        start_s,
        bytes,
        completion_s: match complete {
            1 => times.next(),
            _ => None,
        },
    });
    for (workload, count) in workloads.iter_mut().zip(listed) {
        workload.list = transfers.by_ref().take(*count).collect();
    }
    Some(())
}
