//! Encodes links, with the times that packets spend in their queues.

use dumbbell_run::outcome::{LinkOutcome, Sojourn};

use super::line::Line;
use crate::codec::{Reader, Writer};

pub(super) type LinkLine = Line<11, 2, 11>;

/// Writes the name of a link among the words; returns its numbers.
pub(super) fn encode(link: &LinkOutcome, words: &mut Writer) -> LinkLine {
    let LinkOutcome {
        name,
        sent,
        delivered,
        dropped,
        lost,
        early,
        policed,
        marked,
        filtered,
        retransmitted,
        duplicated,
        corrupted,
        utilisation,
        queue_mean,
        wait_mean_s,
        sojourn,
        l4s_sojourn,
    } = link;
    let [mean, p50, p95, p99, max] = encode_sojourn(sojourn.as_deref());
    let [l4s_mean, l4s_p50, l4s_p95, l4s_p99, l4s_max] = encode_sojourn(l4s_sojourn.as_deref());
    words.text(name);
    Line {
        wholes: [
            *sent,
            *delivered,
            *dropped,
            *lost,
            *early,
            *policed,
            *marked,
            *filtered,
            *retransmitted,
            *duplicated,
            *corrupted,
        ],
        numbers: [*utilisation, *queue_mean],
        options: [
            *wait_mean_s,
            mean,
            p50,
            p95,
            p99,
            max,
            l4s_mean,
            l4s_p50,
            l4s_p95,
            l4s_p99,
            l4s_max,
        ],
    }
}

/// The reverse of [`encode`]; `None` if the bytes are not valid.
pub(super) fn decode(line: LinkLine, words: &mut Reader<'_>) -> Option<LinkOutcome> {
    let [
        sent,
        delivered,
        dropped,
        lost,
        early,
        policed,
        marked,
        filtered,
        retransmitted,
        duplicated,
        corrupted,
    ] = line.wholes;
    let [utilisation, queue_mean] = line.numbers;
    let [wait_mean_s, sojourns @ ..] = line.options;
    let [mean, p50, p95, p99, max, apart @ ..] = sojourns;
    let sojourn = decode_sojourn([mean, p50, p95, p99, max])?.map(Box::new);
    let l4s_sojourn = decode_sojourn(apart)?.map(Box::new);
    Some(LinkOutcome {
        name: words.text()?.to_owned(),
        sent,
        delivered,
        dropped,
        lost,
        early,
        policed,
        marked,
        filtered,
        retransmitted,
        duplicated,
        corrupted,
        utilisation,
        queue_mean,
        wait_mean_s,
        sojourn,
        l4s_sojourn,
    })
}

fn encode_sojourn(sojourn: Option<&Sojourn>) -> [Option<f64>; 5] {
    sojourn.map_or([None; 5], |it| {
        [it.mean_s, it.p50_s, it.p95_s, it.p99_s, it.max_s].map(Some)
    })
}

/// `None` if some of the numbers are missing, but not all.
fn decode_sojourn(numbers: [Option<f64>; 5]) -> Option<Option<Sojourn>> {
    let [mean, p50, p95, p99, max] = numbers;
    if numbers.iter().all(Option::is_none) {
        return Some(None);
    }
    Some(Some(Sojourn {
        mean_s: mean?,
        p50_s: p50?,
        p95_s: p95?,
        p99_s: p99?,
        max_s: max?,
    }))
}
