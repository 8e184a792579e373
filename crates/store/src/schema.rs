//! The tables of a store, and how a file is recognised as a store.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use super::error::{StoreError, Trouble};

/// The application id that marks a file as a store: `dumb` in ASCII.
const APPLICATION: i32 = 0x6475_6d62;
/// The version of the tables and of the encoding of their contents. A change of either requires a
/// new version, because a build's fingerprint does not cover the store's own sources. Version 1
/// stored outcomes as JSON, version 2 no groups, version 3 neither
/// sojourn times and what a link sent again nor workloads, version 4 no frames of media flows.
pub(super) const VERSION: i32 = 5;

/// A row of `run` is a finished run. `seed` holds the 64 bits of the seed as SQLite's signed
/// integer. `words` holds what outcomes share: the names in them.
const TABLES: &str = "
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    fingerprint BLOB NOT NULL UNIQUE,
    version TEXT NOT NULL,
    used INTEGER NOT NULL
);
CREATE TABLE scenario (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
);
CREATE TABLE words (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    scenario INTEGER NOT NULL REFERENCES scenario,
    seed INTEGER NOT NULL,
    build INTEGER NOT NULL REFERENCES build,
    words INTEGER NOT NULL REFERENCES words,
    checksum INTEGER NOT NULL,
    outcome BLOB NOT NULL,
    series BLOB,
    UNIQUE (scenario, seed, build)
);
";

/// The state of a file.
enum State {
    /// A store of this version.
    Ready,
    /// A store of an earlier version.
    Earlier,
    Empty,
}

/// Creates the tables in a new file, and anew in a store of an earlier version, whose runs are
/// those of other builds. Other processes see the file either unchanged or with all tables.
pub(super) fn prepare(connection: &mut Connection, file: &str) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::of(file, &error);
    match state_now(connection, file)? {
        State::Ready => return Ok(()),
        State::Earlier => {}
        // This setting returns the space that pruning frees to the disk. It only takes effect in an
        // empty file.
        State::Empty => connection
            .pragma_update(None, "auto_vacuum", "INCREMENTAL")
            .map_err(failed)?,
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Exclusive)
        .map_err(failed)?;
    // Another process may have created the tables in the meantime.
    let found = state(&transaction, file)?;
    match found {
        State::Ready => return Ok(()),
        State::Earlier => drop_all(&transaction).map_err(failed)?,
        State::Empty => {}
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    for (pragma, value) in [("application_id", APPLICATION), ("user_version", VERSION)] {
        transaction
            .pragma_update(None, pragma, value)
            .map_err(failed)?;
    }
    transaction.commit().map_err(failed)?;
    if matches!(found, State::Earlier) {
        // The space is returned to the disk or, if this fails, used for later runs.
        let _ = give_back(connection);
    }
    Ok(())
}

/// Checks that a file is a store of this version.
pub(super) fn check(connection: &Connection, file: &str) -> Result<(), StoreError> {
    match state_now(connection, file)? {
        State::Ready => Ok(()),
        State::Earlier => Err(StoreError::new(
            file,
            Trouble::Earlier,
            format!("this program's tables have version {VERSION}"),
        )),
        State::Empty => Err(StoreError::new(file, Trouble::Unfinished, "it is empty")),
    }
}

/// Returns the free space in the file to the disk.
pub(super) fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// Removes all tables in reverse order of their creation, because later ones refer to earlier ones.
fn drop_all(connection: &Connection) -> rusqlite::Result<()> {
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid DESC")?;
    let names: Vec<String> = tables
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for name in names {
        connection.execute_batch(&format!("DROP TABLE \"{name}\""))?;
    }
    Ok(())
}

/// The state of the file at one moment. Without the transaction, another process could create the tables
/// between two of the reads.
fn state_now(connection: &Connection, file: &str) -> Result<State, StoreError> {
    let reading = connection
        .unchecked_transaction()
        .map_err(|error| StoreError::of(file, &error))?;
    state(&reading, file)
}

/// The state of the file, read within a transaction; an error if the file belongs to another program.
fn state(connection: &Connection, file: &str) -> Result<State, StoreError> {
    let number = |pragma| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i32>(0))
            .map_err(|error| StoreError::of(file, &error))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application == APPLICATION {
        return match version {
            VERSION => Ok(State::Ready),
            ..VERSION => Ok(State::Earlier),
            newer => Err(StoreError::new(
                file,
                Trouble::Newer,
                format!("its tables have version {newer}, this program knows {VERSION}"),
            )),
        };
    }
    let table = connection
        .query_row("SELECT name FROM sqlite_schema LIMIT 1", [], |row| {
            row.get::<_, String>(0)
        })
        .optional()
        .map_err(|error| StoreError::of(file, &error))?;
    match table {
        None if application == 0 && version == 0 => Ok(State::Empty),
        _ => Err(StoreError::new(
            file,
            Trouble::Foreign,
            "it is another program's SQLite database",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A store of version 1 with one run.
    const FIRST: &str = include_str!("../tests/store/version-1.sql");

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("dumbbell-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn old_run(connection: &Connection) -> String {
        let run = "SELECT outcome FROM run";
        connection.query_row(run, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_failed_upgrade_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(FIRST).unwrap();
        let before = old_run(&connection);
        // The new tables are larger than the old ones, and there is no space for them.
        let pages: u32 = connection
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .unwrap();
        let limit = |connection: &Connection, pages: u32| {
            connection
                .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
                .unwrap();
        };
        limit(&connection, pages);
        let error = prepare(&mut connection, "file").unwrap_err();
        assert_eq!(error.trouble, Trouble::Full, "{error}");
        assert_eq!(old_run(&connection), before);
        assert!(matches!(state(&connection, "file"), Ok(State::Earlier)));
        limit(&connection, 1000);
        prepare(&mut connection, "file").unwrap();
        assert!(matches!(state(&connection, "file"), Ok(State::Ready)));
    }

    #[test]
    fn an_upgrade_waits_for_readers() {
        let folder = folder("upgrade");
        let file = folder.join("runs.sqlite");
        let mut reader = Connection::open(&file).unwrap();
        reader.execute_batch(FIRST).unwrap();
        let reading = reader.transaction().unwrap();
        let before = old_run(&reading);
        let mut connection = Connection::open(&file).unwrap();
        connection.busy_timeout(Duration::from_millis(20)).unwrap();
        let error = prepare(&mut connection, "file").unwrap_err();
        assert_eq!(error.trouble, Trouble::Busy, "{error}");
        assert_eq!(old_run(&reading), before);
        drop(reading);
        prepare(&mut connection, "file").unwrap();
        // A second call finds nothing to do.
        prepare(&mut connection, "file").unwrap();
        let _ = std::fs::remove_dir_all(folder);
    }
}
