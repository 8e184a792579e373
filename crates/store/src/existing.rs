//! Opens stores that exist.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::{StoreError, schema, settle};

/// Opens a store that exists, without changing it. Returns its name, too, for messages.
pub(crate) fn open(path: &Path) -> Result<(Connection, String), StoreError> {
    let file = path.display().to_string();
    let failed = |error: rusqlite::Error| StoreError::of(&file, &error);
    let absolute = std::path::absolute(path).map_err(|e| StoreError::folder(path, &e))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(absolute, flags).map_err(failed)?;
    settle(&connection).map_err(failed)?;
    schema::check(&connection, &file)?;
    Ok((connection, file))
}
