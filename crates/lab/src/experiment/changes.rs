//! What a reading of the text changes in the scenarios of figures that were written without it.

use crate::description::{Keys, Node};

/// Changes of a scenario, as a table. They are applied after the settings of a curve and a place:
/// first the keys that move, then those that are set, then the flows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Keys whose values move to another key; a key that a scenario does not have is left alone.
    moved: Vec<(String, String)>,
    /// Keys and values.
    set: toml::Table,
    /// Changes of some of the flows.
    flows: Vec<FlowChange>,
}

/// A change of those flows that match all of its conditions.
#[derive(Clone, Debug, Default, PartialEq)]
struct FlowChange {
    /// Names of controls, or `*` for all; empty: any flow.
    control: Vec<String>,
    /// Names of rate controls, or `*` for all; empty: any flow.
    rate_control: Vec<String>,
    /// Kinds of sources of UDP flows, or `*` for all; empty: any flow.
    source: Vec<String>,
    /// Patterns of the flow's name, which may end in `*`; empty: any flow.
    name: Vec<String>,
    /// Keys of the flow, and values.
    set: toml::Table,
}

impl Changes {
    /// Reads the keys `move`, `set` and `flow`.
    pub(crate) fn read(keys: &Keys<'_>) -> Option<Self> {
        let mut moved = Vec::new();
        let entries = keys.find("move").and_then(|node| node.keys("`move`"));
        for (from, to) in entries.map(|keys| keys.entries()).unwrap_or_default() {
            moved.push((from.name().to_owned(), to.text()?.to_owned()));
        }
        let set = keys.find("set").map(|node| node.table());
        let flows = keys.items("flow");
        let flows = flows.iter().map(FlowChange::read).collect::<Option<_>>();
        Some(Self {
            moved,
            set: set.unwrap_or_else(|| Some(toml::Table::new()))?,
            flows: flows?,
        })
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These changes, and then the others.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        self.moved.extend(others.moved.iter().cloned());
        self.set.extend(others.set.clone());
        self.flows.extend(others.flows.iter().cloned());
        self
    }

    /// Changes a scenario.
    ///
    /// # Errors
    /// The key that cannot be set.
    pub(super) fn apply(&self, scenario: &mut toml::Table) -> Result<(), String> {
        for (from, to) in &self.moved {
            if let Some(value) = take(scenario, from) {
                put(scenario, to, value).ok_or_else(|| to.clone())?;
            }
        }
        for (key, value) in &self.set {
            put(scenario, key, value.clone()).ok_or_else(|| key.clone())?;
        }
        let defaults = scenario.get("tcp").and_then(toml::Value::as_table).cloned();
        let defaults = defaults.unwrap_or_default();
        let Some(toml::Value::Array(flows)) = scenario.get_mut("flow") else {
            return Ok(());
        };
        for flow in flows.iter_mut().filter_map(toml::Value::as_table_mut) {
            for change in &self.flows {
                if !change.concerns(flow, &defaults) {
                    continue;
                }
                for (key, value) in &change.set {
                    let first = key.split('.').next().unwrap_or(key);
                    // A part of a default can be changed only in a copy of it.
                    if let (true, false, Some(default)) =
                        (first != key, flow.contains_key(first), defaults.get(first))
                    {
                        flow.insert(first.to_owned(), default.clone());
                    }
                    put(flow, key, value.clone()).ok_or_else(|| key.clone())?;
                }
            }
        }
        Ok(())
    }
}

impl FlowChange {
    fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("a change of flows")?;
        let texts = |key| -> Option<Vec<String>> {
            let items = keys.items(key);
            items.iter().map(|it| Some(it.text()?.to_owned())).collect()
        };
        let (control, rate_control) = (texts("control"), texts("rate_control"));
        let (source, name) = (texts("source"), texts("name"));
        let set = keys.need("set", "{ recovery = \"reno\" }");
        let set = set.and_then(|node| node.table());
        keys.done();
        Some(Self {
            control: control?,
            rate_control: rate_control?,
            source: source?,
            name: name?,
            set: set?,
        })
    }

    fn concerns(&self, flow: &toml::Table, defaults: &toml::Table) -> bool {
        let one_of = |wanted: &[String], found: Option<&toml::Value>| {
            let matches = |name: &str| wanted.iter().any(|it| it == name || it == "*");
            wanted.is_empty() || name_of(found).is_some_and(matches)
        };
        // A flow that is paced by a rate control or a source of packets has no control.
        let tcp = !flow.contains_key("rate_control") && !flow.contains_key("source");
        let control = flow.get("control").or(defaults.get("control"));
        let control = control.filter(|_| tcp);
        let called = name_of(flow.get("name")).unwrap_or("");
        let matches = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => called.starts_with(start),
            None => called == pattern,
        };
        one_of(&self.control, control)
            && one_of(&self.rate_control, flow.get("rate_control"))
            && one_of(&self.source, flow.get("source"))
            && (self.name.is_empty() || self.name.iter().any(matches))
    }
}

/// The name of an algorithm or a source, which is written alone, with parameters, or as the key of
/// its parameters.
fn name_of(value: Option<&toml::Value>) -> Option<&str> {
    match value? {
        toml::Value::String(name) => Some(name),
        toml::Value::Table(table) => match table.get("name") {
            Some(name) => name.as_str(),
            None => table.keys().next().map(String::as_str),
        },
        _ => None,
    }
}

/// Sets a key, a path of names and numbers separated by dots. Tables on the way are created, and a
/// name becomes a table with that name, so that a parameter can be added to it. Returns `None` if
/// there is a value on the way that can have no keys.
fn put(table: &mut toml::Table, key: &str, value: toml::Value) -> Option<()> {
    let Some((first, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return Some(());
    };
    let next = table
        .entry(first)
        .or_insert_with(|| toml::Value::Table(toml::Table::new()));
    below(next, rest, value)
}

fn below(at: &mut toml::Value, key: &str, value: toml::Value) -> Option<()> {
    match at {
        toml::Value::Table(table) => put(table, key, value),
        toml::Value::String(name) => {
            let mut named = toml::Table::new();
            named.insert("name".to_owned(), toml::Value::String(name.clone()));
            put(&mut named, key, value)?;
            *at = toml::Value::Table(named);
            Some(())
        }
        toml::Value::Array(array) => {
            let (index, rest) = key.split_once('.')?;
            below(array.get_mut(index.parse::<usize>().ok()?)?, rest, value)
        }
        _ => None,
    }
}

/// Removes a key and returns its value.
fn take(table: &mut toml::Table, key: &str) -> Option<toml::Value> {
    match key.split_once('.') {
        None => table.remove(key),
        Some((first, rest)) => take(table.get_mut(first)?.as_table_mut()?, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description;

    const SCENARIO: &str = r#"
        tcp = { control = "veno", recovery = "reno" }
        dumbbell = { bottleneck = { rate = "2 Mb/s" }, access = { receiver = { loss = { bernoulli = 0.1 } } } }
        [[flow]]
        name = "first"
        [[flow]]
        name = "second"
        control = { name = "westwood", filter = "tustin" }
        [[flow]]
        name = "third"
        rate_control = "tfrc-veno"
        [[flow]]
        name = "other"
        source = { cbr = "1 Mb/s" }
    "#;

    /// The scenario after these changes.
    fn changed(changes: &str) -> toml::Table {
        let changes = description::read("e.toml", changes, |keys| {
            let changes = Changes::read(keys);
            keys.done();
            changes
        });
        let mut scenario = SCENARIO.parse().expect("a table");
        let applied = changes.expect("readable").apply(&mut scenario);
        applied.expect("every key can be set");
        scenario
    }

    fn table(text: &str) -> toml::Table {
        text.parse().expect("a table")
    }

    #[test]
    fn a_key_is_set_and_a_table_on_the_way_created() {
        let found =
            changed(r#"set = { "dumbbell.access.sender.delay" = "1 ms", duration = "3 s" }"#);
        let sender = &found["dumbbell"]["access"]["sender"];
        assert_eq!(sender.as_table(), Some(&table(r#"delay = "1 ms""#)));
        assert_eq!(found["duration"].as_str(), Some("3 s"));
    }

    #[test]
    fn a_key_moves_with_its_value() {
        let found = changed(
            r#"move = { "dumbbell.access.receiver.loss" = "dumbbell.bottleneck.loss", "no.such" = "key" }"#,
        );
        let loss = &found["dumbbell"]["bottleneck"]["loss"];
        assert_eq!(loss.as_table(), Some(&table("bernoulli = 0.1")));
        assert_eq!(
            found["dumbbell"]["access"]["receiver"].as_table(),
            Some(&table(""))
        );
        assert!(!found.contains_key("key"));
    }

    #[test]
    fn flows_are_found_by_control_even_if_it_is_the_default() {
        let found = changed(r#"flow = [{ control = ["veno"], set = { recovery = "newreno" } }]"#);
        assert_eq!(found["flow"][0]["recovery"].as_str(), Some("newreno"));
        assert!(found["flow"][1].get("recovery").is_none());
        assert!(found["flow"][2].get("recovery").is_none());
    }

    #[test]
    fn a_parameter_is_added_to_a_name_to_a_default_and_to_a_table() {
        let found = changed(
            r#"flow = [
                { control = ["veno", "westwood"], set = { "control.tick" = "10 ms" } },
                { rate_control = ["tfrc-veno"], set = { "rate_control.wmax" = 64 } },
            ]"#,
        );
        let of = |flow: usize, key: &str| found["flow"][flow][key].as_table().cloned();
        let veno = table("name = \"veno\"\ntick = \"10 ms\"");
        assert_eq!(of(0, "control"), Some(veno));
        assert_eq!(
            found["flow"][1]["control"]["filter"].as_str(),
            Some("tustin")
        );
        assert_eq!(found["flow"][1]["control"]["tick"].as_str(), Some("10 ms"));
        let media = table("name = \"tfrc-veno\"\nwmax = 64");
        assert_eq!(of(2, "rate_control"), Some(media));
        // The default itself stays as it was.
        assert_eq!(found["tcp"]["control"].as_str(), Some("veno"));
    }

    #[test]
    fn flows_are_found_by_their_source() {
        let found = changed(r#"flow = [{ source = ["cbr"], set = { packet = "1 B" } }]"#);
        let packets = |flow: usize| found["flow"][flow].get("packet").is_some();
        assert_eq!([packets(0), packets(2), packets(3)], [false, false, true]);
        let found = changed(r#"flow = [{ source = ["pareto"], set = { packet = "1 B" } }]"#);
        assert!(found["flow"][3].get("packet").is_none());
    }

    #[test]
    fn flows_are_found_by_name() {
        let found = changed(r#"flow = [{ name = ["s*", "third"], set = { start = "0 s" } }]"#);
        let starts = |flow: usize| found["flow"][flow].get("start").is_some();
        assert_eq!([starts(0), starts(1), starts(2)], [false, true, true]);
    }

    #[test]
    fn a_number_has_no_keys() {
        let changes = Changes {
            set: table(r#""flow.0.name.x.y" = 1"#),
            ..Changes::default()
        };
        // The name becomes a table: that is how parameters are added, and the scenario refuses it.
        let mut scenario: toml::Table = SCENARIO.parse().expect("a table");
        assert_eq!(changes.apply(&mut scenario), Ok(()));
        let changes = Changes {
            set: table(r#""flow.9.name" = 1"#),
            ..Changes::default()
        };
        assert_eq!(changes.apply(&mut scenario), Err("flow.9.name".to_owned()));
    }
}
