//! Tables as comma-separated values (RFC 4180).

/// Returns a field of a table, quoted if necessary.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
