//! What a file holds: builds, scenarios, and how many runs of each.

use std::path::Path;

use crate::existing::open;
use crate::{Fingerprint, StoreError, prune};

/// The contents of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The builds whose runs it holds, the one that was used last first.
    pub builds: Vec<Build>,
    /// The scenarios, in the order of their numbers.
    pub scenarios: Vec<Scenario>,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// A build whose runs are in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// The version of Dumbbell.
    pub version: String,
    /// When it used the store last, to a day, in seconds since 1970.
    pub used: i64,
    /// The number of its runs.
    pub runs: u64,
    /// What its runs take, in bytes, without what they share with others.
    pub bytes: u64,
}

/// A scenario whose runs are in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its number in this file.
    pub number: i64,
    /// Its canonical text: see [`Key::scenario`](crate::Key::scenario).
    pub text: String,
    /// The number of its runs, by whichever build.
    pub runs: u64,
    /// The number of its runs by this build.
    pub of_this_build: u64,
    /// What its runs take, in bytes.
    pub bytes: u64,
}

impl Contents {
    /// Reads what a file holds. The file is not changed.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read, is not a store, or was created by another version
    /// with other tables.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        let (connection, file) = open(path)?;
        let this = Fingerprint::of_this_build();
        let read = || -> rusqlite::Result<Self> {
            // One transaction, so that both lists are of the same moment.
            let reading = connection.unchecked_transaction()?;
            let mut builds = reading.prepare(
                "SELECT fingerprint, version, used, count(*),
                        sum(length(outcome) + ifnull(length(series), 0)) AS bytes
                 FROM build JOIN run ON run.build = build.id
                 GROUP BY build.id ORDER BY used DESC, build.id DESC",
            )?;
            let builds = builds.query_map([], |row| {
                Ok(Build {
                    fingerprint: Fingerprint::of_bytes(row.get(0)?),
                    version: row.get(1)?,
                    used: row.get(2)?,
                    runs: row.get::<_, i64>(3)?.cast_unsigned(),
                    bytes: row.get::<_, i64>(4)?.cast_unsigned(),
                })
            })?;
            let mut scenarios = reading.prepare(
                "SELECT scenario.id, text, count(*), sum(fingerprint = ?1),
                        sum(length(outcome) + ifnull(length(series), 0))
                 FROM scenario JOIN run ON run.scenario = scenario.id
                 JOIN build ON build.id = run.build
                 GROUP BY scenario.id ORDER BY scenario.id",
            )?;
            let scenarios = scenarios.query_map([this.as_bytes()], |row| {
                Ok(Scenario {
                    number: row.get(0)?,
                    text: row.get(1)?,
                    runs: row.get::<_, i64>(2)?.cast_unsigned(),
                    of_this_build: row.get::<_, i64>(3)?.cast_unsigned(),
                    bytes: row.get::<_, i64>(4)?.cast_unsigned(),
                })
            })?;
            Ok(Self {
                builds: builds.collect::<rusqlite::Result<_>>()?,
                scenarios: scenarios.collect::<rusqlite::Result<_>>()?,
                bytes: prune::size(&reading)?,
            })
        };
        read().map_err(|error| StoreError::of(&file, &error))
    }
}
