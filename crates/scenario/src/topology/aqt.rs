//! The routers of a topology that add to packets how long they wait (RoVegas, section 3).

use serde_json::json;

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::{array, name};
use crate::names;
use crate::quantity::clip;
use crate::suggest;

/// The routers that add queueing times on all their links, unless a link says otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct AqtRouters {
    all: bool,
    named: Vec<String>,
}

/// The key in a topology's table.
pub(crate) const KEY: &str = "aqt";
/// The word for every router.
const ALL: &str = "all";

impl AqtRouters {
    /// Reads the key of a topology's table: an array of routers, or "all".
    pub(crate) fn read(table: &Table<'_>) -> Self {
        let mut routers = Self::default();
        let Some(node) = table.find(KEY) else {
            return routers;
        };
        if node.as_text() == Some(ALL) {
            routers.all = true;
            return routers;
        }
        for element in node
            .array("[\"r1\", \"r2\"], or \"all\"")
            .unwrap_or_default()
        {
            routers
                .named
                .extend(element.text("\"r1\"").map(str::to_owned));
        }
        routers
    }

    /// Returns whether the router with this name adds queueing times.
    pub(crate) fn has(&self, router: &str) -> bool {
        self.all || self.named.iter().any(|name| name == router)
    }

    /// Records names that no router has.
    pub(crate) fn check(table: &Table<'_>, routers: &[String]) {
        let elements = table
            .find(KEY)
            .filter(Node::is_array)
            .and_then(|node| node.array(""));
        for node in elements.unwrap_or_default() {
            let Some(name) = node.as_text() else {
                continue;
            };
            if routers.iter().any(|router| router == name) {
                continue;
            }
            let message = format!("`{KEY}`: there is no router `{}`", clip(name));
            let names: Vec<&str> = routers.iter().take(30).map(String::as_str).collect();
            node.wrong(message, suggest::help(name, "the routers are", &names));
        }
    }
}

/// Returns the key as a schema.
pub(super) fn form(example: &str) -> Form {
    let router = name(names::NODE).such_as([json!(example)]);
    array(&router, 0..=usize::MAX >> 12)
        .or_word(ALL)
        .means("the routers that add queueing times to packets, unless a link sets `aqt`")
        .ranging("an array of routers, or `\"all\"`")
        .otherwise("none")
        .such_as([json!([example]), json!(ALL)])
}
