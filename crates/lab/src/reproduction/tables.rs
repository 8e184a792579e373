//! A reproduction as tidy tables: claims, sentences, changed verdicts, and the points of figures.

use dumbbell_run::statistics::Estimate;

use super::figure::{Judged, Panel, ReproducedFigure, Shown};
use super::matrix::ReproducedMatrix;
use super::value::Reproduction;
use crate::experiment::Experiment;
use crate::figure::Figure;
use crate::matrix;
use crate::table::{Builder, Cell, Head, Table, Type};

/// A claim that is judged: of which paper and figure, and under which reading of its text.
struct Row<'r> {
    paper: &'r str,
    figure: &'r str,
    /// `None` for the reading taken.
    reading: Option<&'r str>,
    experiment: &'r Experiment,
    judged: &'r Judged,
}

fn text(name: &str, about: &str) -> Head {
    Head::new(name, Type::Text, about)
}

fn flag(name: &str, about: &str) -> Head {
    Head::new(name, Type::Flag, about)
}

fn number(name: &str, about: &str) -> Head {
    Head::new(name, Type::Number, about)
}

/// The columns of an estimate.
fn of_estimate() -> [Head; 3] {
    [
        number("mean", "the mean over the runs"),
        number(
            "low",
            "the lower end of its 95 % interval; the mean, if the spread is not known",
        ),
        number(
            "high",
            "the upper end of its 95 % interval; the mean, if the spread is not known",
        ),
    ]
}

fn estimate(found: Option<Estimate>) -> [Option<Cell<'static>>; 3] {
    let ends = found.map(|it| [it.mean, it.low(), it.high()].map(|it| Some(Cell::Number(it))));
    ends.unwrap_or_default()
}

impl Reproduction {
    /// The claims with their verdicts: those of the figures, then those of the explorations under
    /// each reading.
    pub fn claims(&self) -> Table {
        let heads = [
            text("paper", "the paper"),
            text("figure", "the figure whose runs decide the claim"),
            text("claim", "the claim's name within the figure"),
            text(
                "reading",
                "the reading of the paper's text under which it is judged; none for the reading taken",
            ),
            text(
                "kind",
                "whose claim it is (`paper` or `ours`), or why it is no evidence",
            ),
            text(
                "again",
                "the claim of which this one judges the sentence again",
            ),
            flag("in_part", "whether it judges only a part of that sentence"),
            text("text", "the claim in words"),
            text("source", "where the paper says it"),
            text(
                "verdict",
                "`holds`, `partly`, `fails`, or `untestable`: on the means",
            ),
            flag("firm", "whether the 95 % intervals allow no other verdict"),
            flag(
                "one_run",
                "whether it rests on one run, whose spread is not known",
            ),
            text("measure", "the label of the measure that it is about"),
            text(
                "curve",
                "the curve for which the paper prints a number, if it does",
            ),
            text(
                "over",
                "the curve over which that number is a gain in percent, if it is a gain",
            ),
            number(
                "x",
                "the x value for which the paper prints it, if something is varied",
            ),
            number(
                "printed",
                "the printed number, in the unit of the measure or in percent",
            ),
            text("stated", "what the paper states: a number or a relation"),
            text("found", "what the runs gave, in the same form"),
            text(
                "evidence",
                "the measurements from which the verdict follows",
            ),
            text(
                "recorded",
                "the verdict on record for the same seed and points",
            ),
        ];
        let mut builder = Builder::new("claims", heads);
        for Row {
            paper,
            figure,
            reading,
            experiment,
            judged,
        } in self.rows()
        {
            let Judged {
                claim, judgement, ..
            } = judged;
            let kind = claim.kind.to_string();
            let verdict = judgement.verdict.to_string();
            let recorded = judged.recorded.map(|it| it.to_string());
            let printed = claim.test.printed();
            let (curves, places) = claim.test.names();
            builder.row([
                Some(Cell::Text(paper)),
                Some(Cell::Text(figure)),
                Some(Cell::Text(&claim.id)),
                reading.map(Cell::Text),
                Some(Cell::Text(&kind)),
                claim.again.as_deref().map(Cell::Text),
                Some(Cell::Flag(claim.in_part)),
                Some(Cell::Text(&claim.text)),
                Some(Cell::Text(&claim.source)),
                Some(Cell::Text(&verdict)),
                Some(Cell::Flag(judgement.firm)),
                Some(Cell::Flag(judgement.one_run)),
                Some(Cell::Text(&experiment.measure(claim.measure).label)),
                printed
                    .and_then(|_| curves.first())
                    .map(|it| Cell::Text(it)),
                printed.and_then(|_| curves.get(1)).map(|it| Cell::Text(it)),
                (printed
                    .filter(|_| experiment.x.is_some())
                    .and_then(|_| places.first()))
                .map(|x| Cell::Number(*x)),
                printed.map(Cell::Number),
                Some(Cell::Text(&judgement.paper)),
                Some(Cell::Text(&judgement.here)),
                Some(Cell::Text(&judgement.evidence)),
                recorded.as_deref().map(Cell::Text),
            ]);
        }
        builder.table()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let of_papers = self.papers.iter().flat_map(|paper| {
            let figures = paper.figures.iter();
            figures.flat_map(move |figure| {
                figure.judged().iter().map(move |judged| Row {
                    paper: &paper.about.name,
                    figure: &figure.experiment.name,
                    reading: None,
                    experiment: &figure.experiment,
                    judged,
                })
            })
        });
        let of_readings = self.explorations.iter().flat_map(|explored| {
            let trials = explored.trials.iter();
            trials.flat_map(move |trial| {
                let readings = &explored.exploration.readings;
                let reading = trial.reading.map(|at| readings[at].name.as_str());
                trial.figure.judged().iter().map(move |judged| Row {
                    paper: &explored.about.name,
                    figure: &trial.name,
                    reading,
                    experiment: &trial.figure.experiment,
                    judged,
                })
            })
        });
        of_papers.chain(of_readings)
    }

    /// How each sentence of the papers stands, after all readings of the text that were tried.
    pub fn sentences(&self) -> Table {
        let heads = [
            text("paper", "the paper"),
            text("figure", "the figure whose runs decide the sentence"),
            text("claim", "the claim that judges it under the reading taken"),
            text("text", "the sentence"),
            text("source", "where the paper says it"),
            text("verdict", "the verdict under the reading taken"),
            text(
                "standing",
                "`holds`, `elsewhere` (under another reading), `partly`, `nowhere`, `undecidable` or `undecided`",
            ),
            text("readings", "the other readings under which it holds"),
        ];
        let mut builder = Builder::new("sentences", heads);
        for paper in &self.papers {
            for (figure, judged, standing) in paper.standings() {
                let verdict = judged.judgement.verdict.to_string();
                let readings = standing.readings().map(|it| it.join("; "));
                builder.row([
                    Some(Cell::Text(&paper.about.name)),
                    Some(Cell::Text(&figure.experiment.name)),
                    Some(Cell::Text(&judged.claim.id)),
                    Some(Cell::Text(&judged.claim.text)),
                    Some(Cell::Text(&judged.claim.source)),
                    Some(Cell::Text(&verdict)),
                    Some(Cell::Text(standing.word())),
                    readings.as_deref().map(Cell::Text),
                ]);
            }
        }
        builder.table()
    }

    /// The verdicts that differ from those with which they are compared.
    pub fn changes(&self) -> Table {
        let heads = [
            text("figure", "the figure, with the reading of an exploration"),
            text("claim", "the claim"),
            text("recorded", "the verdict on record; none if there is none"),
            text("found", "the verdict now"),
            flag(
                "same_settings",
                "whether the record is of the same seed and the same points",
            ),
        ];
        let mut builder = Builder::new("changes", heads);
        for against in self.against().filter(|against| against.on_record) {
            for change in &against.changes {
                let recorded = change.recorded.map(|it| it.to_string());
                let found = change.found.to_string();
                builder.row([
                    Some(Cell::Text(&change.experiment)),
                    Some(Cell::Text(&change.claim)),
                    recorded.as_deref().map(Cell::Text),
                    Some(Cell::Text(&found)),
                    Some(Cell::Flag(against.same_settings)),
                ]);
            }
        }
        builder.table()
    }
}

impl ReproducedFigure {
    /// Every measure at every point: a row for each curve, x value and measure.
    pub fn table(&self) -> Table {
        let experiment = &self.experiment;
        let [mean, low, high] = of_estimate();
        let mut heads = vec![
            text("curve", "the curve"),
            number("x", experiment.x_label()),
            text("place", "the name of the x value, if it has one"),
        ];
        let rows = experiment.y.as_ref().map(|y| number("y", &y.label));
        heads.extend(rows);
        heads.extend([
            text("measure", "the measure's name"),
            text("label", "what is measured, with the unit"),
            mean,
            low,
            high,
            Head::new("runs", Type::Whole, "the number of runs with a number"),
        ]);
        let mut builder = Builder::new(&experiment.name, heads);
        let cube = self.results.cube(experiment);
        let names = experiment.named_places();
        for curve in cube.axes().curves() {
            let variant = experiment.curve(curve);
            for place in cube.axes().places() {
                let x = experiment.x.is_some().then(|| experiment.x_of(place));
                let name = names.iter().find(|(named, _)| x == Some(*named));
                for of in cube.axes().measures() {
                    let measure = experiment.measure(of);
                    let mut values = cube.values(of, curve, place);
                    values.retain(|value| value.is_finite());
                    let mut cells = vec![
                        Some(Cell::Text(&variant.name)),
                        x.map(Cell::Number),
                        name.map(|(_, name)| Cell::Text(name)),
                    ];
                    if experiment.y.is_some() {
                        cells.push(variant.row.as_ref().map(|(_, y)| Cell::Number(*y)));
                    }
                    cells.extend([
                        Some(Cell::Text(&measure.name)),
                        Some(Cell::Text(&measure.label)),
                    ]);
                    cells.extend(estimate(cube.estimate(of, curve, place)));
                    cells.push(Some(Cell::Whole(values.len() as u64)));
                    builder.row(cells);
                }
            }
        }
        builder.table()
    }
}

impl Panel {
    /// What it shows: a row for each curve and x value, or for each row and column of a table.
    pub fn table(&self) -> Table {
        match &self.shown {
            Shown::Measured(figure) | Shown::Sampled { figure, .. } => drawn(&self.stem, figure),
            Shown::Table(shown) => {
                let heads = [
                    text("row", "the row"),
                    text("column", "the column: what is measured, with the unit"),
                ];
                let mut builder = Builder::new(&self.stem, heads.into_iter().chain(of_estimate()));
                for (row, cells) in &shown.rows {
                    for (column, cell) in shown.columns.iter().zip(cells) {
                        let names = [row, column].map(|name| Some(Cell::Text(name)));
                        builder.row(names.into_iter().chain(estimate(*cell)));
                    }
                }
                builder.table()
            }
        }
    }
}

/// The points of a drawing.
fn drawn(name: &str, figure: &Figure) -> Table {
    let heads = [
        text("curve", "the curve; of a map, the row"),
        number("x", &figure.x_label),
        text("place", "the name of the x value, if it has one"),
    ];
    let mut builder = Builder::new(name, heads.into_iter().chain(of_estimate()));
    for (place, curve) in figure.series.iter().enumerate() {
        let row = figure.rows.as_ref().and_then(|rows| rows.names.get(place));
        let name = row.unwrap_or(&curve.name);
        for (x, y) in &curve.points {
            let cells = [
                Some(Cell::Text(name)),
                Some(Cell::Number(*x)),
                figure.name(*x).map(Cell::Text),
            ];
            builder.row(cells.into_iter().chain(estimate(Some(*y))));
        }
    }
    builder.table()
}

impl ReproducedMatrix {
    /// A row for each measure, control and path; the path `overall` has the geometric mean of the
    /// ratios to NewReno.
    pub fn table(&self) -> Table {
        let [mean, low, high] = of_estimate();
        let heads = [
            text(
                "measure",
                "`goodput`, `fairness`, `friendliness` or `delay`: docs/reproduce.md defines them",
            ),
            text(
                "unit",
                "the unit of the measure; none for an index or a ratio",
            ),
            text("path", "the path, or `overall`"),
            text("figure", "the figure or the file that the path comes from"),
            text("control", "the congestion control"),
            text("recovery", "its loss recovery"),
            text("origin", "`published` or `reconstruction`"),
            mean,
            low,
            high,
            Head::new("runs", Type::Whole, "the number of runs of each scenario"),
            text(
                "mark",
                "`best` or `worst` of its path, or not to be told from it",
            ),
        ];
        let mut builder = Builder::new("matrix", heads);
        let matrix = &self.matrix;
        for table in &self.tables {
            let unit = Some(table.measure.unit()).filter(|unit| !unit.is_empty());
            for (contender, row) in matrix.contenders.iter().zip(&table.rows) {
                let paths = matrix.paths.iter().map(Some).chain([None]);
                for (path, cell) in paths.zip(row.all()) {
                    let unit = path.map_or(Some("of newreno"), |_| unit);
                    let name = path.map_or("overall", |path| path.name.as_str());
                    let mark = cell.mark.map(|mark| match mark {
                        matrix::Mark::Best => "best",
                        matrix::Mark::Worst => "worst",
                    });
                    let [mean, low, high] = estimate(cell.estimate);
                    builder.row([
                        Some(Cell::Text(table.measure.name())),
                        unit.map(Cell::Text),
                        Some(Cell::Text(name)),
                        path.map(|path| Cell::Text(&path.figure)),
                        Some(Cell::Text(&contender.name)),
                        Some(Cell::Text(contender.recovery)),
                        Some(Cell::Text(contender.origin.name())),
                        mean,
                        low,
                        high,
                        Some(Cell::Whole(matrix.repeat)),
                        mark.map(Cell::Text),
                    ]);
                }
            }
        }
        builder.table()
    }
}
