//! Runs of other builds go when the file grows.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Store, StoreError, schema};

/// The size in bytes above which opening a store removes runs of other builds. All runs of the reproduction take
/// about 92 MB: those of the build before, which one may go back to, stay as well.
pub const ROOM: u64 = 256 << 20;

/// What pruning removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Builds whose runs are gone.
    pub builds: u64,
    /// Runs that are gone.
    pub runs: u64,
    /// Bytes that went back to the disk.
    pub bytes: u64,
}

impl Store {
    /// Removes runs of other builds, those of the build that was used longest ago first, until the
    /// store takes at most `bytes`: all of them with 0. Runs of this build stay, whatever they take.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written. Each build's runs are there as before or gone.
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
            // Another process may prune too.
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

    /// The other build that was used longest ago.
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
