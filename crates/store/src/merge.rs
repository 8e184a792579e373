//! Adds the runs of one file to another.

use std::path::Path;

use rusqlite::TransactionBehavior;

use crate::error::Trouble;
use crate::{StoreError, check, existing};

/// The result of merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The number of runs that were added.
    pub added: u64,
    /// The number of runs that both files had.
    pub shared: u64,
}

/// Adds all runs of `from`, whichever build made them, to those of `into`. A run that both have is
/// kept as it is in `into`. `from` is not changed. It happens in one transaction: after an interrupt,
/// `into` is as it was before.
///
/// # Errors
/// [`StoreError`] if one of the files cannot be used, is not a store or was created by another
/// version with other tables; if they are the same file; or if `from` has damaged rows. Both files
/// are then as they were.
pub fn merge(into: &Path, from: &Path) -> Result<Merged, StoreError> {
    let (mut connection, file) = existing::open(into)?;
    let (other, name) = existing::open(from)?;
    drop(other);
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(into).is_some() && same(into) == same(from) {
        let why = "it is the same file as the one into which it should be merged";
        return Err(StoreError::new(&name, Trouble::Other, why));
    }
    let checked = check::check(from, false)?;
    if !checked.damaged.is_empty() {
        let why = format!(
            "{} of its {} rows are not what was written: `dumbbell store check --repair` removes them",
            checked.damaged.len(),
            checked.rows
        );
        return Err(StoreError::new(&name, Trouble::Damaged, why));
    }
    let absolute = std::path::absolute(from).map_err(|e| StoreError::folder(from, &e))?;
    let mut add = || -> rusqlite::Result<Merged> {
        connection.execute("ATTACH DATABASE ?1 AS other", [absolute.to_string_lossy()])?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(
            "INSERT INTO main.build (fingerprint, version, used)
                 SELECT fingerprint, version, used FROM other.build
                 WHERE id IN (SELECT build FROM other.run)
                 ON CONFLICT DO UPDATE SET used = max(used, excluded.used);
             INSERT INTO main.scenario (hash, text)
                 SELECT hash, text FROM other.scenario
                 WHERE id IN (SELECT scenario FROM other.run)
                 ON CONFLICT DO NOTHING;
             INSERT INTO main.words (hash, bytes)
                 SELECT hash, bytes FROM other.words WHERE id IN (SELECT words FROM other.run)
                 ON CONFLICT DO UPDATE SET bytes = excluded.bytes WHERE bytes <> excluded.bytes;",
        )?;
        let all: i64 =
            transaction.query_row("SELECT count(*) FROM other.run", [], |row| row.get(0))?;
        let added = transaction.execute(
            "INSERT INTO main.run (scenario, seed, build, words, checksum, outcome, series)
                 SELECT s.id, r.seed, b.id, w.id, r.checksum, r.outcome, r.series
                 FROM other.run AS r
                 JOIN other.scenario AS os ON os.id = r.scenario
                 JOIN main.scenario AS s ON s.hash = os.hash
                 JOIN other.build AS ob ON ob.id = r.build
                 JOIN main.build AS b ON b.fingerprint = ob.fingerprint
                 JOIN other.words AS ow ON ow.id = r.words
                 JOIN main.words AS w ON w.hash = ow.hash
                 WHERE true ORDER BY r.id
                 ON CONFLICT DO NOTHING",
            [],
        )? as u64;
        transaction.commit()?;
        Ok(Merged {
            added,
            shared: all.cast_unsigned() - added,
        })
    };
    add().map_err(|error| StoreError::of(&file, &error))
}
