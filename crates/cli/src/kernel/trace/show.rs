//! Output of rows: a table that is redrawn on a terminal, lines otherwise, and a file.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use dumbbell_live::watch::{COLUMNS, Cut, Row};
use serde_json::{Value, json};

use crate::exit::{Code, Exit};
use crate::file::{self, Unfinished};
use crate::tidy::grid::{self, Grid, Room, WIDTH};

/// The number of samples in a line of windows.
const HISTORY: usize = 20;
/// The largest number of connections on a screen.
const MOST: usize = 20;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

enum Form {
    Json,
    Lines,
    Screen,
}

/// The output for rows.
pub struct Shown {
    form: Form,
    windows: HashMap<u64, VecDeque<u32>>,
    csv: Option<(Unfinished, BufWriter<File>)>,
}

impl Shown {
    pub fn open(json: bool, csv: Option<&Path>) -> Result<Self, Exit> {
        let form = match (json, io::stdout().is_terminal()) {
            (true, _) => Form::Json,
            (false, true) => Form::Screen,
            (false, false) => Form::Lines,
        };
        let csv = csv.map(|path| {
            file::check(path)?;
            let (unfinished, file) = Unfinished::create(path)?;
            let mut out = BufWriter::new(file);
            writeln!(out, "{COLUMNS}")?;
            Ok::<_, Exit>((unfinished, out))
        });
        Ok(Self {
            form,
            windows: HashMap::new(),
            csv: csv.transpose()?,
        })
    }

    pub fn show(&mut self, rows: &mut [Row]) -> Result<(), Exit> {
        if let Some((_, out)) = &mut self.csv {
            for row in rows.iter() {
                writeln!(out, "{}", row.csv())?;
            }
        }
        let mut out = anstream::stdout().lock();
        match self.form {
            Form::Json => {
                for row in rows.iter() {
                    writeln!(out, "{}", object(row))?;
                }
            }
            Form::Lines => {
                for row in rows.iter() {
                    writeln!(out, "{}", line(row))?;
                }
            }
            Form::Screen => {
                remember(&mut self.windows, rows);
                let width = grid::terminal();
                // Drawn from the upper left corner over the previous screen, which may have been wider.
                write!(out, "\x1b[H\x1b[J{}", screen(&self.windows, rows, width))?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Completes the file.
    pub fn end(self) -> Result<Code, Exit> {
        if let Some((unfinished, mut out)) = self.csv {
            out.flush()?;
            drop(out);
            unfinished.keep()?;
        }
        Ok(Code::SUCCESS)
    }
}

fn remember(windows: &mut HashMap<u64, VecDeque<u32>>, rows: &[Row]) {
    windows.retain(|cookie, _| rows.iter().any(|row| row.cookie == *cookie));
    for row in rows {
        let past = windows.entry(row.cookie).or_default();
        past.push_back(row.cwnd);
        if past.len() > HISTORY {
            past.pop_front();
        }
    }
}

/// Returns the table for a terminal of this width. What does not fit is left out, and its last line says so.
fn screen(windows: &HashMap<u64, VecDeque<u32>>, rows: &[Row], width: usize) -> String {
    if rows.is_empty() {
        return "no connections yet\n".to_owned();
    }
    let mut grid = Grid::default();
    let column = |value: &dyn Fn(&Row) -> String| rows.iter().map(value).collect::<Vec<_>>();
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    grid.names("from", 9, column(&|row| row.local.to_string()));
    grid.names("to", 0, column(&|row| row.remote.to_string()));
    grid.names("control", 2, column(&|row| row.control.clone()));
    grid.numbers("cwnd", 0, column(&|row| row.cwnd.to_string()));
    let threshold = |row: &Row| or_dash(row.ssthresh.map(|it| it.to_string()));
    grid.numbers("ssthresh", 6, column(&threshold));
    grid.numbers("RTT\nms", 0, column(&|row| format!("{:.1}", row.rtt_ms)));
    grid.numbers(
        "least\nRTT",
        5,
        column(&|row| format!("{:.1}", row.min_rtt_ms)),
    );
    let rate = |row: &Row| format!("{:.2}", row.goodput_bps / 1e6);
    grid.numbers("Mb/s", 0, column(&rate));
    grid.numbers("resent", 4, column(&|row| row.resent.to_string()));
    grid.names("state", 7, column(&|row| row.state.to_owned()));
    if rows.iter().any(|row| row.rule.is_some()) {
        let backlog = |row: &Row| or_dash(row.backlog.map(|it| format!("{it:.1}")));
        grid.numbers("N", 1, column(&backlog));
        grid.names("rule", 8, column(&|row| or_dash(row.rule.clone())));
        let cut = |row: &Row| or_dash(row.last_cut.as_ref().map(|cut| ago(cut, row.time)));
        grid.names("last cut", 1, column(&cut));
    }
    let past = |row: &Row| windows.get(&row.cookie).map(sparkline);
    grid.names("windows", 3, column(&|row| past(row).unwrap_or_default()));
    grid.show_within(width.min(WIDTH), Room::Lines(MOST + 5, "--json"))
}

/// Returns a cut as its rule and its age.
fn ago(cut: &Cut, now: Duration) -> String {
    let age = now.saturating_sub(cut.seen).as_secs_f64();
    format!("{}, {age:.1} s", cut.rule)
}

fn line(row: &Row) -> String {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    format!(
        "{:8.3} s  {} -> {}  {}  cwnd {}  ssthresh {}  RTT {:.1} ms (least {:.1})  {:.2} Mb/s  resent {}  {}  N {}  \
         rule {}  last cut {}",
        row.time.as_secs_f64(),
        row.local,
        row.remote,
        row.control,
        row.cwnd,
        or_dash(row.ssthresh.map(|it| it.to_string())),
        row.rtt_ms,
        row.min_rtt_ms,
        row.goodput_bps / 1e6,
        row.resent,
        row.state,
        or_dash(row.backlog.map(|it| format!("{it:.1}"))),
        or_dash(row.rule.clone()),
        or_dash(row.last_cut.as_ref().map(|cut| ago(cut, row.time) + " ago")),
    )
}

/// Returns a connection as JSON.
fn object(row: &Row) -> Value {
    json!({
        "time_s": row.time.as_secs_f64(),
        "local": row.local,
        "remote": row.remote,
        "control": row.control,
        "cwnd": row.cwnd,
        "ssthresh": row.ssthresh,
        "rtt_ms": row.rtt_ms,
        "min_rtt_ms": row.min_rtt_ms,
        "resent": row.resent,
        "goodput_bps": row.goodput_bps.round(),
        "state": row.state,
        "backlog": row.backlog,
        "rule": row.rule,
        "last_cut": row.last_cut.as_ref().map(|cut| json!({
            "time_s": cut.seen.as_secs_f64(),
            "rule": cut.rule,
            "cwnd": cut.cwnd,
        })),
    })
}

/// Draws windows as bars; the largest window has the highest bar.
fn sparkline(past: &VecDeque<u32>) -> String {
    let most = past.iter().copied().max().unwrap_or(0).max(1) as usize;
    let bar = |window: &u32| {
        BARS[(*window as usize * BARS.len())
            .div_ceil(most)
            .clamp(1, BARS.len())
            - 1]
    };
    past.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Veno's longest rule, the longest IPv4 addresses, and windows of four digits.
    fn row() -> Row {
        Row {
            time: Duration::from_secs(100),
            cookie: 7,
            local: "192.168.100.100:50000".parse().unwrap(),
            remote: "192.168.200.200:50000".parse().unwrap(),
            control: "db_westwoodplus".to_owned(),
            cwnd: 1234,
            ssthresh: Some(1000),
            rtt_ms: 123.4,
            min_rtt_ms: 100.1,
            resent: 12_345,
            goodput_bps: 123.45e6,
            state: "recovery",
            backlog: Some(12.3),
            rule: Some("loss.random".to_owned()),
            last_cut: Some(Cut {
                seen: Duration::from_secs(98),
                rule: "loss.congestion".to_owned(),
                cwnd: 617,
            }),
        }
    }

    #[test]
    fn the_table_fits_the_terminal_and_keeps_what_matters() {
        let row = row();
        let windows = HashMap::from([(7, VecDeque::from([1234; HISTORY]))]);
        for (width, heads) in [
            (
                140,
                vec!["to", "control", "cwnd", "RTT", "Mb/s", "N", "last cut"],
            ),
            (70, vec!["to", "cwnd", "RTT", "Mb/s"]),
        ] {
            let text = screen(&windows, std::slice::from_ref(&row), width);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|it| it <= width.min(WIDTH)), "{text}");
            for head in heads {
                assert!(text.contains(head), "no {head} in\n{text}");
            }
            // Each of the columns that are left out has a name of its own.
            let left_out = text.lines().last().filter(|it| it.starts_with("..."));
            let named = left_out.iter().flat_map(|it| it.split(", "));
            assert!(named.clone().all(|it| it.trim() == it), "{text}");
        }
    }

    #[test]
    fn a_line_and_an_object_have_the_last_cut() {
        let row = row();
        assert!(
            line(&row).ends_with("last cut loss.congestion, 2.0 s ago"),
            "{}",
            line(&row)
        );
        assert_eq!(object(&row)["last_cut"]["cwnd"], 617);
    }

    #[test]
    fn the_largest_window_is_the_highest_bar() {
        assert_eq!(sparkline(&VecDeque::from([1, 4, 8, 0])), "▁▄█▁");
        assert_eq!(sparkline(&VecDeque::from([10, 10])), "██");
        assert_eq!(sparkline(&VecDeque::new()), "");
    }
}
