//! Converts a reproduction into the contents of a report.

use dumbbell_run::statistics::Estimate;

use super::figure::{Judged, Panel, ReproducedFigure, Shown};
use super::value::{ReproducedPaper, Reproduction};
use crate::experiment::{self, Point};
use crate::figure::{Curve, Figure};
use crate::report::{
    Cross, Document, Drawing, JudgedClaim, Marks, Paper, PointFile, Run, Section, Series, Tabular,
};

impl Reproduction {
    /// The report of a reproduction that took so many seconds.
    pub fn document(&self, seconds: f64) -> Document {
        Document {
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
            papers: self.papers.iter().map(|paper| self.paper(paper)).collect(),
            matrix: self.matrix.as_ref().map(|found| Cross {
                matrix: found.matrix.clone(),
                tables: found.tables.clone(),
                seeds: self.seeds(found.matrix.repeat),
            }),
        }
    }

    fn paper(&self, paper: &ReproducedPaper) -> Paper {
        let figures = paper.figures.iter();
        Paper {
            name: paper.about.name.clone(),
            title: paper.about.title.clone(),
            citation: paper.about.citation.clone(),
            notes: paper.about.notes.clone(),
            sections: figures.map(|figure| self.section(figure)).collect(),
        }
    }

    fn section(&self, figure: &ReproducedFigure) -> Section {
        let experiment = &figure.experiment;
        Section {
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            source: experiment.source.clone(),
            about: experiment.about.clone(),
            added: experiment.added,
            drawings: figure.panels().iter().filter_map(drawing).collect(),
            tables: figure.panels().iter().filter_map(table).collect(),
            claims: figure.judged().iter().map(claim).collect(),
            seeds: self.seeds(experiment.repeat),
            parameters: experiment.parameters(),
            varied: experiment.x.as_ref().map(|x| x.label.clone()),
            names: experiment.named_places(),
            points: figure.points.iter().map(|it| file(figure, it)).collect(),
        }
    }
}

fn claim(judged: &Judged) -> JudgedClaim {
    JudgedClaim {
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
    let numbers = |e: Estimate| (e.mean, e.half_width.unwrap_or(0.0));
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
        high: points.map(|(_, y)| y.high()).collect(),
    }
}
