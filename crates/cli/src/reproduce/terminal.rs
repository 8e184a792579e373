//! What `reproduce` says on the terminal.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Effects, Style};
use comfy_table::Table;
use dumbbell_lab::claim::{Change, Settings, Verdict};
use dumbbell_lab::experiment::{Experiment, Results};
use dumbbell_lab::figure::{Curve, Figure, Kind};
use serde_json::json;

use super::chosen::{self, Chosen};
use super::matrix;
use super::work::Done;
use crate::exit::Exit;
use crate::table::{new_table, significant};

pub fn print(chosen: &[Chosen], done: &Done) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for (experiment, results) in chosen::experiments(chosen).zip(&done.results) {
        print_figure(&mut out, experiment, results)?;
        print_claims(&mut out, experiment, results)?;
    }
    if let Some(measured) = &done.matrix {
        matrix::print(&mut out, measured)?;
    }
    writeln!(
        out,
        "{} runs in {:.1} s: {} simulated, {} known already, {} shared by figures",
        done.simulated + done.kept + done.shared,
        done.seconds,
        done.simulated,
        done.kept,
        done.shared
    )?;
    Ok(())
}

fn print_figure(
    out: &mut impl io::Write,
    experiment: &Experiment,
    results: &Results,
) -> io::Result<()> {
    writeln!(out, "{}\n{}", experiment.title, experiment.source)?;
    for (place, panel) in experiment.panels.iter().enumerate() {
        // What was sampled over time is for the eye.
        if panel.is_over_time() {
            continue;
        }
        if panel.is_table() {
            let tabular = experiment.tabular(place, results);
            let columns = tabular.columns.iter().map(String::as_str);
            let mut table = new_table(std::iter::once("").chain(columns));
            for (name, cells) in tabular.rows {
                let cells = cells
                    .into_iter()
                    .map(|cell| cell.map_or_else(|| "-".to_owned(), significant));
                table.add_row(std::iter::once(name).chain(cells));
            }
            writeln!(out, "{table}\n")?;
            continue;
        }
        let figure = experiment.figure(place, results);
        writeln!(
            out,
            "{}, mean and 95 % interval of {} runs\n",
            figure.y_label, experiment.repeat
        )?;
        writeln!(out, "{}\n", values(&figure, experiment.xs()))?;
    }
    Ok(())
}

/// A column a curve; of bars, and of curves with one point each, a row a curve.
fn values(figure: &Figure, places: &[f64]) -> Table {
    let value = |curve: &Curve, place: f64| {
        let point = curve.points.iter().find(|(x, _)| *x == place);
        point.map_or_else(|| "-".to_owned(), |(_, estimate)| significant(*estimate))
    };
    if figure.kind == Kind::Bars || places.len() == 1 {
        let columns = places.iter().map(|place| match places {
            [_] => figure.y_label.clone(),
            _ => match figure.name(*place) {
                Some(name) => name.to_owned(),
                None => format!("{} {place}", figure.x_label),
            },
        });
        let mut table = new_table(std::iter::once(String::new()).chain(columns));
        for curve in &figure.series {
            let values = places.iter().map(|place| value(curve, *place));
            table.add_row(std::iter::once(curve.name.clone()).chain(values));
        }
        return table;
    }
    let names = figure.series.iter().map(|curve| curve.name.as_str());
    let mut table = new_table(std::iter::once(figure.x_label.as_str()).chain(names));
    for place in places {
        let values = figure.series.iter().map(|curve| value(curve, *place));
        table.add_row(std::iter::once(place.to_string()).chain(values));
    }
    table
}

fn print_claims(
    out: &mut impl io::Write,
    experiment: &Experiment,
    results: &Results,
) -> io::Result<()> {
    for claim in &experiment.claims {
        let judgement = experiment.judge(claim, results);
        let doubt = if judgement.firm {
            ""
        } else {
            " (within the noise)"
        };
        let verdict = judgement.verdict;
        let style = style(verdict);
        writeln!(out, "{style}{verdict:<10}{style:#}  {}", claim.text)?;
        writeln!(
            out,
            "{:12}paper: {}; here: {}{doubt}",
            "", judgement.paper, judgement.here
        )?;
    }
    if !experiment.claims.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Holds => AnsiColor::Green,
        Verdict::Partly => AnsiColor::Yellow,
        Verdict::Fails => AnsiColor::Red,
        Verdict::Untestable => AnsiColor::BrightBlack,
    };
    colour.on_default().effects(Effects::BOLD)
}

/// One JSON object a claim.
pub fn print_json(chosen: &[Chosen], done: &Done, settings: Settings) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut results = done.results.iter();
    for paper in chosen {
        for (experiment, results) in paper.experiments.iter().zip(&mut results) {
            for claim in &experiment.claims {
                let judgement = experiment.judge(claim, results);
                let line = json!({
                    "paper": paper.name,
                    "figure": experiment.name,
                    "claim": claim.id,
                    "text": claim.text,
                    "source": claim.source,
                    "verdict": judgement.verdict,
                    "firm": judgement.firm,
                    "stated": judgement.paper,
                    "found": judgement.here,
                    "evidence": judgement.evidence,
                    "recorded": paper.recorded(settings, &experiment.name, &claim.id),
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    if let Some(measured) = &done.matrix {
        matrix::print_json(&mut out, measured)?;
    }
    Ok(())
}

/// Tells of verdicts that differ from those on record; on the standard error output, as no part of
/// the results.
pub fn print_changes(changes: &[Change], same_settings: bool) -> Result<(), Exit> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut out = anstream::stderr().lock();
    let record = if same_settings {
        "those on record for these settings"
    } else {
        "those on record, which are for another seed or other points"
    };
    writeln!(out, "verdicts that differ from {record}:")?;
    for change in changes {
        let recorded = change
            .recorded
            .map_or_else(|| "not on record".to_owned(), |v: Verdict| v.to_string());
        writeln!(
            out,
            "  {} {}: {}, now {}",
            change.experiment, change.claim, recorded, change.found
        )?;
    }
    Ok(())
}
