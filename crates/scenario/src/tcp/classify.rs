//! Loss classifiers that run beside a control.

use dumbbell_control::classifier::{self, AnyConfig};
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::key::{Key, Set, Shape};

/// The key `classify`.
pub(super) struct Classifiers;

impl TcpKey for Classifiers {
    type Shape = Set<AnyConfig>;

    fn key() -> Key<Set<AnyConfig>> {
        let names = Set {
            known: classifier::all()
                .map(|config| (config.name(), config))
                .collect(),
            help: "there is",
            each: "a classifier",
            explain: |config| config.summary(),
            example: "[\"veno\", \"lded\"]",
        };
        names.usually(Vec::new(), |form| {
            form.means("loss classifiers that run beside the control and are compared with the true cause of each loss")
                .ranging("names, see below")
                .such_as([json!(["veno", "lded"])])
        })
    }

    /// Does nothing: classifiers observe the connection from outside.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}
