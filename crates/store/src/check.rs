//! Reads every row of a file again, and removes those that are damaged.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Trouble;
use crate::export::{Found, find, ids};
use crate::{Fingerprint, StoreError, existing, prune, schema};

/// The result of checking a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of rows.
    pub rows: u64,
    /// The damaged ones, in the order of build, scenario and seed.
    pub damaged: Vec<Damaged>,
    /// Whether they were removed.
    pub repaired: bool,
}

/// A damaged row of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Its build; `None` if the row of the build is missing.
    pub build: Option<Fingerprint>,
    /// The number of its scenario in this file.
    pub scenario: i64,
    /// Its seed.
    pub seed: u64,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Checks every row of a store: its checksum, its encoding, and the texts to which it refers. With
/// `repair`, damaged rows are removed, so that they are computed again; without it, the file is not
/// changed.
///
/// # Errors
/// [`StoreError`] if the file cannot be read or, to be repaired, written; if it is not a store, or so
/// damaged that SQLite cannot read it.
pub fn check(path: &Path, repair: bool) -> Result<Checked, StoreError> {
    let (mut connection, file) = existing::open(path)?;
    let failed = |error: rusqlite::Error| StoreError::of(&file, &error);
    let whole: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(failed)?;
    if whole != "ok" {
        return Err(StoreError::new(&file, Trouble::Damaged, whole));
    }
    let (mut checked, ids) = examine(&connection).map_err(failed)?;
    if repair && !ids.is_empty() {
        remove(&mut connection, &ids).map_err(failed)?;
        checked.repaired = true;
    }
    Ok(checked)
}

/// Returns the result, and the ids of the damaged rows.
fn examine(connection: &Connection) -> rusqlite::Result<(Checked, Vec<i64>)> {
    let texts = damaged_texts(connection)?;
    let mut checked = Checked::default();
    let mut damaged = Vec::new();
    for id in ids(connection, None)? {
        let scenario =
            connection.query_row("SELECT scenario FROM run WHERE id = ?1", [id], |row| {
                row.get::<_, i64>(0)
            });
        let scenario = match scenario {
            // Another process has just pruned it.
            Err(rusqlite::Error::QueryReturnedNoRows) => continue,
            scenario => scenario?,
        };
        checked.rows += 1;
        let why = match find(connection, id)? {
            _ if texts.contains(&scenario) => "the text of its scenario is not what was written",
            Found::Run(_) => continue,
            Found::Unreadable => "it is not what was written",
            Found::Nothing => "its build, scenario or names are missing",
        };
        let row = connection.query_row(
            "SELECT seed, (SELECT fingerprint FROM build WHERE build.id = run.build)
             FROM run WHERE id = ?1",
            [id],
            |row| {
                let build: Option<[u8; 32]> = row.get(1)?;
                Ok(Damaged {
                    build: build.map(Fingerprint::of_bytes),
                    scenario,
                    seed: row.get::<_, i64>(0)?.cast_unsigned(),
                    why,
                })
            },
        );
        match row {
            // Another process has just pruned it.
            Err(rusqlite::Error::QueryReturnedNoRows) => checked.rows -= 1,
            row => {
                checked.damaged.push(row?);
                damaged.push(id);
            }
        }
    }
    Ok((checked, damaged))
}

/// The scenarios whose texts do not have their hashes.
fn damaged_texts(connection: &Connection) -> rusqlite::Result<BTreeSet<i64>> {
    let mut statement = connection.prepare("SELECT id, hash, CAST(text AS BLOB) FROM scenario")?;
    let mut rows = statement.query([])?;
    let mut damaged = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let (hash, text): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?);
        if hash != blake3::hash(&text).as_bytes() {
            damaged.insert(row.get(0)?);
        }
    }
    Ok(damaged)
}

/// Removes rows in one transaction.
fn remove(connection: &mut Connection, ids: &[i64]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut delete = transaction.prepare("DELETE FROM run WHERE id = ?1")?;
        for id in ids {
            delete.execute([id])?;
        }
    }
    prune::remove_unused(&transaction)?;
    transaction.commit()?;
    schema::give_back(connection)
}
