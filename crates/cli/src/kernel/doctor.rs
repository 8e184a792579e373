//! `dumbbell kernel doctor`.

use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use dumbbell_live::doctor::{self, Check, State};

use crate::exit::{Code, Exit};

pub fn run(json: bool, timing: bool) -> Result<Code, Exit> {
    let mut checks = doctor::examine(cfg!(feature = "kernel"));
    if timing {
        checks.push(doctor::measure()?);
    }
    let code = match doctor::is_healthy(&checks) {
        true => Code::SUCCESS,
        false => Code::LACKING,
    };
    let mut out = anstream::stdout().lock();
    if json {
        let text =
            serde_json::to_string_pretty(&checks).map_err(|e| Exit::Failed(e.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(code);
    }
    for check in &checks {
        let (word, colour) = word(check);
        let style = Style::new().fg_color(Some(colour.into()));
        writeln!(
            out,
            "{style}{word:<7}{style:#}  {}: {}",
            check.name, check.found
        )?;
        if let Some(remedy) = check.remedy {
            writeln!(out, "         for `{}`: {remedy}", check.wanted_by)?;
        }
    }
    Ok(code)
}

fn word(check: &Check) -> (&'static str, AnsiColor) {
    match (check.state, check.needed) {
        (State::Ok, _) => ("OK", AnsiColor::Green),
        (State::Missing, true) => ("missing", AnsiColor::Red),
        (State::Missing, false) => ("lacking", AnsiColor::Yellow),
        (State::Unknown, _) => ("unknown", AnsiColor::Yellow),
    }
}
