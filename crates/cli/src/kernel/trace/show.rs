//! Output of rows: a table that is redrawn on a terminal, lines otherwise, and a file.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::Path;

use dumbbell_live::watch::{COLUMNS, Row};
use serde_json::{Value, json};

use crate::exit::{Code, Exit};
use crate::file::{self, Unfinished};
use crate::table::new_table;

/// The number of samples in a line of windows.
const HISTORY: usize = 40;
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
                // Drawn from the upper left corner over the previous screen, because wide lines may
                // wrap.
                write!(out, "\x1b[H\x1b[J{}", screen(&self.windows, rows))?;
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

fn screen(windows: &HashMap<u64, VecDeque<u32>>, rows: &[Row]) -> String {
    let heads = [
        "from", "to", "control", "cwnd", "ssthresh", "RTT ms", "least", "Mb/s", "resent", "state",
        "N", "rule", "windows",
    ];
    let mut table = new_table(heads);
    for row in rows.iter().take(MOST) {
        let past = windows.get(&row.cookie);
        let mut cells = vec![row.local.to_string(), row.remote.to_string()];
        cells.extend(numbers(row));
        cells.push(past.map(sparkline).unwrap_or_default());
        table.add_row(cells);
    }
    let mut text = format!("{table}\n");
    if rows.is_empty() {
        text.push_str("no connections yet\n");
    }
    if rows.len() > MOST {
        text.push_str(&format!(
            "... and {} more (--json has all)\n",
            rows.len() - MOST
        ));
    }
    text
}

/// Returns the columns from the control on.
fn numbers(row: &Row) -> [String; 10] {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    [
        row.control.clone(),
        row.cwnd.to_string(),
        or_dash(row.ssthresh.map(|it| it.to_string())),
        format!("{:.1}", row.rtt_ms),
        format!("{:.1}", row.min_rtt_ms),
        format!("{:.2}", row.goodput_bps / 1e6),
        row.resent.to_string(),
        row.state.to_owned(),
        or_dash(row.backlog.map(|it| format!("{it:.1}"))),
        or_dash(row.rule.clone()),
    ]
}

fn line(row: &Row) -> String {
    let [
        control,
        cwnd,
        ssthresh,
        rtt,
        least,
        rate,
        resent,
        state,
        backlog,
        rule,
    ] = numbers(row);
    format!(
        "{:8.3} s  {} -> {}  {control}  cwnd {cwnd}  ssthresh {ssthresh}  RTT {rtt} ms (least {least})  {rate} Mb/s  \
         resent {resent}  {state}  N {backlog}  rule {rule}",
        row.time.as_secs_f64(),
        row.local,
        row.remote,
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

    #[test]
    fn the_largest_window_is_the_highest_bar() {
        assert_eq!(sparkline(&VecDeque::from([1, 4, 8, 0])), "▁▄█▁");
        assert_eq!(sparkline(&VecDeque::from([10, 10])), "██");
        assert_eq!(sparkline(&VecDeque::new()), "");
    }
}
