//! The controls that files can name.

use dumbbell_scenario::controls::Controls;

/// The controls that a file can name where no scenario brings its own.
pub fn known() -> Controls {
    Controls::builtin()
}
