//! The output of `ping -D`: a line for each answer, with its time in brackets. Packets without an answer
//! show as gaps of `icmp_seq`.

use super::{Fate, Probe, milliseconds, moment};
use crate::recording::Fault;
use crate::recording::fault::clip;

const WANTED: &str = "a line is such as `[1700182800.410606] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=63 time=60.6 ms`";

/// An answer.
struct Answer {
    probe: Probe,
    /// Of 16 bits.
    number: u16,
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Probe>, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut answers: Vec<Answer> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        // The head, the statistics, what hosts report, and answers that come twice.
        let is_answer = text.contains("icmp_seq=") && text.contains("time=");
        if !is_answer || text.contains("(DUP!)") {
            continue;
        }
        let answer = answer(text, line);
        let wrong = || Fault::line(line, format!("`{}` is not an answer", clip(text)), WANTED);
        answers.push(answer.ok_or_else(wrong)?);
    }
    if answers.is_empty() {
        return Err(Fault::whole("there is no answer in the file", WANTED));
    }
    if let Some(pair) = answers
        .windows(2)
        .find(|pair| pair[1].probe.at < pair[0].probe.at)
    {
        let help = "answers are in the order in which they came";
        return Err(Fault::line(pair[1].probe.line, "the time goes back", help));
    }
    Ok(with_lost(&answers))
}

fn answer(text: &str, line: u64) -> Option<Answer> {
    let (time, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let after = |key: &str| {
        let (_, value) = rest.split_once(key)?;
        value.split_whitespace().next()
    };
    let rtt = milliseconds(after("time=")?)
        .filter(|rtt| *rtt > 0.0)?
        .round() as u64;
    let fate = Fate::Answered { rtt, one_way: None };
    let at = moment(time)?;
    let number: u16 = after("icmp_seq=")?.parse().ok()?;
    Some(Answer {
        probe: Probe { at, line, fate },
        number,
    })
}

/// The answers in the order in which their packets were sent, with those that got none between them.
fn with_lost(answers: &[Answer]) -> Vec<Probe> {
    // Numbers of 16 bits, which start over, as positions that do not.
    let mut position = i64::from(answers[0].number);
    let mut placed: Vec<(i64, Probe)> = Vec::new();
    for answer in answers {
        // From -32768 to 32767, an answer is near the one before it.
        let step = answer.number.wrapping_sub(position as u16) as i16;
        position += i64::from(step);
        placed.push((position, answer.probe));
    }
    placed.sort_by_key(|(position, _)| *position);
    placed.dedup_by_key(|(position, _)| *position);
    let mut probes: Vec<Probe> = Vec::new();
    let mut before: Option<(i64, Probe)> = None;
    for (position, probe) in placed {
        if let Some((last, earlier)) = before {
            let lost = (position - last - 1).max(0) as u64;
            let gap = probe.at.saturating_sub(earlier.at) / (lost + 1);
            for n in 1..=lost {
                probes.push(Probe {
                    at: earlier.at + gap * n,
                    line: probe.line,
                    fate: Fate::Lost,
                });
            }
        }
        probes.push(probe);
        before = Some((position, probe));
    }
    // Answers may overtake each other; what was sent later then came earlier.
    let mut latest = 0;
    for probe in &mut probes {
        latest = latest.max(probe.at);
        probe.at = latest;
    }
    probes
}
