//! Encodes the frames of media flows.

use dumbbell_run::outcome::{FlowOutcome, MediaOutcome};

use super::line::{Line, read, write};
use crate::codec::{Reader, Writer};

type MediaLine = Line<9, 5, 8>;

/// Writes which flows have frames among the words, and what became of these among the numbers.
pub(super) fn encode(flows: &[FlowOutcome], words: &mut Writer, numbers: &mut Writer) {
    let with: Vec<(usize, &MediaOutcome)> = (0..)
        .zip(flows)
        .filter_map(|(place, flow)| Some((place, flow.media.as_deref()?)))
        .collect();
    words.count(with.len());
    for (place, _) in &with {
        words.whole(*place as u64);
    }
    let lines: Vec<MediaLine> = with.into_iter().map(|(_, media)| line(media)).collect();
    write(&lines, numbers);
}

/// Reads the frames into the flows that have them.
pub(super) fn decode(
    flows: &mut [FlowOutcome],
    words: &mut Reader<'_>,
    numbers: &mut Reader<'_>,
) -> Option<()> {
    let count = words.count()?;
    let mut places = Vec::with_capacity(count);
    for _ in 0..count {
        places.push(usize::try_from(words.whole()?).ok()?);
    }
    let lines: Vec<MediaLine> = read(numbers, count)?;
    for (place, line) in places.into_iter().zip(lines) {
        let media = &mut flows.get_mut(place)?.media;
        if media.is_some() {
            return None;
        }
        *media = Some(Box::new(outcome(line)));
    }
    Some(())
}

fn line(media: &MediaOutcome) -> MediaLine {
    let MediaOutcome {
        made,
        shown,
        shown_late,
        late,
        undecodable,
        lost,
        discarded,
        requests,
        encoded_bps,
        shown_bps,
        shown_variation,
        startup_s,
        played_s,
        frozen_s,
        freezes,
        delay_mean_s,
        delay_p50_s,
        delay_p95_s,
        delay_p99_s,
        delay_max_s,
        waiting_mean_s,
        waiting_max_s,
    } = media;
    Line {
        wholes: [
            *made,
            *shown,
            *shown_late,
            *late,
            *undecodable,
            *lost,
            *discarded,
            *requests,
            *freezes,
        ],
        numbers: [
            *encoded_bps,
            *shown_bps,
            *played_s,
            *frozen_s,
            *waiting_max_s,
        ],
        options: [
            *shown_variation,
            *startup_s,
            *delay_mean_s,
            *delay_p50_s,
            *delay_p95_s,
            *delay_p99_s,
            *delay_max_s,
            *waiting_mean_s,
        ],
    }
}

fn outcome(line: MediaLine) -> MediaOutcome {
    let [
        made,
        shown,
        shown_late,
        late,
        undecodable,
        lost,
        discarded,
        requests,
        freezes,
    ] = line.wholes;
    let [encoded_bps, shown_bps, played_s, frozen_s, waiting_max_s] = line.numbers;
    let [
        shown_variation,
        startup_s,
        delay_mean_s,
        delay_p50_s,
        delay_p95_s,
        delay_p99_s,
        delay_max_s,
        waiting_mean_s,
    ] = line.options;
    MediaOutcome {
        made,
        shown,
        shown_late,
        late,
        undecodable,
        lost,
        discarded,
        requests,
        encoded_bps,
        shown_bps,
        shown_variation,
        startup_s,
        played_s,
        frozen_s,
        freezes,
        delay_mean_s,
        delay_p50_s,
        delay_p95_s,
        delay_p99_s,
        delay_max_s,
        waiting_mean_s,
        waiting_max_s,
    }
}
