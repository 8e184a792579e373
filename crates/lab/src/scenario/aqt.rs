//! The routers of a topology that add to packets how long they wait (RoVegas, section 3).

use super::document::{Node, Table};
use super::quantity::clip;
use super::suggest;

/// Which routers add queueing times on all their links, as far as a link does not say.
#[derive(Clone, Debug, Default)]
pub(super) struct AqtRouters {
    all: bool,
    named: Vec<String>,
}

/// The key in a topology.
pub(super) const KEY: &str = "aqt";
/// The word for every router.
pub(super) const ALL: &str = "all";

impl AqtRouters {
    /// Reads the key of a topology's table: an array of routers, or "all".
    pub(super) fn read(table: &Table<'_>) -> Self {
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

    /// Whether a router is one of them.
    pub(super) fn has(&self, router: &str) -> bool {
        self.all || self.named.iter().any(|name| name == router)
    }

    /// Notes the names that no router has.
    pub(super) fn check(table: &Table<'_>, routers: &[String]) {
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
