//! Tests of reports and reproductions, in one binary, because each binary takes seconds to link.

#[cfg(unix)]
mod report;
mod reproduction;
mod sweep;
