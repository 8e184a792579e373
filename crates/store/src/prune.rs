//! Removes runs of other builds when the file grows.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Fingerprint, Store, StoreError, existing, schema};

/// The size in bytes above which opening a store removes runs of other builds. All runs of the
/// reproduction take about 92 MB, so the runs of the previous build are kept as well and can be
/// used after a return to that build.
pub const ROOM: u64 = 256 << 20;

/// The result of pruning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The number of builds whose runs were removed.
    pub builds: u64,
    /// The number of runs that were removed.
    pub runs: u64,
    /// The number of bytes that were returned to the disk.
    pub bytes: u64,
}

/// Which runs to remove from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// Those of other builds than this one.
    OtherBuilds,
    /// Those of other builds, beginning with the build that was used longest ago, until the file
    /// takes at most this many bytes; runs of this build stay, even if they take more.
    Beyond(u64),
    /// Those of the scenario with this number, by whichever build.
    OfScenario(i64),
}

/// Removes runs from a file, or, with `dry`, returns what would be removed. The runs are removed in
/// one transaction.
///
/// # Errors
/// [`StoreError`] if the file cannot be used, is not a store, or was created by another version with
/// other tables. It is then as it was.
pub fn prune_file(path: &Path, unwanted: Unwanted, dry: bool) -> Result<Pruned, StoreError> {
    let (mut connection, file) = existing::open(path)?;
    let mut remove = || -> rusqlite::Result<Pruned> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let before = in_use(&transaction)?;
        let mut pruned = Pruned::default();
        match unwanted {
            Unwanted::OfScenario(number) => {
                let delete = "DELETE FROM run WHERE scenario = ?1";
                pruned.runs = transaction.execute(delete, [number])? as u64;
                let unused = "DELETE FROM build WHERE id NOT IN (SELECT build FROM run)";
                pruned.builds = transaction.execute(unused, [])? as u64;
                remove_unused(&transaction)?;
            }
            Unwanted::OtherBuilds | Unwanted::Beyond(_) => {
                let limit = match unwanted {
                    Unwanted::Beyond(bytes) => bytes,
                    _ => 0,
                };
                let this = Fingerprint::of_this_build();
                while in_use(&transaction)? > limit
                    && let Some(build) = oldest_but(&transaction, &this)?
                {
                    pruned.runs +=
                        transaction.execute("DELETE FROM run WHERE build = ?1", [build])? as u64;
                    transaction.execute("DELETE FROM build WHERE id = ?1", [build])?;
                    remove_unused(&transaction)?;
                    pruned.builds += 1;
                }
            }
        }
        pruned.bytes = before.saturating_sub(in_use(&transaction)?);
        if dry {
            transaction.rollback()?;
        } else {
            transaction.commit()?;
            schema::give_back(&connection)?;
        }
        Ok(pruned)
    };
    remove().map_err(|error| StoreError::of(&file, &error))
}

impl Store {
    /// Removes runs of other builds, beginning with the build that was used longest ago, until the
    /// store takes at most `bytes`; with 0, all of them. Runs of this build are always kept.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written. The runs of each build are then either all
    /// present or all removed.
    pub fn prune(&self, bytes: u64) -> Result<Pruned, StoreError> {
        self.remove_until(bytes).map_err(|error| self.error(&error))
    }

    fn remove_until(&self, bytes: u64) -> rusqlite::Result<Pruned> {
        let mut connection = self.connection();
        let mut pruned = Pruned::default();
        let before = size(&connection)?;
        while size(&connection)? > bytes && self.oldest(&connection)?.is_some() {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may be pruning at the same time.
            let Some(build) = self.oldest(&transaction)? else {
                break;
            };
            pruned.runs += transaction.execute("DELETE FROM run WHERE build = ?1", [build])? as u64;
            transaction.execute("DELETE FROM build WHERE id = ?1", [build])?;
            remove_unused(&transaction)?;
            transaction.commit()?;
            pruned.builds += 1;
            schema::give_back(&connection)?;
        }
        pruned.bytes = before.saturating_sub(size(&connection)?);
        Ok(pruned)
    }

    /// The build, other than this one, that was used longest ago.
    fn oldest(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        oldest_but(connection, &self.fingerprint)
    }
}

/// The build, other than this one, that was used longest ago.
fn oldest_but(connection: &Connection, this: &Fingerprint) -> rusqlite::Result<Option<i64>> {
    connection
        .query_row(
            "SELECT id FROM build WHERE fingerprint <> ?1 ORDER BY used, id LIMIT 1",
            params![this.as_bytes()],
            |row| row.get(0),
        )
        .optional()
}

/// Removes scenarios and words that no run has.
pub(crate) fn remove_unused(connection: &Connection) -> rusqlite::Result<()> {
    for shared in ["scenario", "words"] {
        let unused = format!("DELETE FROM {shared} WHERE id NOT IN (SELECT {shared} FROM run)");
        connection.execute(&unused, [])?;
    }
    Ok(())
}

/// The size of the file without its free pages, which are given back to the disk.
fn in_use(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row(
        "SELECT (page_count - freelist_count) * page_size
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
        [],
        |row| row.get::<_, i64>(0).map(i64::cast_unsigned),
    )
}

/// The size of the file.
pub(crate) fn size(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get::<_, i64>(0).map(i64::cast_unsigned),
    )
}
