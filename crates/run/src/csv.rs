//! Tables as comma-separated values (RFC 4180).

/// A field of a table, in quotes where it needs them.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
