//! Terminal output of `reproduce`: tables of the figures, and the verdicts.

use std::io::{self, Write as _};

use comfy_table::Table;
use dumbbell_lab::claim::Verdict;
use dumbbell_lab::experiment::Tabular;
use dumbbell_lab::figure::{Curve, Figure, Kind};
use dumbbell_lab::reproduction::{Against, Judged, ReproducedFigure, Reproduction, Shown};

use super::style::style;
use super::{explored, matrix};
use crate::exit::Exit;
use crate::table::{new_table, significant};

pub fn print(found: &Reproduction, seconds: f64) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for figure in found.figures() {
        print_figure(&mut out, figure)?;
        print_claims(&mut out, figure.judged())?;
    }
    for exploration in &found.explorations {
        explored::print(&mut out, exploration)?;
    }
    if let Some(measured) = &found.matrix {
        matrix::print(&mut out, measured)?;
    }
    let counts = &found.counts;
    writeln!(
        out,
        "{} runs in {seconds:.1} s: {} simulated, {} known already, {} shared by figures",
        counts.total(),
        counts.simulated,
        counts.kept,
        counts.shared
    )
}

fn print_figure(out: &mut impl io::Write, figure: &ReproducedFigure) -> io::Result<()> {
    let experiment = &figure.experiment;
    writeln!(out, "{}\n{}", experiment.title, experiment.source)?;
    for panel in figure.panels() {
        match &panel.shown {
            // Samples over time are shown only as drawings.
            Shown::Sampled { .. } => {}
            Shown::Table(tabular) => writeln!(out, "{}\n", rows(tabular))?,
            Shown::Measured(figure) => {
                let runs = experiment.repeat;
                let label = &figure.y_label;
                writeln!(out, "{label}, mean and 95 % interval of {runs} runs\n")?;
                writeln!(out, "{}\n", values(figure, experiment.xs()))?;
            }
        }
    }
    Ok(())
}

fn rows(tabular: &Tabular) -> Table {
    let columns = tabular.columns.iter().map(String::as_str);
    let mut table = new_table(std::iter::once("").chain(columns));
    for (name, cells) in &tabular.rows {
        let cells = cells.iter();
        let cells = cells.map(|cell| cell.map_or_else(|| "-".to_owned(), significant));
        table.add_row(std::iter::once(name.clone()).chain(cells));
    }
    table
}

/// Returns a table with one column per curve; for bars, and for curves with one point each, with
/// one row per curve.
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

fn print_claims(out: &mut impl io::Write, all: &[Judged]) -> io::Result<()> {
    for Judged {
        claim, judgement, ..
    } in all
    {
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
    if !all.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// Prints the verdicts that differ from those on record. They go to standard error, because they
/// are not part of the results.
pub fn print_changes(against: &Against) -> Result<(), Exit> {
    let Against {
        changes,
        same_settings,
        ..
    } = against;
    if changes.is_empty() {
        return Ok(());
    }
    let mut out = anstream::stderr().lock();
    let record = if *same_settings {
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
