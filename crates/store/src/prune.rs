//! Removes runs of other builds when the file grows.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Store, StoreError, schema};

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
            for shared in ["scenario", "words"] {
                let unused =
                    format!("DELETE FROM {shared} WHERE id NOT IN (SELECT {shared} FROM run)");
                transaction.execute(&unused, [])?;
            }
            transaction.commit()?;
            pruned.builds += 1;
            schema::give_back(&connection)?;
        }
        pruned.bytes = before.saturating_sub(size(&connection)?);
        Ok(pruned)
    }

    /// The build, other than this one, that was used longest ago.
    fn oldest(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        connection
            .query_row(
                "SELECT id FROM build WHERE fingerprint <> ?1 ORDER BY used, id LIMIT 1",
                params![self.fingerprint.as_bytes()],
                |row| row.get(0),
            )
            .optional()
    }
}

/// The size of the file.
fn size(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        [],
        |row| row.get::<_, i64>(0).map(i64::cast_unsigned),
    )
}
