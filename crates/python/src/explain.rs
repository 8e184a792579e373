//! Why each window of a run changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dumbbell_lab::table::{Builder, Cell, Head, Table, Type};
use dumbbell_run::explain::{self as why, Columns, Explainer, Kind, Known, Line, Question};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::{Duration, Scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error;
use crate::scenario::PyScenario;
use crate::supervise::{Supervisor, supervised};
use crate::table::PyTable;

/// The lines of an explanation as they come.
#[derive(Default)]
struct Lines {
    all: Vec<Line>,
    text: String,
}

/// What is explained.
struct Asked {
    scenario: Arc<Scenario>,
    question: Question,
    seed: u64,
}

/// See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (scenario, seed, flows, from, to, all, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are those of a Python function"
)]
pub fn explain(
    py: Python<'_>,
    scenario: &PyScenario,
    seed: Option<u64>,
    flows: Vec<String>,
    from: Option<f64>,
    to: Option<f64>,
    all: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PyTable, String)> {
    let (scenario, _) = scenario.present(py)?;
    let flows = why::select(&scenario, &flows);
    let flows = flows.map_err(|wrong| PyValueError::new_err(wrong.to_string()))?;
    let question = Question {
        flows,
        all,
        ..Question::about(&scenario)
    };
    let span = (time(from, "start")?, time(to, "end")?);
    let named = |name: &str| match name {
        "from" => "start".to_owned(),
        _ => "end".to_owned(),
    };
    let question = question.between(span, &scenario, named);
    let asked = Asked {
        seed: seed.unwrap_or(scenario.seed),
        question: question.map_err(PyValueError::new_err)?,
        scenario,
    };
    let made = supervised(py, progress, move |supervisor| made(&asked, supervisor))?;
    let (table, text) = made.map_err(error::stopped)?;
    Ok((table.into(), text))
}

/// A time in seconds; `term` is its name in messages.
fn time(seconds: Option<f64>, term: &str) -> PyResult<Option<Duration>> {
    const MOST: f64 = (1u64 << 63) as f64;
    let Some(seconds) = seconds else {
        return Ok(None);
    };
    let nanos = (seconds * 1e9).round();
    if !(0.0..MOST).contains(&nanos) {
        let wrong = format!("{term} is {seconds}: it is a time in seconds");
        return Err(PyValueError::new_err(wrong));
    }
    Ok(Some(Duration::from_nanos(nanos as u64)))
}

fn made(asked: &Asked, supervisor: &Supervisor) -> Result<(Table, String), Stopped> {
    let Asked {
        scenario,
        question,
        seed,
    } = asked;
    let columns = Columns::of(scenario, question);
    let reconstructed = why::reconstructed(scenario, &question.flows);
    let mut text = why::caveat(reconstructed.into_iter()).unwrap_or_default();
    text += &columns.heading();
    text.push('\n');
    let lines = Arc::new(Mutex::new(Lines {
        all: Vec::new(),
        text,
    }));
    let told = Arc::clone(&lines);
    let explainer = Explainer::new(scenario, question, move |line| {
        let mut lines = told.lock().unwrap_or_else(PoisonError::into_inner);
        lines.text += &columns.row(line, "", "");
        lines.text.push('\n');
        lines.all.push(line.clone());
    });
    supervisor.plan(1);
    Run::new(scenario)
        .seed(*seed)
        .watch(&explainer)
        .interrupt(supervisor.interrupted())
        .progress(|| supervisor.step(1))
        .go()?;
    let tally = explainer.finish();
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    let Lines { all, mut text } = std::mem::take(&mut *lines);
    text += &tally.sentence(question.all);
    text.push('\n');
    Ok((table(&all), text))
}

/// The values that controls reported, by their names, with the types of their columns.
type Reported = BTreeMap<&'static str, Type>;

fn reported(lines: &[Line], of: fn(&Line) -> &BTreeMap<&'static str, Known>) -> Reported {
    let mut all = Reported::new();
    for (name, known) in lines.iter().flat_map(of) {
        let sort = match known {
            Known::Number(_) => Type::Number,
            Known::Word(_) => Type::Text,
        };
        let column = all.entry(name).or_insert(sort);
        *column = column.or(sort);
    }
    all
}

fn heads(before: &Reported, after: &Reported) -> Vec<Head> {
    let text = |name, about| Head::new(name, Type::Text, about);
    let whole = |name, about| Head::new(name, Type::Whole, about);
    let number = |name, unit: &str, about: &str| Head::new(name, Type::Number, about).unit(unit);
    let mut heads = vec![
        number("time_s", "s", "when the event happened"),
        number(
            "until_s",
            "s",
            "when the last event of the row happened: later than `time_s` for several ACKs only",
        ),
        whole("number", "the flow's number, from 1 on"),
        text("flow", "the flow"),
        text("control", "its congestion control"),
        text(
            "event",
            "`ack`, `dup_acks`, `fine_timer`, `ecn`, `timeout`, `recovery_end`, `undo`, `unused` or `slow_start_end`",
        ),
        whole(
            "count",
            "how many events the row covers: several for ACKs only",
        ),
        text(
            "kind",
            "`reduction`, `spared` (a loss that left the window as it was), `growth`, `hold`, `restoration` (of a window that was cut for nothing) or `transition`",
        ),
        number(
            "in_flight",
            "segments",
            "segments outstanding at a loss or a timeout",
        ),
        text("rule", "the branch of the control's rule that was taken"),
        text(
            "condition",
            "why it was taken, with the values that decided",
        ),
        text("action", "what it does to the window"),
        text(
            "source",
            "the publication that states the rule, with its section",
        ),
        text(
            "sentence",
            "condition, rule, action and source in a sentence",
        ),
        number("cwnd_before", "segments", "the congestion window before"),
        number("cwnd_after", "segments", "the congestion window after"),
        number(
            "ssthresh_before",
            "segments",
            "the slow-start threshold before; none if there is no limit",
        ),
        number(
            "ssthresh_after",
            "segments",
            "the slow-start threshold after; none if there is no limit",
        ),
        number(
            "rate_before_bps",
            "bit/s",
            "the rate before, of a flow with a rate and no window",
        ),
        number("rate_after_bps", "bit/s", "the rate after"),
    ];
    for (when, reported) in [("before", before), ("after", after)] {
        for (name, sort) in reported {
            let about =
                format!("`{name}` {when} the event, as the control reports it: docs/explain.md");
            heads.push(Head::new(format!("{when}.{name}"), *sort, about));
        }
    }
    heads
}

fn table(lines: &[Line]) -> Table {
    let before = reported(lines, |line| &line.values);
    let after = reported(lines, |line| &line.values_after);
    let mut builder = Builder::new("steps", heads(&before, &after));
    for line in lines {
        let sentence = line.reason();
        let mut cells = vec![
            Some(Cell::Number(line.time_s)),
            Some(Cell::Number(line.until_s)),
            Some(Cell::Whole(line.flow as u64)),
            Some(Cell::Text(&line.name)),
            Some(Cell::Text(&line.control)),
            Some(Cell::Text(line.event)),
            Some(Cell::Whole(line.count)),
            Some(Cell::Text(word(line.kind))),
            line.in_flight.map(Cell::Number),
        ];
        let texts = [line.branch, &line.condition, &line.action, line.source];
        cells.extend(texts.map(|text| (!text.is_empty()).then_some(Cell::Text(text))));
        cells.push(Some(Cell::Text(&sentence)));
        cells.extend([
            window(line, line.cwnd_before),
            window(line, line.cwnd_after),
            line.ssthresh_before.map(Cell::Number),
            line.ssthresh_after.map(Cell::Number),
            line.rate_before_bps.map(Cell::Number),
            line.rate_after_bps.map(Cell::Number),
        ]);
        let mut numbers = Vec::new();
        for (reported, values) in [(&before, &line.values), (&after, &line.values_after)] {
            for (name, sort) in reported {
                numbers.push((values.get(name).copied(), *sort));
            }
        }
        let shown: Vec<Option<String>> = numbers.iter().map(|it| as_text(*it)).collect();
        let known = numbers.iter().zip(&shown).map(|((known, _), shown)| {
            let text = shown.as_deref().map(Cell::Text);
            text.or(match known {
                Some(Known::Number(number)) => Some(Cell::Number(*number)),
                _ => None,
            })
        });
        cells.extend(known);
        builder.row(cells);
    }
    builder.table()
}

/// A window; none for a flow with a rate.
fn window(line: &Line, window: f64) -> Option<Cell<'static>> {
    line.rate_after_bps
        .is_none()
        .then_some(Cell::Number(window))
}

/// A value in a column of text.
fn as_text((known, sort): (Option<Known>, Type)) -> Option<String> {
    match (known?, sort) {
        (Known::Word(word), _) => Some(word.to_owned()),
        (Known::Number(number), Type::Text) => Some(number.to_string()),
        (Known::Number(_), _) => None,
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Reduction => "reduction",
        Kind::Spared => "spared",
        Kind::Growth => "growth",
        Kind::Hold => "hold",
        Kind::Restoration => "restoration",
        Kind::Transition => "transition",
        Kind::State => "state",
        Kind::Bounds => "bounds",
    }
}
