//! Marks congestion epochs on a drawing over time.

use dumbbell_run::Series;
use dumbbell_run::csv::quoted;
use dumbbell_run::outcome::Outcome;

use super::epochs::{EpochSpan, found};
use super::selection::Flows;
use crate::epochs::{self, Epoch, Rhythm};
use crate::figure::{Lane, Mark};

/// The epochs of a drawn run.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Cuts up to this time, in seconds, are ignored.
    from: f64,
    /// The flows' names.
    flows: Vec<String>,
    epochs: Vec<Marked>,
    rhythm: Option<Rhythm>,
}

/// An epoch with each flow's window before and after it, in segments.
#[derive(Clone, Debug, PartialEq)]
struct Marked {
    epoch: Epoch,
    before: Vec<f64>,
    after: Vec<f64>,
    changes_hands: bool,
}

impl Marks {
    /// Determines the epochs of a run.
    pub(super) fn of(
        span: EpochSpan,
        flows: &Flows,
        outcome: &Outcome,
        sampled: &[Series],
    ) -> Self {
        let flows = flows.of(outcome);
        let (epochs, histories) = found(&flows, sampled, span);
        Self {
            from: span.from,
            flows: flows
                .iter()
                .map(|flow| outcome.flows[*flow].name.clone())
                .collect(),
            rhythm: epochs::rhythm(&epochs, &histories),
            epochs: epochs
                .into_iter()
                .map(|epoch| Marked {
                    before: epoch.before(&histories),
                    after: epoch.after(&histories),
                    changes_hands: epoch.changes_hands(&histories),
                    epoch,
                })
                .collect(),
        }
    }

    /// The lanes of markers at the times that are shown.
    pub(super) fn lanes(&self, shown: impl Fn(f64) -> bool) -> Vec<Lane> {
        let lane =
            |name: &str, has: fn(&Marked) -> bool, words: fn(&Marked, &[String]) -> String| {
                let those = self.epochs.iter().filter(|marked| has(marked));
                Lane {
                    name: name.to_owned(),
                    marks: those
                        .filter(|marked| shown(marked.epoch.start))
                        .map(|marked| Mark {
                            at: marked.epoch.start,
                            words: words(marked, &self.flows),
                        })
                        .collect(),
                }
            };
        vec![
            lane(IN_PHASE, |m| m.epoch.is_common(), Marked::cuts),
            lane(OUT_OF_PHASE, |m| !m.epoch.is_common(), Marked::cuts),
            lane("roles change", |m| m.changes_hands, Marked::change),
        ]
    }

    /// Describes how many epochs there are of each kind.
    pub fn summary(&self) -> String {
        let all = self.epochs.len();
        let count = |has: fn(&Marked) -> bool| self.epochs.iter().filter(|m| has(m)).count();
        let common = count(|m| m.epoch.is_common());
        let since = match self.from {
            0.0 => "In the whole run".to_owned(),
            from => format!("In the whole run after {from} s"),
        };
        let mut words = format!(
            "{since}: {all} {}, {common} in phase (every flow is cut) and {} out of phase (a flow is \
             spared); the larger window changed hands in {}.",
            if all == 1 { "epoch" } else { "epochs" },
            all - common,
            count(|m| m.changes_hands)
        );
        words += match self.rhythm {
            Some(Rhythm::InPhase) => " As a whole the run is in phase.",
            Some(Rhythm::OutOfPhase) => " As a whole the run is out of phase.",
            Some(Rhythm::Mixed) => " As a whole the run is neither in phase nor out of phase.",
            None => "",
        };
        words
    }

    /// One line per epoch: its first and last cut, its class, the flows that were cut, the flow
    /// with the largest window before and after, and every flow's window before and after, in
    /// segments.
    pub fn csv(&self) -> String {
        let mut text = "time,end,class,cut,larger before,larger after,roles change".to_owned();
        for flow in &self.flows {
            for when in ["before", "after"] {
                text += &format!(",{}", quoted(&format!("{flow} {when}")));
            }
        }
        text.push('\n');
        for marked in &self.epochs {
            let class = if marked.epoch.is_common() {
                IN_PHASE
            } else {
                OUT_OF_PHASE
            };
            text += &format!(
                "{},{},{class},{},{},{},{}",
                marked.epoch.start,
                marked.epoch.end,
                quoted(&marked.names(&self.flows, true).join("; ")),
                quoted(owner(&marked.before, &self.flows)),
                quoted(owner(&marked.after, &self.flows)),
                if marked.changes_hands { "yes" } else { "no" }
            );
            for (before, after) in marked.before.iter().zip(&marked.after) {
                text += &format!(",{before:.3},{after:.3}");
            }
            text.push('\n');
        }
        text
    }
}

const IN_PHASE: &str = "in phase";
const OUT_OF_PHASE: &str = "out of phase";

/// The name of the flow with the largest window.
fn owner<'a>(windows: &[f64], flows: &'a [String]) -> &'a str {
    epochs::largest(windows).map_or("", |flow| &flows[flow])
}

impl Marked {
    /// The names of the flows that were cut (`cut`), or of those that were not.
    fn names<'a>(&self, flows: &'a [String], cut: bool) -> Vec<&'a str> {
        let those = flows.iter().zip(&self.epoch.cut);
        those
            .filter(|(_, was)| **was == cut)
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// Describes which windows were cut, and which were not.
    fn cuts(&self, flows: &[String]) -> String {
        let windows = self.before.iter().zip(&self.after);
        let cut = flows.iter().zip(windows).zip(&self.epoch.cut);
        let cut: Vec<String> = cut
            .filter(|(_, was)| **was)
            .map(|((name, (before, after)), _)| format!("{name} {before:.1} → {after:.1}"))
            .collect();
        match self.names(flows, false)[..] {
            [] => cut.join(", "),
            ref spared => format!("{}; spared: {}", cut.join(", "), spared.join(", ")),
        }
    }

    /// Describes which flow had the larger window before, and which has it after.
    fn change(&self, flows: &[String]) -> String {
        format!(
            "the larger window passes from {} to {}",
            owner(&self.before, flows),
            owner(&self.after, flows)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 2 s both flows are cut, A more than B; at 5.05 s only B is cut, and at 50 s only A.
    fn marks() -> Marks {
        let marked = |start: f64, cut: [bool; 2], before: [f64; 2], after: [f64; 2]| Marked {
            epoch: Epoch {
                start,
                end: start,
                cut: cut.to_vec(),
            },
            before: before.to_vec(),
            after: after.to_vec(),
            changes_hands: (before[0] > before[1]) != (after[0] > after[1]),
        };
        Marks {
            from: 1.5,
            flows: vec!["A".to_owned(), "B, slow".to_owned()],
            epochs: vec![
                marked(2.0, [true, true], [20.0, 15.0], [10.0, 12.0]),
                marked(5.05, [false, true], [13.0, 14.0], [13.0, 7.0]),
                marked(50.0, [true, false], [19.0, 11.5], [15.25, 11.5]),
            ],
            rhythm: Some(Rhythm::OutOfPhase),
        }
    }

    #[test]
    fn each_kind_has_its_lane_and_description() {
        let lanes = marks().lanes(|time| time < 20.0);
        let told: Vec<(&str, Vec<(f64, &str)>)> = lanes
            .iter()
            .map(|lane| {
                let marks = lane.marks.iter().map(|m| (m.at, m.words.as_str()));
                (lane.name.as_str(), marks.collect())
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    "in phase",
                    vec![(2.0, "A 20.0 → 10.0, B, slow 15.0 → 12.0")]
                ),
                (
                    "out of phase",
                    vec![(5.05, "B, slow 14.0 → 7.0; spared: A")]
                ),
                (
                    "roles change",
                    vec![
                        (2.0, "the larger window passes from A to B, slow"),
                        (5.05, "the larger window passes from B, slow to A"),
                    ]
                ),
            ]
        );
    }

    #[test]
    fn the_summary_covers_the_whole_run() {
        assert_eq!(
            marks().summary(),
            "In the whole run after 1.5 s: 3 epochs, 1 in phase (every flow is cut) and 2 out of phase (a flow \
             is spared); the larger window changed hands in 2. As a whole the run is out of phase."
        );
        let one = Marks {
            from: 0.0,
            epochs: marks().epochs[..1].to_vec(),
            rhythm: None,
            ..marks()
        };
        assert!(
            one.summary()
                .starts_with("In the whole run: 1 epoch, 1 in phase")
        );
        assert!(one.summary().ends_with("in 1."));
    }

    #[test]
    fn csv_has_one_line_per_epoch() {
        assert_eq!(
            marks().csv(),
            "time,end,class,cut,larger before,larger after,roles change,A before,A after,\"B, slow before\",\"B, slow after\"\n\
             2,2,in phase,\"A; B, slow\",A,\"B, slow\",yes,20.000,10.000,15.000,12.000\n\
             5.05,5.05,out of phase,\"B, slow\",\"B, slow\",A,yes,13.000,13.000,14.000,7.000\n\
             50,50,out of phase,A,A,A,no,19.000,15.250,11.500,11.500\n"
        );
    }
}
