//! Output of `reproduce --null`: the claims that hold although every curve is the baseline.

use std::io::{self, Write as _};

use dumbbell_lab::file;
use dumbbell_lab::reproduction::{Judged, NullOutcome, ReproducedFigure, Reproduction};
use serde_json::json;

use super::{Args, terminal};
use crate::exit::{Code, Exit};

/// Writes the records, prints what holds, and compares it with what is known to.
pub fn conclude(found: &Reproduction, args: &Args) -> Result<Code, Exit> {
    let mut broken = false;
    for paper in &found.papers {
        let outcome = paper.null_outcome();
        let record = args.out.join(format!("{}.null.toml", paper.about.name));
        file::write(&record, &outcome.record.write()).map_err(|e| Exit::Failed(e.to_string()))?;
        let printed = if args.json {
            print_json(&paper.about.name, &outcome)
        } else {
            print(&paper.about.title, &outcome)
        };
        match printed {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            printed => printed?,
        }
        // A part of a paper cannot have all that is on record.
        if paper.whole && outcome.against.same_settings {
            terminal::print_changes(&outcome.against)?;
            // What is put on record is accepted.
            broken |= !args.record && !outcome.against.changes.is_empty();
        }
        broken |= !outcome.cannot_fail.is_empty();
    }
    Ok(if broken { Code::CHANGED } else { Code::SUCCESS })
}

fn print(title: &str, outcome: &NullOutcome<'_>) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(
        out,
        "{title}\nevery curve is the baseline: {} of {} claims hold firmly, {} within the noise\n",
        outcome.hold.len(),
        outcome.judged,
        outcome.noise.len()
    )?;
    for (heading, claims) in lists(outcome) {
        if claims.is_empty() {
            continue;
        }
        writeln!(out, "{heading}:")?;
        for (figure, judged) in claims {
            writeln!(
                out,
                "  {} {}{}: {}\n{:4}here: {}",
                figure.experiment.name,
                judged.claim.id,
                why(judged),
                judged.claim.text,
                "",
                judged.judgement.here
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

type Claims<'a> = Vec<(&'a ReproducedFigure, &'a Judged)>;

fn lists<'a>(outcome: &'a NullOutcome<'a>) -> [(&'static str, &'a Claims<'a>); 3] {
    [
        ("hold firmly", &outcome.hold),
        ("hold within the noise", &outcome.noise),
        (
            "cannot fail, however the measured curves are changed",
            &outcome.cannot_fail,
        ),
    ]
}

/// Why a claim may hold, as far as its description says.
fn why(judged: &Judged) -> String {
    match (judged.claim.null, judged.claim.kind.is_no_evidence()) {
        (Some(null), _) => format!(" ({})", word(null)),
        (None, true) => format!(" ({})", judged.claim.kind),
        (None, false) => String::new(),
    }
}

fn word(null: dumbbell_lab::claim::Null) -> &'static str {
    use dumbbell_lab::claim::Null;
    match null {
        Null::Alike => "says that curves are alike",
        Null::Baseline => "about the baseline",
    }
}

fn print_json(paper: &str, outcome: &NullOutcome<'_>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let words = ["firm", "noise", "cannot_fail"];
    for (word, (_, claims)) in words.iter().zip(lists(outcome)) {
        for (figure, judged) in claims {
            let line = json!({
                "paper": paper,
                "figure": figure.experiment.name,
                "claim": judged.claim.id,
                "holds": word,
                "null": judged.claim.null,
                "kind": judged.claim.kind,
                "text": judged.claim.text,
                "found": judged.judgement.here,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
