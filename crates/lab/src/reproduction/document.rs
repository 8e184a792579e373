//! Converts a reproduction into the contents of a report.

use std::collections::BTreeMap;

use dumbbell_run::statistics::Estimate;

use super::effect::{Effect, Flip};
use super::explored::ReproducedExploration;
use super::figure::{Judged, Panel, ReproducedFigure, Shown};
use super::value::{ReproducedPaper, Reproduction};
use crate::claim::Standing;
use crate::experiment::{self, Point};
use crate::exploration;
use crate::figure::{Curve, Figure};
use crate::report::{
    self, Cross, Document, Drawing, Exploration, JudgedClaim, Marks, Paper, PointFile, Reading,
    Run, Section, Series, Tabular,
};

impl Reproduction {
    /// The report of a reproduction that took so many seconds.
    pub fn document(&self, seconds: f64) -> Document {
        let missing = self.missing().map(|it| (it.name.clone(), it.title.clone()));
        let missing: Vec<(String, String)> = missing.collect();
        // A paper without a figure so far has nothing to show.
        let shown = |paper: &&ReproducedPaper| missing.is_empty() || !paper.figures.is_empty();
        let papers = self.papers.iter().filter(shown);
        Document {
            papers: papers.map(|paper| self.paper(paper)).collect(),
            missing,
            run: Run {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                fingerprint: self.fingerprint.clone(),
                command: self.command(),
                seed: self.settings.seed,
                quick: self.settings.quick,
                simulated: self.counts.simulated,
                kept: self.counts.kept,
                seconds,
            },
            explorations: self.explorations.iter().map(exploration).collect(),
            matrix: self.matrix.as_ref().map(|found| Cross {
                matrix: found.matrix.clone(),
                tables: found.tables.clone(),
                seeds: self.seeds(found.matrix.repeat),
            }),
        }
    }

    fn paper(&self, paper: &ReproducedPaper) -> Paper {
        let mut standings = BTreeMap::new();
        for (figure, judged, standing) in paper.standings() {
            let name = figure.experiment.name.as_str();
            standings.insert((name, judged.claim.id.as_str()), standing);
        }
        let sections = paper.figures.iter().map(|figure| {
            let name = figure.experiment.name.as_str();
            self.section(figure, |claim| standings.get(&(name, claim)).cloned())
        });
        let readings = paper.readings.iter().map(|reading| {
            let text = |flip: &Flip| text_of(paper, flip);
            self::reading(reading, &paper.effect(reading), |flip| (text(flip), None))
        });
        Paper {
            name: paper.about.name.clone(),
            title: paper.about.title.clone(),
            citation: paper.about.citation.clone(),
            notes: paper.about.notes.clone(),
            sections: sections.collect(),
            readings: readings.collect(),
        }
    }

    fn section(
        &self,
        figure: &ReproducedFigure,
        stands: impl Fn(&str) -> Option<Standing>,
    ) -> Section {
        let experiment = &figure.experiment;
        Section {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            source: experiment.source.clone(),
            about: experiment.about.clone(),
            added: experiment.added,
            drawings: figure.panels().iter().filter_map(drawing).collect(),
            tables: figure.panels().iter().filter_map(table).collect(),
            claims: (figure.judged().iter())
                .map(|judged| claim(judged, stands(&judged.claim.id)))
                .collect(),
            seeds: self.seeds(experiment.repeat),
            parameters: experiment.parameters(),
            varied: experiment.x.as_ref().map(|x| x.label.clone()),
            names: experiment.named_places(),
            points: figure.points.iter().map(|it| file(figure, it)).collect(),
        }
    }
}

/// The text of a claim; empty if its figure was not run.
fn text_of(paper: &ReproducedPaper, flip: &Flip) -> String {
    let mut figures = paper.figures.iter();
    let figure = figures.find(|it| it.experiment.name == flip.figure);
    let mut claims = figure.iter().flat_map(|figure| figure.judged());
    let judged = claims.find(|judged| judged.claim.id == flip.claim);
    judged.map_or_else(String::new, |judged| judged.claim.text.clone())
}

fn exploration(explored: &ReproducedExploration) -> Exploration {
    let readings = explored.exploration.readings.iter().enumerate();
    let readings = readings.map(|(at, reading)| {
        self::reading(reading, &explored.effect(at), |flip| {
            let judged = explored.judged(Some(at), &flip.figure, &flip.claim);
            judged.map_or_else(
                || (String::new(), None),
                |judged| {
                    (
                        judged.claim.text.clone(),
                        Some(judged.judgement.here.clone()),
                    )
                },
            )
        })
    });
    Exploration {
        name: explored.name(),
        title: explored.exploration.title.clone(),
        about: explored.exploration.about.clone(),
        readings: readings.collect(),
    }
}

/// A reading and its effect; `words` returns the text of a claim and what was found for it.
fn reading(
    reading: &exploration::Reading,
    effect: &Effect,
    words: impl Fn(&Flip) -> (String, Option<String>),
) -> Reading {
    let flips = |flips: &[Flip]| {
        let flips = flips.iter().map(|flip| {
            let (text, here) = words(flip);
            report::Flip {
                figure: flip.figure.clone(),
                claim: flip.claim.clone(),
                text,
                taken: flip.taken,
                now: flip.now,
                here,
            }
        });
        flips.collect()
    };
    Reading {
        title: reading.title.clone(),
        about: reading.about.clone(),
        figures: reading.figures.clone(),
        claims: effect.claims,
        held: effect.held,
        hold: effect.hold,
        undecided: effect.undecided,
        contrary: reading.contrary,
        gained: flips(&effect.gained),
        lost: flips(&effect.lost),
    }
}

fn claim(judged: &Judged, stands: Option<Standing>) -> JudgedClaim {
    JudgedClaim {
        kind: judged.claim.kind,
        stands,
        id: judged.claim.id.clone(),
        text: judged.claim.text.clone(),
        source: judged.claim.source.clone(),
        judgement: judged.judgement.clone(),
        recorded: judged.recorded,
        points: judged.points.clone(),
    }
}

fn file(figure: &ReproducedFigure, point: &Point) -> PointFile {
    let experiment = &figure.experiment;
    PointFile {
        series: experiment.curve(point.curve).name.clone(),
        x: experiment.x_of(point.place),
        file: experiment.file_of(point),
        text: point.scenario.canonical(),
    }
}

fn table(panel: &Panel) -> Option<Tabular> {
    let Shown::Table(table) = &panel.shown else {
        return None;
    };
    let numbers = |e: Estimate| (e.mean, e.half_width);
    let row = |(name, cells): &(String, Vec<Option<Estimate>>)| {
        let cells = cells.iter().map(|cell| cell.map(numbers));
        (name.clone(), cells.collect())
    };
    Some(Tabular {
        stem: panel.stem.clone(),
        columns: table.columns.clone(),
        rows: table.rows.iter().map(row).collect(),
    })
}

fn drawing(panel: &Panel) -> Option<Drawing> {
    let (figure, averaged, marks) = match &panel.shown {
        Shown::Measured(figure) => (figure, true, None),
        Shown::Sampled {
            figure,
            averaged,
            marks,
        } => (figure, *averaged, marks.as_ref()),
        Shown::Table(_) => return None,
    };
    Some(Drawing {
        title: panel.title.clone(),
        kind: figure.kind,
        stem: panel.stem.clone(),
        x_label: figure.x_label.clone(),
        y_label: figure.y_label.clone(),
        log_x: figure.log_x,
        averaged,
        names: figure.names.clone(),
        rows: figure.rows.clone(),
        series: figure.series.iter().map(series).collect(),
        marks: marks.map(|marks| above(figure, marks)),
    })
}

fn above(figure: &Figure, marks: &experiment::Marks) -> Marks {
    Marks {
        lanes: figure.lanes.clone(),
        summary: marks.summary(),
    }
}

fn series(curve: &Curve) -> Series {
    let points = curve.points.iter();
    Series {
        name: curve.name.clone(),
        x: points.clone().map(|(x, _)| *x).collect(),
        y: points.clone().map(|(_, y)| y.mean).collect(),
        low: points.clone().map(|(_, y)| y.low()).collect(),
        high: points.clone().map(|(_, y)| y.high()).collect(),
        one_run: points.map(|(_, y)| y.half_width.is_none()).collect(),
    }
}
