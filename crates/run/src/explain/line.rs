//! The lines of an explanation: one line for an event, or for a period of growth by the same rule.

use std::collections::BTreeMap;
use std::fmt;

use dumbbell_control::controller::Value;
use dumbbell_control::units::Segments;
use serde::Serialize;

use super::kind::Kind;
use super::step::Values;

/// Why a window changed once, or how it grew for a while by the same rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Time of the event, in seconds.
    pub time_s: f64,
    /// Time of the last ACK, if the line covers several, in seconds; otherwise equal to `time_s`.
    pub until_s: f64,
    /// The flow's number, counted from 1.
    pub flow: usize,
    /// The flow's name.
    pub name: String,
    /// The flow's congestion control.
    pub control: String,
    /// `ack`, `dup_acks`, `fine_timer`, `ecn`, `timeout`, `recovery_end`, `undo`, `unused`, `slow_start_end`, `state`
    /// or `bounds`; of a flow with a rate `report` or `timer`.
    pub event: &'static str,
    /// How many events the line covers: more than one for ACKs, bounds and rates only.
    pub count: u64,
    /// What happened to the window.
    pub kind: Kind,
    /// Segments outstanding at a loss or a timeout.
    pub in_flight: Option<f64>,
    /// The branch of the rule that was taken.
    pub branch: &'static str,
    /// Why it was taken, with the values on which the decision was based. Empty if the control does
    /// not report it.
    pub condition: String,
    /// What the branch does to the window.
    pub action: String,
    /// The publication and section that state the rule.
    pub source: &'static str,
    /// Congestion window before the first event, in segments; not a number for a flow with a rate.
    pub cwnd_before: f64,
    /// Congestion window after the last event.
    pub cwnd_after: f64,
    /// Slow-start threshold before the first event, in segments; `None` if there is no limit.
    pub ssthresh_before: Option<f64>,
    /// Slow-start threshold after the last event.
    pub ssthresh_after: Option<f64>,
    /// The rate before the first event in bit/s, of a flow that has a rate and no window.
    pub rate_before_bps: Option<f64>,
    /// The rate after the last event.
    pub rate_after_bps: Option<f64>,
    /// The values that the control reported before the first event: segments, seconds, bits per
    /// second, words.
    pub values: BTreeMap<&'static str, Known>,
    /// The values that it reported after the last event.
    pub values_after: BTreeMap<&'static str, Known>,
}

/// A value that a control reported.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Known {
    /// A number in the unit that its name implies.
    Number(f64),
    /// The name of a state.
    Word(&'static str),
}

/// How often each branch reduced a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The branches of reductions with their counts, in the order of their first occurrence.
    pub reductions: Vec<(&'static str, u64)>,
    /// Losses and timeouts that left the window unchanged.
    pub spared: u64,
    /// ACKs that let a window grow. Counted only if requested.
    pub growth: u64,
}

impl Line {
    /// The reason in one line: condition, branch, action, source.
    pub fn reason(&self) -> String {
        let mut text = String::new();
        if !self.condition.is_empty() {
            text = format!("{}: ", self.condition);
        }
        text += self.branch;
        if !self.action.is_empty() {
            text += &format!(", {}", self.action);
        }
        if !self.source.is_empty() {
            text += &format!("; {}", self.source);
        }
        text
    }

    /// The ratio of the window, or of the rate, after the line to that before it.
    pub fn factor(&self) -> f64 {
        match (self.rate_before_bps, self.rate_after_bps) {
            (Some(before), Some(after)) => after / before,
            _ => self.cwnd_after / self.cwnd_before,
        }
    }
}

impl Tally {
    pub(super) fn count(&mut self, line: &Line) {
        match line.kind {
            Kind::Spared => self.spared += 1,
            // Reports are no ACKs.
            Kind::Growth if line.rate_after_bps.is_some() => {}
            Kind::Growth => self.growth += line.count,
            Kind::Hold | Kind::Restoration | Kind::Transition | Kind::State | Kind::Bounds => {}
            Kind::Reduction => {
                let branches = &mut self.reductions;
                match branches.iter_mut().find(|(name, _)| *name == line.branch) {
                    Some((_, count)) => *count += line.count,
                    None => branches.push((line.branch, line.count)),
                }
            }
        }
    }
}

impl fmt::Display for Tally {
    /// For example `41 reductions: 30 random losses, 8 congestion, 3 timeouts`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u64 = self.reductions.iter().map(|(_, count)| count).sum();
        write!(f, "{total} reduction{}", if total == 1 { "" } else { "s" })?;
        let mut sorted = self.reductions.clone();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (i, (branch, count)) in sorted.iter().enumerate() {
            let comma = if i == 0 { ": " } else { ", " };
            write!(f, "{comma}{count} {branch}{}", plural(branch, *count))?;
        }
        match self.spared {
            0 => Ok(()),
            1 => f.write_str("; 1 loss or timeout reduced nothing"),
            n => write!(f, "; {n} losses or timeouts reduced nothing"),
        }
    }
}

fn plural(branch: &str, count: u64) -> &'static str {
    match branch {
        _ if count == 1 => "",
        _ if branch.ends_with("loss") => "es",
        _ if branch.ends_with("timeout") => "s",
        _ => "",
    }
}

pub(super) fn threshold(segments: Segments) -> Option<f64> {
    (segments < Segments::MAX).then(|| segments.as_f64())
}

pub(super) fn known(values: &Values) -> BTreeMap<&'static str, Known> {
    let known = |value: Value| match value {
        Value::State(word) => Some(Known::Word(word)),
        Value::Rule(_) => None,
        number => number.number().map(Known::Number),
    };
    values
        .iter()
        .filter_map(|(name, value)| Some((*name, known(*value)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_shown_as_a_sentence() {
        let tally = |reductions: &[(&'static str, u64)], spared| Tally {
            reductions: reductions.to_vec(),
            spared,
            growth: 0,
        };
        let many = [("timeout", 3), ("random loss", 30), ("congestion", 8)];
        assert_eq!(
            tally(&many, 0).to_string(),
            "41 reductions: 30 random losses, 8 congestion, 3 timeouts"
        );
        assert_eq!(
            tally(&[("timeout", 1)], 1).to_string(),
            "1 reduction: 1 timeout; 1 loss or timeout reduced nothing"
        );
        assert_eq!(
            tally(&[], 2).to_string(),
            "0 reductions; 2 losses or timeouts reduced nothing"
        );
    }
}
