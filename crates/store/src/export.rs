//! Reads all runs in a store, whichever build made them, and exports them as lines of JSON.

use std::io::{self, Write};
use std::path::Path;

use dumbbell_run::{Done, Reading, Series, Subject};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::{Value, json};

use crate::row::{self, Owner};
use crate::{Fingerprint, StoreError, existing};

/// A run in a store, and what it belongs to.
#[derive(Debug)]
pub struct Kept {
    /// The fingerprint of the build that made it.
    pub build: Fingerprint,
    /// The number of its scenario in this file: the scenario's text is in that row of the table
    /// `scenario`.
    pub scenario: i64,
    /// Its seed.
    pub seed: u64,
    /// Its results.
    pub done: Done,
}

/// Calls `tell` with every run in a file, ordered by build, scenario and seed, and returns how many
/// rows could not be read; a [`Runner`](crate::Runner) computes those again. The file is not
/// changed: nothing is created, upgraded or pruned. Other processes may write to it at the same
/// time.
///
/// # Errors
/// The [`io::Error`] that `tell` returned; or an [`io::Error`] that contains a [`StoreError`] if the
/// file cannot be read, is not a store, or was created by another version with other tables.
pub fn each(path: &Path, tell: impl FnMut(Kept) -> io::Result<()>) -> io::Result<u64> {
    each_of(path, None, tell)
}

/// As [`each`], but only runs of this build.
///
/// # Errors
/// As [`each`].
pub fn each_of_this_build(
    path: &Path,
    tell: impl FnMut(Kept) -> io::Result<()>,
) -> io::Result<u64> {
    each_of(path, Some(Fingerprint::of_this_build()), tell)
}

/// As [`each`], but only runs of `build`, if one is given.
fn each_of(
    path: &Path,
    build: Option<Fingerprint>,
    mut tell: impl FnMut(Kept) -> io::Result<()>,
) -> io::Result<u64> {
    let (connection, file) = existing::open(path).map_err(io::Error::other)?;
    let failed = |error: rusqlite::Error| io::Error::other(StoreError::of(&file, &error));
    // First the list, and then each run in a separate query, so that other processes never have to
    // wait long.
    let mut unreadable = 0;
    for id in ids(&connection, build).map_err(failed)? {
        match find(&connection, id).map_err(failed)? {
            Found::Run(kept) => tell(*kept)?,
            Found::Nothing => {}
            Found::Unreadable => unreadable += 1,
        }
    }
    Ok(unreadable)
}

/// Writes every run in a file as a line of JSON, `{"build", "scenario", "seed", "outcome", "series"}`.
/// Times are in s; [`Outcome`](dumbbell_run::outcome::Outcome) and [`Series`] describe the rest.
/// Returns how many rows could not be read. NaN and infinity are written as `null`.
///
/// # Errors
/// As [`each`], and errors of writing.
pub fn export(path: &Path, out: &mut impl Write) -> io::Result<u64> {
    each(path, |kept| {
        write!(
            out,
            r#"{{"build":"{}","scenario":{},"seed":{},"outcome":"#,
            kept.build, kept.scenario, kept.seed
        )?;
        serde_json::to_writer(&mut *out, &kept.done.outcome)?;
        let series: Vec<Value> = kept.done.series.iter().map(value).collect();
        writeln!(out, r#","series":{}}}"#, Value::from(series))
    })
}

fn value(series: &Series) -> Value {
    let (kind, index) = match series.subject {
        Subject::Flow(index) => ("flow", index),
        Subject::Link(index) => ("link", index),
    };
    let point = |(time, reading): &(f64, Reading)| match reading {
        Reading::Number(number) => json!([time, number]),
        Reading::Word(word) => json!([time, word]),
    };
    let points: Vec<Value> = series.points.iter().map(point).collect();
    json!({ kind: index, "quantity": series.quantity, "points": points })
}

/// The result of looking up a row.
pub(crate) enum Found {
    Run(Box<Kept>),
    /// The row has just been pruned.
    Nothing,
    Unreadable,
}

/// The rows of a build, or of all.
pub(crate) fn ids(
    connection: &Connection,
    build: Option<Fingerprint>,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(
        "SELECT id FROM run
         WHERE ?1 IS NULL OR build IN (SELECT id FROM build WHERE fingerprint = ?1)
         ORDER BY build, scenario, seed",
    )?;
    let build = build.as_ref().map(Fingerprint::as_bytes);
    statement.query_map([build], |row| row.get(0))?.collect()
}

pub(crate) fn find(connection: &Connection, id: i64) -> rusqlite::Result<Found> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT fingerprint, scenario.id, scenario.hash, seed, {} FROM run
         JOIN scenario ON scenario.id = run.scenario JOIN build ON build.id = run.build
         JOIN words ON words.id = run.words
         WHERE run.id = ?1",
        row::COLUMNS
    ))?;
    let found = statement.query_row([id], |row| {
        let (build, scenario): ([u8; 32], [u8; 32]) = (row.get(0)?, row.get(2)?);
        let owner = Owner {
            build: &build,
            scenario: &scenario,
            seed: row.get::<_, i64>(3)?.cast_unsigned(),
        };
        let Some(done) = row::read(row, 4, owner) else {
            return Ok(Found::Unreadable);
        };
        Ok(Found::Run(Box::new(Kept {
            build: Fingerprint::of_bytes(build),
            scenario: row.get(1)?,
            seed: owner.seed,
            done,
        })))
    });
    Ok(found.optional()?.unwrap_or(Found::Nothing))
}
