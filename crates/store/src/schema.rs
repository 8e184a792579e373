//! The tables of a store, and how a file is known as one.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use super::error::{StoreError, Trouble};

/// What marks a file as a store: `dumb` in ASCII.
const APPLICATION: i32 = 0x6475_6d62;
/// The version of the tables.
const VERSION: i32 = 1;

/// A row of `run` is a finished run. `seed` has the seed's 64 bits, in SQLite's signed integers.
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
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    scenario INTEGER NOT NULL REFERENCES scenario,
    seed INTEGER NOT NULL,
    build INTEGER NOT NULL REFERENCES build,
    outcome TEXT NOT NULL,
    series BLOB,
    UNIQUE (scenario, seed, build)
);
";

/// Makes the tables in a new file, and sees that an old one is a store of this version.
pub(super) fn prepare(connection: &mut Connection, file: &str) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::of(file, &error);
    if is_ours(connection, file)? {
        return Ok(());
    }
    // Room that pruning frees goes back to the disk. It has an effect in an empty file alone.
    connection
        .pragma_update(None, "auto_vacuum", "INCREMENTAL")
        .map_err(failed)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Exclusive)
        .map_err(failed)?;
    // Another process may have made the tables meanwhile.
    if is_ours(&transaction, file)? {
        return Ok(());
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    for (pragma, value) in [("application_id", APPLICATION), ("user_version", VERSION)] {
        transaction
            .pragma_update(None, pragma, value)
            .map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Whether the file is a store of this version, or empty.
fn is_ours(connection: &Connection, file: &str) -> Result<bool, StoreError> {
    let number = |pragma| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i32>(0))
            .map_err(|error| StoreError::of(file, &error))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application == APPLICATION {
        return match version {
            VERSION => Ok(true),
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
        None if application == 0 && version == 0 => Ok(false),
        _ => Err(StoreError::new(
            file,
            Trouble::Foreign,
            "it is another program's SQLite database",
        )),
    }
}
