//! The key `sweep`, whose table is about many runs and not about one: a run ignores it, and
//! `dumbbell-lab` reads it.

use crate::form::Form;

/// The key of the table.
pub(crate) const KEY: &str = "sweep";

/// Returns the table as a schema.
pub(crate) fn form() -> Form {
    Form::new("object", "a table, see sweep.md")
        .means("the values and the runs of `dumbbell sweep`; all other commands ignore it")
        .otherwise("none")
}
