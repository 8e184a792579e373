//! Terminal output of an exploration: what each reading does to the verdicts.

use std::io;

use dumbbell_lab::reproduction::{Flip, ReproducedExploration};

use super::style::style;
use crate::table::new_table;

pub fn print(out: &mut impl io::Write, explored: &ReproducedExploration) -> io::Result<()> {
    writeln!(out, "{}\n", explored.exploration.title)?;
    let columns = [
        "reading",
        "claims",
        "hold as taken",
        "hold",
        "undecided",
        "gained",
        "lost",
    ];
    let mut table = new_table(columns);
    for (at, reading) in explored.exploration.readings.iter().enumerate() {
        let effect = explored.effect(at);
        table.add_row([
            reading.title.clone(),
            effect.claims.to_string(),
            effect.held.to_string(),
            effect.hold.to_string(),
            effect.undecided.to_string(),
            effect.gained.len().to_string(),
            effect.lost.len().to_string(),
        ]);
    }
    writeln!(out, "{table}\n")?;
    for (at, reading) in explored.exploration.readings.iter().enumerate() {
        let effect = explored.effect(at);
        if effect.gained.is_empty() && effect.lost.is_empty() {
            continue;
        }
        writeln!(out, "{} ({}):", reading.title, reading.name)?;
        for flip in effect.gained.iter().chain(&effect.lost) {
            print_flip(out, explored, at, flip)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_flip(
    out: &mut impl io::Write,
    explored: &ReproducedExploration,
    reading: usize,
    flip: &Flip,
) -> io::Result<()> {
    let Flip {
        figure,
        claim,
        taken,
        now,
    } = flip;
    let style = style(*now);
    let Some(judged) = explored.judged(Some(reading), figure, claim) else {
        return Ok(());
    };
    writeln!(
        out,
        "  {style}{now:<10}{style:#}  was {taken}: {figure} {claim}: {}",
        judged.claim.text
    )?;
    writeln!(
        out,
        "{:14}paper: {}; here: {}",
        "", judged.judgement.paper, judged.judgement.here
    )
}
