//! What the report says of the chosen experiments.

use dumbbell_lab::claim::{Claim, Settings};
use dumbbell_lab::experiment::{Experiment, Panel, Point, Results};
use dumbbell_lab::report::{
    Cross, Document, Drawing, JudgedClaim, Marks, Paper, PointFile, Run, Section, Series, Tabular,
};
use dumbbell_run::statistics::Estimate;

use super::chosen::Chosen;
use super::work::Done;
use super::{Args, USUAL_SEED};

pub fn document(chosen: &[Chosen], done: &Done, args: &Args) -> Document {
    let mut measured = done.results.iter().zip(&done.points);
    let papers = chosen
        .iter()
        .map(|paper| Paper {
            name: paper.name.to_owned(),
            title: paper.about.title.clone(),
            citation: paper.about.citation.clone(),
            notes: paper.notes.to_owned(),
            sections: paper
                .experiments
                .iter()
                .zip(&mut measured)
                .map(|(experiment, (results, points))| {
                    section(paper, experiment, results, points, args)
                })
                .collect(),
        })
        .collect();
    Document {
        run: Run {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: done.fingerprint.clone(),
            command: command(args),
            seed: args.seed,
            quick: args.quick,
            simulated: done.simulated,
            kept: done.kept,
            seconds: done.seconds,
        },
        papers,
        matrix: done.matrix.as_ref().map(|measured| Cross {
            matrix: measured.matrix.clone(),
            tables: measured.tables.clone(),
            seeds: (
                args.seed,
                args.seed.wrapping_add(measured.matrix.repeat - 1),
            ),
        }),
    }
}

/// The command that makes the same report.
fn command(args: &Args) -> String {
    let mut words = vec!["dumbbell reproduce".to_owned()];
    words.extend(args.names.iter().cloned());
    if args.quick {
        words.push("--quick".to_owned());
    }
    if args.seed != USUAL_SEED {
        words.push(format!("--seed {}", args.seed));
    }
    words.join(" ")
}

fn section(
    paper: &Chosen,
    experiment: &Experiment,
    results: &Results,
    points: &[Point],
    args: &Args,
) -> Section {
    let settings = Settings {
        seed: args.seed,
        quick: args.quick,
    };
    let claims = experiment.claims.iter().map(|claim| JudgedClaim {
        id: claim.id.clone(),
        text: claim.text.clone(),
        source: claim.source.clone(),
        judgement: experiment.judge(claim, results),
        recorded: paper.recorded(settings, &experiment.name, &claim.id),
        points: spoken_of(experiment, claim, points),
    });
    let files = points.iter().map(|point| PointFile {
        series: experiment.curve(point.curve).name.clone(),
        x: experiment.x_of(point.place),
        file: experiment.file_of(point),
        text: point.scenario.canonical(),
    });
    Section {
        name: experiment.name.clone(),
        title: experiment.title.clone(),
        source: experiment.source.clone(),
        about: experiment.about.clone(),
        added: experiment.added,
        drawings: experiment
            .panels
            .iter()
            .enumerate()
            .filter(|(_, panel)| !panel.is_table())
            .map(|(place, panel)| drawing(experiment, place, panel, results))
            .collect(),
        tables: tables(experiment, results),
        claims: claims.collect(),
        seeds: (args.seed, args.seed.wrapping_add(experiment.repeat - 1)),
        parameters: experiment.parameters(),
        varied: experiment.x.as_ref().map(|x| x.label.clone()),
        names: experiment.named_places(),
        points: files.collect(),
    }
}

fn tables(experiment: &Experiment, results: &Results) -> Vec<Tabular> {
    let panels = experiment.panels.iter().enumerate();
    let wanted = panels.filter(|(_, panel)| panel.is_table());
    wanted
        .map(|(place, panel)| {
            let tabular = experiment.tabular(place, results);
            let numbers = |e: Estimate| (e.mean, e.half_width.unwrap_or(0.0));
            let row = |(name, cells): (String, Vec<Option<Estimate>>)| {
                (name, cells.into_iter().map(|c| c.map(numbers)).collect())
            };
            Tabular {
                stem: experiment.file_stem(panel),
                columns: tabular.columns,
                rows: tabular.rows.into_iter().map(row).collect(),
            }
        })
        .collect()
}

/// The points that a claim speaks of, by their places.
fn spoken_of(experiment: &Experiment, claim: &Claim, points: &[Point]) -> Vec<usize> {
    let (mut curves, places) = claim.test.names();
    curves.extend(experiment.compared_with(claim));
    let spoken = |point: &Point| {
        let curve = experiment.curve(point.curve).name.as_str();
        let place = experiment.x_of(point.place);
        // Without places it speaks of all of them.
        let here = places.is_empty() || places.contains(&place);
        here && (claim.test.is_about_all() || curves.contains(&curve))
    };
    let numbered = points.iter().enumerate();
    numbered
        .filter(|(_, point)| spoken(point))
        .map(|(number, _)| number)
        .collect()
}

fn drawing(experiment: &Experiment, place: usize, panel: &Panel, results: &Results) -> Drawing {
    let figure = experiment.figure(place, results);
    Drawing {
        title: panel.title.clone(),
        names: figure.names,
        rows: figure.rows,
        stem: experiment.file_stem(panel),
        x_label: figure.x_label,
        y_label: figure.y_label,
        kind: figure.kind,
        log_x: figure.log_x,
        averaged: panel.is_averaged(),
        marks: experiment.marks(place, results).map(|marks| Marks {
            lanes: figure.lanes,
            summary: marks.summary(),
        }),
        series: figure
            .series
            .iter()
            .map(|curve| Series {
                name: curve.name.clone(),
                x: curve.points.iter().map(|(x, _)| *x).collect(),
                y: curve.points.iter().map(|(_, y)| y.mean).collect(),
                low: curve.points.iter().map(|(_, y)| y.low()).collect(),
                high: curve.points.iter().map(|(_, y)| y.high()).collect(),
            })
            .collect(),
    }
}
