//! What `dumbbell run` shows: by default no more than a terminal holds.

use std::time::Duration;

use dumbbell_lab::summary::Summary;
use dumbbell_lab::tidy::{self, Kind};
use dumbbell_run::Series;
use dumbbell_run::explain;
use dumbbell_run::outcome::Outcome;
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use super::grid::Room;
use super::groups;
use crate::{chart, table};

/// The lines that a terminal is expected to hold.
const LINES: usize = 40;

/// The most links and classifiers that are shown beside the groups.
const FEW: usize = 6;

/// What is shown of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Groups, links and windows, as far as they fit.
    Short,
    /// The table of flows or of links.
    Only(Kind),
    /// Everything.
    All,
}

/// One or more runs of a scenario, and the samples of the first.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'r> {
    /// The scenario.
    pub scenario: &'r Scenario,
    /// The results, in the order of the seeds.
    pub outcomes: &'r [Outcome],
    /// The samples of the first run.
    pub series: &'r [Series],
    /// The time that all of them took.
    pub elapsed: Duration,
}

/// Shows runs.
pub fn of(runs: Runs<'_>, view: View) -> String {
    let Runs {
        scenario, outcomes, ..
    } = runs;
    let summary = Summary::of(scenario, outcomes);
    let heading = table::heading(scenario, outcomes);
    let caveat = explain::caveat(summary.reconstructed()).unwrap_or_default();
    let end = end(outcomes, &summary, runs.elapsed);
    match view {
        View::Short => {
            let rest = [
                table::links(&summary.links, FEW, "--all"),
                table::transfers(&summary.transfers, FEW, "--all"),
                table::videos(&summary.videos, FEW, "--all"),
                table::frames(&summary.frames, FEW, "--all"),
                table::classified(&summary.classified, FEW, "--all"),
            ]
            .concat();
            let used = 1 + [&caveat, &rest, &end]
                .map(|it| it.lines().count())
                .iter()
                .sum::<usize>();
            let groups = groups(runs, Room::Lines(LINES.saturating_sub(used), "--all"));
            let text = format!("{heading}\n{groups}{caveat}{rest}{end}");
            // An empty line comes before the charts.
            let left = LINES.saturating_sub(text.lines().count() + 1);
            text + &charts(runs, Some(left))
        }
        View::Only(Kind::Links) => {
            format!(
                "{heading}\n{}{end}",
                table::links(&summary.links, usize::MAX, "")
            )
        }
        View::Only(_) => {
            let flows = table::flows(&summary.flows, table::MOST_LINES, "--all");
            format!("{heading}\n{flows}\n{caveat}{end}")
        }
        View::All => {
            let tables = [
                groups(runs, Room::All),
                format!("{}\n", table::flows(&summary.flows, usize::MAX, "")),
                caveat,
                table::links(&summary.links, usize::MAX, ""),
                table::transfers(&summary.transfers, usize::MAX, ""),
                table::videos(&summary.videos, usize::MAX, ""),
                table::frames(&summary.frames, usize::MAX, ""),
                table::classified(&summary.classified, usize::MAX, ""),
                end,
                charts(runs, None),
            ]
            .concat();
            format!("{heading}\n{tables}")
        }
    }
}

fn groups(runs: Runs<'_>, room: Room) -> String {
    groups::table(&tidy::table(Kind::Groups, runs.outcomes), &[], room)
}

/// The charts of the first flows, in as many lines as are left.
fn charts(runs: Runs<'_>, left: Option<usize>) -> String {
    let few = runs.scenario.flow_count() <= chart::MOST_FLOWS;
    few.then(|| chart::drawn(&runs.outcomes[0], runs.series, left))
        .flatten()
        .map(|charts| format!("\n{charts}"))
        .unwrap_or_default()
}

/// The lines about all flows and the whole simulation.
fn end(outcomes: &[Outcome], summary: &Summary, elapsed: Duration) -> String {
    let mut text = String::new();
    let fairness: Vec<f64> = outcomes.iter().filter_map(tidy::jain_all).collect();
    if let Some(fairness) = Estimate::of(&fairness) {
        let of_all = outcomes[0].flows.iter();
        let media = of_all.filter(|flow| flow.recovery.is_none() && flow.control != "udp");
        let flows = if media.count() > 0 {
            "TCP and media flows"
        } else {
            "TCP flows"
        };
        let shown = table::show(fairness, 4);
        text += &format!("Jain's index of the {flows}' goodputs: {shown}\n");
    }
    let (events, seconds) = (summary.events, elapsed.as_secs_f64());
    text += &format!("{events} events in {seconds:.3} s\n");
    text
}
