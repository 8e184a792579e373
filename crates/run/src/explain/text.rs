//! Lines as text, in columns.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use dumbbell_scenario::{Scenario, Traffic, named_flows};

use super::kind::Kind;
use super::line::{Line, Tally};
use super::{Question, names};

/// The columns of an explanation as text.
#[derive(Clone, Debug)]
pub struct Columns {
    /// How wide the column of the flows is, in characters.
    width: usize,
    /// The numbers of the flows over QUIC, which has no duplicate ACKs.
    quic: BTreeSet<usize>,
}

impl Columns {
    /// The columns for the flows of a question.
    pub fn of(scenario: &Scenario, question: &Question) -> Self {
        let names = names(scenario);
        let labels = question.flows.iter().map(|i| label(i + 1, &names[*i]));
        let widest = labels.map(|label| label.chars().count()).max();
        let quic = named_flows(scenario).zip(1..);
        let quic = quic.filter_map(|((flow, _), number)| match &flow.traffic {
            Traffic::Tcp(tcp) if tcp.is_quic() => Some(number),
            _ => None,
        });
        Self {
            width: widest.unwrap_or(0).max(4),
            quic: quic.collect(),
        }
    }

    /// The names of the columns.
    pub fn heading(&self) -> String {
        format!(
            "{:>12}  {:width$}  {:20}  {:>8}    {:8}  {:>8}  {:>8}  why",
            "time s",
            "flow",
            "event",
            "cwnd",
            "",
            "",
            "ssthresh",
            width = self.width,
        )
    }

    /// A line. `loud` and `faint` are written before the parts that stand out and those that stand
    /// back, and with `#` behind them, as the styles of a terminal are; `""` for none.
    pub fn row(
        &self,
        line: &Line,
        loud: impl fmt::Display + Copy,
        faint: impl fmt::Display + Copy,
    ) -> String {
        let of = |window: f64, rate: Option<f64>| rate.map_or(window, |rate| rate / 1e3);
        let before = of(line.cwnd_before, line.rate_before_bps);
        let after = of(line.cwnd_after, line.rate_after_bps);
        let ssthresh = line.ssthresh_after;
        let ssthresh = ssthresh.map_or_else(|| "-".to_owned(), |segments| format!("{segments:.2}"));
        format!(
            "{:>12.6}  {:width$}  {loud}{:20}{loud:#}  {:>8.2} -> {:<8.2}  {loud}{:>8}{loud:#}  {:>8}  {}{}{faint}{}{faint:#}",
            line.time_s,
            label(line.flow, &line.name),
            event(line, self.quic.contains(&line.flow)),
            before,
            after,
            change(line),
            ssthresh,
            line.condition,
            outcome(line),
            source(line),
            width = self.width,
        )
    }
}

impl Tally {
    /// The totals as a sentence; with the growth, if `all` lines are shown.
    pub fn sentence(&self, all: bool) -> String {
        let mut text = self.to_string();
        let written = match self.growth {
            _ if !all => Ok(()),
            1 => write!(text, "; 1 ACK let a window grow"),
            acks => write!(text, "; {acks} ACKs let a window grow"),
        };
        written.expect("a string takes everything");
        text
    }
}

/// What must be said of controls that are reconstructions, as a line; `None` if there are none.
pub fn caveat<'a>(reconstructed: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: BTreeSet<&str> = reconstructed.collect();
    let names: Vec<&str> = names.into_iter().collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} (reconstructed): made up after what others say of it, not the published scheme\n",
            names.join(", ")
        )
    })
}

fn label(number: usize, name: &str) -> String {
    format!("{number} {name}")
}

fn event(line: &Line, is_quic: bool) -> String {
    match line.event {
        "ack" if line.count == 1 => "ACK".to_owned(),
        "ack" | "report" | "timer" if line.count > 1 => {
            let name = match line.event {
                "ack" => "ACKs",
                "report" => "reports",
                _ => "timers",
            };
            let span = line.until_s - line.time_s;
            let (number, unit) = if span < 1.0 {
                (span * 1e3, "ms")
            } else {
                (span, "s")
            };
            format!("{} {name} in {number:.1} {unit}", line.count)
        }
        "dup_acks" if is_quic => "loss, ACKs".to_owned(),
        "dup_acks" => "loss, dup ACKs".to_owned(),
        "fine_timer" => "loss, fine timer".to_owned(),
        "ecn" => "ECN mark".to_owned(),
        "recovery_end" => "full ACK".to_owned(),
        "undo" => "nothing was lost".to_owned(),
        "slow_start_end" => "threshold reached".to_owned(),
        "bounds" if line.count > 1 => format!("bounds, {} times", line.count),
        other => other.to_owned(),
    }
}

/// Returns the change of the window: a factor, or segments.
fn change(line: &Line) -> String {
    match line.kind {
        Kind::Reduction => format!("x {:.3}", line.factor()),
        Kind::Growth | Kind::Restoration => match (line.rate_before_bps, line.rate_after_bps) {
            (Some(before), Some(after)) => format!("+ {:.2}", (after - before) / 1e3),
            _ => format!("+ {:.2}", line.cwnd_after - line.cwnd_before),
        },
        Kind::State | Kind::Bounds => String::new(),
        Kind::Spared | Kind::Hold | Kind::Transition => "=".to_owned(),
    }
}

fn outcome(line: &Line) -> String {
    let colon = if line.condition.is_empty() { "" } else { ": " };
    let comma = if line.action.is_empty() { "" } else { ", " };
    format!("{colon}{}{comma}{}", line.branch, line.action)
}

fn source(line: &Line) -> String {
    if line.source.is_empty() {
        String::new()
    } else {
        format!("; {}", line.source)
    }
}
