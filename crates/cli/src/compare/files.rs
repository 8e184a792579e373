//! The files of a comparison's report.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use dumbbell_lab::figure::{Curve, Figure, Kind};
use dumbbell_live::compare::{Comparison, Row};
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::Scenario;

use super::page;
use crate::exit::Exit;
use crate::file;

/// The page of a report.
pub const PAGE: &str = "compare.html";
/// Places of a window over time.
const PLACES: usize = 100;

/// Controls whose windows are told apart in one drawing.
const MOST_WINDOWS: usize = 3;

/// A drawing of a report.
pub struct Drawing {
    /// The name of its files, without the ending.
    pub stem: String,
    /// What it shows.
    pub figure: Figure,
}

/// Makes the folder, and sees whether files can be written to it. Fails before the work, not after it.
pub fn prepare(folder: &Path) -> Result<PathBuf, Exit> {
    fs::create_dir_all(folder).map_err(|reason| {
        Exit::BadInput(format!(
            "cannot make the folder {}: {reason}",
            folder.display()
        ))
    })?;
    file::check(&folder.join(PAGE))?;
    Ok(folder.to_owned())
}

/// Writes the page, the drawings as SVG and CSV, a line a run, and everything as JSON.
pub fn write(folder: &Path, scenario: &Scenario, found: &Comparison) -> Result<(), Exit> {
    let drawings = drawings(found);
    let mut pictures = Vec::new();
    for drawing in &drawings {
        let svg = drawing.figure.svg().map_err(Exit::Failed)?;
        file::write(&folder.join(format!("{}.svg", drawing.stem)), &svg)?;
        let csv = drawing.figure.csv();
        file::write(&folder.join(format!("{}.csv", drawing.stem)), &csv)?;
        pictures.push((drawing.stem.clone(), svg));
    }
    file::write(&folder.join("runs.csv"), &runs(found))?;
    file::write(&folder.join("windows.csv"), &windows(found))?;
    file::write(&folder.join("scenario.toml"), &scenario.canonical())?;
    let json = serde_json::to_string(found).map_err(|error| Exit::Failed(error.to_string()))?;
    file::write(&folder.join("compare.json"), &json)?;
    // Last, so that a page that is there has its files.
    file::write(&folder.join(PAGE), &page::html(scenario, found, &pictures))?;
    Ok(())
}

fn drawings(found: &Comparison) -> Vec<Drawing> {
    let mut drawings = vec![goodputs(found)];
    let few = found.rows.chunks(MOST_WINDOWS).enumerate();
    drawings.extend(few.map(|(place, rows)| first_run(found, rows, place + 1)));
    for row in &found.rows {
        drawings.push(window(found, row));
    }
    drawings
}

/// Bars of the kernel's and of the simulator's goodput.
fn goodputs(found: &Comparison) -> Drawing {
    let scaled =
        |estimate: dumbbell_run::statistics::Estimate| dumbbell_run::statistics::Estimate {
            mean: estimate.mean / 1e6,
            half_width: estimate.half_width.map(|half| half / 1e6),
        };
    let series = found.rows.iter().map(|row| {
        let kernel = row.goodput().map(|it| (0.0, scaled(it)));
        let simulator = row.predicted_goodput().map(|it| (1.0, scaled(it)));
        Curve {
            name: row.label.clone(),
            points: kernel.into_iter().chain(simulator).collect(),
        }
    });
    Drawing {
        stem: "goodput".to_owned(),
        figure: Figure {
            kind: Kind::Bars,
            title: "Goodput: the kernel over the emulated path, and the simulator".to_owned(),
            x_label: "host".to_owned(),
            y_label: "goodput (Mb/s)".to_owned(),
            log_x: false,
            series: series.collect(),
            names: vec![(0.0, "kernel".to_owned()), (1.0, "simulator".to_owned())],
            lanes: Vec::new(),
            rows: None,
        },
    }
}

/// The windows of the kernel in some controls' runs of the first seed: how they really move.
fn first_run(found: &Comparison, rows: &[Row], place: usize) -> Drawing {
    let exact = |mean| Estimate {
        mean,
        half_width: None,
    };
    let series = rows.iter().map(|row| Curve {
        name: row.label.clone(),
        points: row.runs.first().map_or_else(Vec::new, |run| {
            let samples = run.measured.samples.iter();
            samples
                .map(|it| (it.at_s, exact(f64::from(it.cwnd))))
                .collect()
        }),
    });
    Drawing {
        stem: format!("windows-first-seed-{place}"),
        figure: Figure {
            title: format!("Windows of the kernel, seed {}", found.first_seed),
            series: series.collect(),
            ..over_time()
        },
    }
}

/// A control's window over time: means of all runs.
fn window(found: &Comparison, row: &Row) -> Drawing {
    let mut series = vec![Curve {
        name: "kernel".to_owned(),
        points: row.windows(found.duration_s, PLACES),
    }];
    if !row.predicted.is_empty() {
        series.push(Curve {
            name: "simulator".to_owned(),
            points: row.predicted_windows(found.duration_s, PLACES),
        });
    }
    Drawing {
        stem: format!("window-{}", plain(&row.label)),
        figure: Figure {
            title: format!(
                "{}: window over time, mean of {} runs",
                row.label,
                row.runs.len()
            ),
            series,
            ..over_time()
        },
    }
}

/// A figure of windows over time, without curves.
fn over_time() -> Figure {
    Figure {
        kind: Kind::Curves,
        title: String::new(),
        x_label: "time (s)".to_owned(),
        y_label: "cwnd (segments)".to_owned(),
        log_x: false,
        series: Vec::new(),
        names: Vec::new(),
        lanes: Vec::new(),
        rows: None,
    }
}

/// A name that is good for a file.
fn plain(label: &str) -> String {
    label
        .chars()
        .map(|c| match c {
            '+' => 'p',
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => c,
            _ => '-',
        })
        .collect()
}

/// A line a run.
fn runs(found: &Comparison) -> String {
    let mut text = String::from(
        "control,host,seed,goodput_bps,segments,retransmits,rtt_mean_s,late_p99_s,faults\n",
    );
    let number = |value: Option<f64>| value.map_or_else(String::new, |it| it.to_string());
    for row in &found.rows {
        for run in &row.runs {
            let it = &run.measured;
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                text,
                "{},kernel,{},{},{},{},{},{},{}",
                row.label,
                run.seed,
                it.goodput_bps,
                it.segments,
                it.retransmits,
                number(it.rtt_mean_s),
                run.network.lateness.p99_s,
                run.network.faults.len()
            );
        }
        for it in &row.predicted {
            let _ = writeln!(
                text,
                "{},simulator,{},{},{},{},{},,",
                row.label,
                it.seed,
                it.goodput_bps,
                it.segments,
                it.retransmits,
                number(it.rtt_mean_s)
            );
        }
    }
    text
}

/// A line a look at a connection.
fn windows(found: &Comparison) -> String {
    let mut text = String::from("control,host,seed,time_s,cwnd,ssthresh,rtt_s\n");
    for row in &found.rows {
        for run in &row.runs {
            for it in &run.measured.samples {
                let ssthresh = it.ssthresh.map_or_else(String::new, |it| it.to_string());
                let _ = writeln!(
                    text,
                    "{},kernel,{},{:.6},{},{ssthresh},{}",
                    row.label, run.seed, it.at_s, it.cwnd, it.rtt_s
                );
            }
        }
        for run in &row.predicted {
            for (at, cwnd) in &run.windows {
                let _ = writeln!(
                    text,
                    "{},simulator,{},{at:.6},{cwnd},,",
                    row.label, run.seed
                );
            }
        }
    }
    text
}
