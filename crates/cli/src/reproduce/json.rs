//! JSON output of `reproduce`: one object per claim, one per claim and reading of an
//! exploration, and one per cell of the matrix.

use std::io::{self, Write};

use dumbbell_lab::matrix::Measure;
use dumbbell_lab::reproduction::{Judged, MATRIX, ReproducedMatrix, Reproduction};
use serde_json::{Value, json};

pub fn print(found: &Reproduction) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for paper in &found.papers {
        for figure in &paper.figures {
            for judged in figure.judged() {
                writeln!(
                    out,
                    "{}",
                    claim(&paper.about.name, &figure.experiment.name, judged)
                )?;
            }
        }
    }
    for explored in &found.explorations {
        for trial in &explored.trials {
            let reading = trial.reading.map(|at| &explored.exploration.readings[at]);
            for judged in trial.figure.judged() {
                let mut line = claim(&explored.about.name, &trial.name, judged);
                line["exploration"] = json!(explored.name());
                line["reading"] = json!(reading.map(|reading| &reading.name));
                line["as_taken"] = json!(explored.verdicts.get(&trial.name, &judged.claim.id));
                writeln!(out, "{line}")?;
            }
        }
    }
    match &found.matrix {
        Some(measured) => print_matrix(&mut out, measured),
        None => Ok(()),
    }
}

/// The object of a claim.
fn claim(paper: &str, figure: &str, judged: &Judged) -> Value {
    let judgement = &judged.judgement;
    json!({
        "paper": paper,
        "figure": figure,
        "claim": judged.claim.id,
        "kind": judged.claim.kind,
        "again": judged.claim.again,
        "in_part": judged.claim.in_part,
        "text": judged.claim.text,
        "source": judged.claim.source,
        "verdict": judgement.verdict,
        "firm": judgement.firm,
        "stated": judgement.paper,
        "found": judgement.here,
        "evidence": judgement.evidence,
        "recorded": judged.recorded,
    })
}

/// Prints one JSON object per cell.
fn print_matrix(out: &mut impl Write, measured: &ReproducedMatrix) -> io::Result<()> {
    let matrix = &measured.matrix;
    for table in &measured.tables {
        for (contender, row) in matrix.contenders.iter().zip(&table.rows) {
            let paths = matrix.paths.iter().map(Some).chain([None]);
            for (path, cell) in paths.zip(row.all()) {
                let kbps = path.filter(|_| table.measure == Measure::Goodput);
                let of_mean = |scale: f64| cell.estimate.map(|e| e.mean * scale);
                let line = json!({
                    "table": MATRIX,
                    "measure": table.measure,
                    "unit": path.map_or("of newreno", |_| table.measure.unit()),
                    "path": path.map_or("overall", |path| &path.name),
                    "figure": path.map(|path| &path.figure),
                    "control": contender.name,
                    "recovery": contender.recovery,
                    "origin": contender.origin.name(),
                    "mean": of_mean(1.0),
                    "low": cell.estimate.map(|e| e.low()),
                    "high": cell.estimate.map(|e| e.high()),
                    "kbps": kbps.and_then(|path| of_mean(path.capacity_bps * 1e-5)),
                    "runs": matrix.repeat,
                    "mark": cell.mark,
                });
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}
