//! A store of finished runs, which are never repeated.
//!
//! A [`Store`] is one SQLite file. A run is found by its [`Key`] (the scenario and the seed) and by
//! the [`Fingerprint`] of the program that made it: after any change to the sources that can change
//! a result, everything is computed anew. A [`Runner`] executes many runs: it takes those that are
//! in the store from there, and stores the others as soon as they finish.
//!
//! **Durability.** A run is stored once it is committed, at most [`PAUSE`] and one write to the
//! disk after it ended. Committed runs survive Ctrl-C, `kill -9` and a full disk; a power failure
//! may lose the last commit. Partly written runs are never visible. The file uses a rollback
//! journal instead of a write-ahead log: this works on network file systems with working locks,
//! needs no second file when idle, and allows copying the store while no run is in progress. Any
//! number of processes may share a store.
//!
//! **Retention.** Runs of this build are always kept. Runs of other builds are kept while the file
//! is below [`ROOM`]; above that, opening the store removes the runs of the builds that were used
//! longest ago. Otherwise runs are removed only by [`Store::prune`].
//!
//! **Inspection.** The table `scenario` holds the scenarios as TOML, and `run` lists the seeds:
//! `sqlite3 FILE "SELECT text, count(*) FROM run JOIN scenario ON scenario.id = run.scenario GROUP BY text"`.
//! The results of a run are packed: [`export`] writes them as lines of JSON, and so does an example,
//! `cargo run --release -p dumbbell-store --example look -- FILE | jq .outcome.flows[0].goodput_bps`.
//! A program can use [`Store::get`] and [`each`].
//!
//! **Encoding.** The names in an outcome are stored once for all runs with the same names. Numbers
//! are stored in columns (the goodputs of all flows, the windows of one flow over time), exact to
//! the bit: as whole nanoseconds or multiples of 2^-32 segments if all values are, as differences
//! if that is shorter, in blocks of 32 values with as many bits as the largest needs. A checksum
//! over the row and its key detects rows that are damaged or belong to another run; these count as
//! not stored.

mod advance;
mod check;
mod codec;
mod contents;
mod cost;
mod elsewhere;
mod error;
mod existing;
mod export;
mod fingerprint;
mod forecast;
mod job;
mod key;
mod lasting;
mod merge;
mod outcome;
mod parcel;
mod prune;
mod queue;
mod row;
mod runner;
mod schema;
mod series;
#[cfg(test)]
mod sources;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dumbbell_run::Done;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};

pub use advance::{Advance, State};
pub use check::{Checked, Damaged, check};
pub use contents::{Build, Contents, Scenario};
pub use elsewhere::{Away, Elsewhere, Execute, Wanted};
pub use error::{StoreError, Trouble};
pub use export::{Kept, each, each_of_this_build, export};
pub use fingerprint::Fingerprint;
pub use forecast::Forecast;
pub use job::Job;
pub use key::{CODE, Key};
pub use merge::{Merged, merge};
pub use parcel::{pack, unpack};
pub use prune::{Pruned, ROOM, Unwanted, prune_file};
pub use queue::PAUSE;
use row::{Owner, Row};
pub use runner::{Runner, Summary};

/// How long to wait for another process that writes to the file.
const PATIENCE: Duration = Duration::from_secs(30);
/// A day in seconds.
const DAY: i64 = 24 * 3600;

/// A store of finished runs.
pub struct Store {
    file: String,
    fingerprint: Fingerprint,
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens the store in this file, for runs of this build. Creates the file and its folder if
    /// necessary.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read and written, is not a store, is damaged, or was
    /// created by a newer version. Files are never removed or replaced.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_for(path, Fingerprint::of_this_build())
    }

    /// Opens the store in this file to see which runs of this build it has, without changing it. There
    /// is none if [`open`](Self::open) would begin with an empty one: if there is no such file, if the
    /// file is empty or has no tables yet, or was created by an earlier version.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read, is not a store, is damaged, or was created by a newer
    /// version.
    pub fn look(path: &Path) -> Result<Option<Self>, StoreError> {
        let size = std::fs::metadata(path).map(|file| file.len());
        if size.is_ok_and(|size| size == 0) || matches!(path.try_exists(), Ok(false)) {
            return Ok(None);
        }
        let (connection, file) = match existing::open(path) {
            Err(error) if matches!(error.trouble, Trouble::Earlier | Trouble::Unfinished) => {
                return Ok(None);
            }
            opened => opened?,
        };
        Ok(Some(Self {
            file,
            fingerprint: Fingerprint::of_this_build(),
            connection: Mutex::new(connection),
        }))
    }

    /// Opens the store in this file for runs with another fingerprint than that of this build, for
    /// programs whose results depend on more than Dumbbell's sources.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_for(path: &Path, fingerprint: Fingerprint) -> Result<Self, StoreError> {
        // SQLite gives special meanings to some relative paths, but treats every absolute path as a
        // file.
        let absolute = std::path::absolute(path).map_err(|e| StoreError::folder(path, &e))?;
        if let Some(folder) = absolute.parent() {
            std::fs::create_dir_all(folder).map_err(|e| StoreError::folder(path, &e))?;
        }
        let file = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(absolute, flags)
            .map_err(|error| StoreError::of(&file, &error))?;
        Self::new(connection, file, fingerprint)
    }

    /// A store in memory, for runs of this build. It ends when the value is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if memory cannot be allocated.
    pub fn in_memory() -> Result<Self, StoreError> {
        let file = "(in memory)".to_owned();
        let connection =
            Connection::open_in_memory().map_err(|error| StoreError::of(&file, &error))?;
        Self::new(connection, file, Fingerprint::of_this_build())
    }

    /// Returns the run with this key, if it is stored. A stored run that cannot be read counts as
    /// not stored: it will be computed and stored again.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub fn get(&self, key: &Key) -> Result<Option<Done>, StoreError> {
        let owner = Owner {
            build: self.fingerprint.as_bytes(),
            scenario: key.hash(),
            seed: key.seed(),
        };
        let find = || -> rusqlite::Result<Option<Done>> {
            let connection = self.connection();
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM run
                 JOIN scenario ON scenario.id = run.scenario JOIN build ON build.id = run.build
                 JOIN words ON words.id = run.words
                 WHERE scenario.hash = ?1 AND seed = ?2 AND fingerprint = ?3",
                row::COLUMNS
            ))?;
            let found = statement
                .query_row(
                    params![owner.scenario, owner.seed.cast_signed(), owner.build],
                    |row| Ok(row::read(row, 0, owner)),
                )
                .optional()?;
            Ok(found.flatten())
        };
        find().map_err(|error| self.error(&error))
    }

    /// Returns which of these runs are stored.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub fn kept(&self, jobs: &[Job<'_>]) -> Result<Vec<bool>, StoreError> {
        self.has(&job::keys(jobs))
    }

    /// Returns which of the runs with these keys are stored.
    fn has(&self, keys: &[Option<Key>]) -> Result<Vec<bool>, StoreError> {
        let find = || -> rusqlite::Result<Vec<bool>> {
            let connection = self.connection();
            // A single transaction locks the file only once.
            let transaction = connection.unchecked_transaction()?;
            let mut statement = transaction.prepare(
                "SELECT 1 FROM run
                 JOIN scenario ON scenario.id = run.scenario JOIN build ON build.id = run.build
                 WHERE scenario.hash = ?1 AND seed = ?2 AND fingerprint = ?3",
            )?;
            keys.iter()
                .map(|key| match key {
                    Some(key) => statement.exists(params![
                        key.hash(),
                        key.seed().cast_signed(),
                        self.fingerprint.as_bytes()
                    ]),
                    None => Ok(false),
                })
                .collect()
        };
        find().map_err(|error| self.error(&error))
    }

    /// Stores a run, and returns when it is committed. [`Runner`] stores many runs faster. A run of
    /// more than 500 MB is not stored.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be written. The store is then unchanged.
    pub fn put(&self, key: &Key, run: &Done) -> Result<(), StoreError> {
        Row::new(key, run).map_or(Ok(()), |row| self.put_all(&[row]))
    }

    /// Stores either all of these runs or none.
    fn put_all(&self, rows: &[Row]) -> Result<(), StoreError> {
        let write = || -> rusqlite::Result<()> {
            let mut connection = self.connection();
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            self.mark_used(&transaction)?;
            {
                let mut scenario = transaction.prepare(
                    "INSERT INTO scenario (hash, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                )?;
                let mut words = transaction.prepare(
                    "INSERT INTO words (hash, bytes) VALUES (?1, ?2) ON CONFLICT DO UPDATE
                     SET bytes = ?2 WHERE bytes <> ?2",
                )?;
                let mut run = transaction.prepare(
                    "INSERT OR REPLACE INTO run
                         (scenario, seed, build, words, checksum, outcome, series)
                     SELECT scenario.id, ?2, build.id, words.id, ?5, ?6, ?7
                     FROM scenario, build, words
                     WHERE scenario.hash = ?1 AND fingerprint = ?3 AND words.hash = ?4",
                )?;
                for row in rows {
                    scenario.execute(params![row.key.hash(), row.key.scenario()])?;
                    words.execute(params![row.name, row.words])?;
                    run.execute(params![
                        row.key.hash(),
                        row.key.seed().cast_signed(),
                        self.fingerprint.as_bytes(),
                        row.name,
                        row.checksum(&self.fingerprint),
                        row.outcome,
                        row.series
                    ])?;
                }
            }
            transaction.commit()
        };
        write().map_err(|error| self.error(&error))
    }

    /// Records once a day that this build is in use, even if nothing new is stored.
    fn note_use(&self) -> rusqlite::Result<()> {
        let connection = self.connection();
        let used = connection
            .query_row(
                "SELECT used FROM build WHERE fingerprint = ?1",
                params![self.fingerprint.as_bytes()],
                |row| row.get::<_, i64>(0),
            )
            .optional()?;
        if used.is_some_and(|used| now() - used > DAY) {
            self.mark_used(&connection)?;
        }
        Ok(())
    }

    /// Records that this build is in use now.
    fn mark_used(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .execute(
                "INSERT INTO build (fingerprint, version, used) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET used = ?3",
                params![
                    self.fingerprint.as_bytes(),
                    env!("CARGO_PKG_VERSION"),
                    now()
                ],
            )
            .map(drop)
    }

    /// The number of stored runs of this build.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub fn runs(&self) -> Result<u64, StoreError> {
        self.connection()
            .query_row(
                "SELECT count(*) FROM run JOIN build ON build.id = run.build WHERE fingerprint = ?1",
                params![self.fingerprint.as_bytes()],
                |row| row.get::<_, i64>(0),
            )
            .map(i64::cast_unsigned)
            .map_err(|error| self.error(&error))
    }

    fn new(
        mut connection: Connection,
        file: String,
        fingerprint: Fingerprint,
    ) -> Result<Self, StoreError> {
        let failed = |error| StoreError::of(&file, &error);
        settle(&connection).map_err(failed)?;
        // This waits once less for the disk than the default: a power failure may lose the last
        // commit, but no more.
        connection
            .pragma_update(None, "synchronous", "NORMAL")
            .map_err(failed)?;
        schema::prepare(&mut connection, &file)?;
        if connection.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
            let reason = "it or its folder is write-protected";
            return Err(StoreError::new(&file, Trouble::ReadOnly, reason));
        }
        let store = Self {
            file,
            fingerprint,
            connection: Mutex::new(connection),
        };
        // A store that cannot be tidied up can still be read.
        let _ = store.note_use();
        let _ = store.prune(ROOM);
        Ok(store)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::of(&self.file, error)
    }
}

/// Configures a connection to a file.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // Each statement is planned only once, and not again for each key, which saves a quarter of the
    // reading time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Seconds since 1970.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |span| span.as_secs().cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_held_by_another_process_is_an_error_and_no_panic() {
        let folder = std::env::temp_dir().join(format!("dumbbell-busy-{}", std::process::id()));
        let file = folder.join("runs.sqlite");
        let [one, other] = [(), ()].map(|()| Store::open(&file).unwrap());
        let hold = |begin| one.connection().execute_batch(begin).unwrap();
        let patience = Duration::from_millis(20);
        other.connection().busy_timeout(patience).unwrap();
        hold("BEGIN IMMEDIATE");
        // The store can be read while the other connection only prepares to write.
        assert_eq!(other.runs(), Ok(0));
        let error = other.put_all(&[]).unwrap_err();
        assert_eq!(error.trouble, Trouble::Busy, "{error}");
        hold("COMMIT; BEGIN EXCLUSIVE");
        assert_eq!(other.runs().unwrap_err().trouble, Trouble::Busy);
        hold("COMMIT");
        assert_eq!(other.put_all(&[]), Ok(()));
        assert_eq!(other.runs(), Ok(0));
        let _ = std::fs::remove_dir_all(folder);
    }
}
