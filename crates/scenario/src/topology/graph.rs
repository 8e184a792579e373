//! A graph of nodes and links.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::aqt::{self, AqtRouters};
use super::refuse;
use crate::document::{Node, Table};
use crate::form::value::{array, name, table};
use crate::form::{Form, range};
use crate::link::{self, Duplex, Link, LinkPatch, MISPLACED, Usual};
use crate::names::{self, Names};
use crate::place::Place;
use crate::quantity::clip;
use crate::suggest;
use crate::text::{self, Lines, quote};

/// Nodes and the links between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The names of the nodes, in the order in which they first appear in the links.
    pub nodes: Vec<String>,
    /// The links, in the order of the file.
    pub links: Vec<GraphLink>,
}

/// A link of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLink {
    /// Its name, different from that of any other link.
    pub name: String,
    /// Index of its first end in [`Graph::nodes`].
    pub from: usize,
    /// Index of its second end, which is another node.
    pub to: usize,
    /// The direction from `from` to `to`.
    pub forward: Link,
    /// The opposite direction; `None` if the link is one-way.
    pub reverse: Option<Link>,
}

impl Graph {
    /// Returns whether there is a path of links from one node to another.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        let mut reached = vec![false; self.nodes.len()];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            for link in &self.links {
                if link.from == node {
                    waiting.push(link.to);
                }
                if link.to == node && link.reverse.is_some() {
                    waiting.push(link.from);
                }
            }
        }
        reached[to]
    }

    /// Writes the links.
    pub(super) fn write(&self, out: &mut Lines) {
        for link in &self.links {
            out.head("[[graph.link]]");
            out.set("name", quote(&link.name));
            out.set("from", quote(&self.nodes[link.from]));
            out.set("to", quote(&self.nodes[link.to]));
            out.set_all(link.forward.write());
            let reverse = link.reverse.as_ref();
            let reverse = reverse.map_or(quote(ONE_WAY), |link| text::table(&link.write()));
            out.set(link::REVERSE, reverse);
        }
    }

    fn number(&mut self, name: &str) -> usize {
        self.nodes
            .iter()
            .position(|node| node == name)
            .unwrap_or_else(|| {
                self.nodes.push(name.to_owned());
                self.nodes.len() - 1
            })
    }
}

/// The key in files.
pub(super) const KEY: &str = "graph";
/// The keys of the table.
pub(super) const KEYS: [&str; 2] = ["link", aqt::KEY];
/// The value of `reverse` for a one-way link.
const ONE_WAY: &str = "none";
const EXAMPLE: &str = "[{ from = \"a\", to = \"b\", rate = \"2 Mb/s\", delay = \"10 ms\" }]";
/// The permitted numbers of links.
const LINKS: RangeInclusive<usize> = 1..=10_000;

/// Reads the table `graph`.
pub(crate) fn read(node: &Node<'_>) -> Option<Graph> {
    let misplaced = [
        ("links", "each link is a table [[graph.link]]"),
        ("nodes", "nodes are implied by the links"),
    ];
    let table = node.table(&KEYS, &misplaced, "{ link = [...] }")?;
    let array = table
        .need(
            "link",
            "a table [[graph.link]] with from, to, rate and delay",
        )?
        .called("graph.link");
    let links = array.array(EXAMPLE)?;
    if !LINKS.contains(&links.len()) {
        array.wrong(
            format!("the graph has {} links", links.len()),
            format!("it has from {} to {}", LINKS.start(), LINKS.end()),
        );
        return None;
    }
    let mut graph = Graph {
        nodes: Vec::new(),
        links: Vec::new(),
    };
    let mut labels = Names::new("link");
    let mut complete = true;
    let aqt = AqtRouters::read(&table);
    for link in &links {
        complete &= read_link(link, &mut graph, &mut labels, &aqt).is_some();
    }
    AqtRouters::check(&table, &graph.nodes);
    for (link, name) in graph.links.iter_mut().zip(labels.settle()) {
        link.name = name;
    }
    complete.then_some(graph)
}

fn read_link(
    node: &Node<'_>,
    graph: &mut Graph,
    labels: &mut Names,
    aqt: &AqtRouters,
) -> Option<()> {
    let table = node.table(
        &[&["from", "to", "name"], &link::keys()[..]].concat(),
        &MISPLACED,
        &EXAMPLE[1..EXAMPLE.len() - 1],
    )?;
    let mut patch = LinkPatch::read(&table);
    let mut one_way = false;
    if let Some(reverse) = table.find(link::REVERSE) {
        one_way = reverse.as_text() == Some(ONE_WAY);
        if !one_way {
            patch.read_reverse(&reverse.called("graph.link.reverse"));
        }
    }
    for (key, example) in patch.lacks() {
        table.missing(key, example);
    }
    let from = table
        .need("from", "from = \"a\"")
        .and_then(|n| names::read(&n, names::NODE));
    let to = table
        .need("to", "to = \"b\"")
        .and_then(|n| names::read(&n, names::NODE));
    let label = table
        .find("name")
        .map(|n| (names::read(&n, names::LONGEST), n));
    let (from, to) = (from?, to?);
    if from == to {
        table.find("to")?.wrong(
            format!("the link goes from `{}` to itself", clip(from)),
            "name two different nodes",
        );
    }
    match label {
        Some((given, node)) => labels.give(given?, &node),
        None => labels.propose(format!("{from}-{to}")),
    }
    let ends = [from, to].map(|end| aqt.has(end));
    let Duplex { forward, reverse } = patch.duplex(&Usual::of(ends))?;
    let (from, to) = (graph.number(from), graph.number(to));
    graph.links.push(GraphLink {
        name: String::new(),
        from,
        to,
        forward,
        reverse: (!one_way).then_some(reverse),
    });
    Some(())
}

/// Returns the ends of a flow. There must be a path for its data, and one back if it has ACKs.
pub(super) fn place(graph: &Graph, table: &Table<'_>, acks: bool) -> Option<Place> {
    refuse(
        table,
        &["direction"],
        "in a graph a flow goes `from` one node `to` another: from = \"a\", to = \"b\"",
    );
    refuse(
        table,
        &["access"],
        "in a graph the hosts are nodes, and their links are in `graph.link`",
    );
    let from = table
        .need("from", "from = \"a\"")
        .and_then(|n| end(graph, &n));
    let to = table.need("to", "to = \"b\"").and_then(|n| end(graph, &n));
    let (from, to) = (from?, to?);
    let node = table.find("to")?;
    if from == to {
        node.wrong(
            format!("the flow goes from `{}` to itself", graph.nodes[from]),
            "name two different nodes",
        );
        return None;
    }
    for (a, b, needed) in [(from, to, true), (to, from, acks)] {
        if needed && !graph.reaches(a, b) {
            let message = format!(
                "no links lead from `{}` to `{}`",
                clip(&graph.nodes[a]),
                clip(&graph.nodes[b])
            );
            let help = "a TCP flow needs a way for its data and one back, a UDP flow a way for its data; \
                        a link with reverse = \"none\" leads only one way";
            node.wrong(message, help);
            return None;
        }
    }
    Some(Place::Graph { from, to })
}

fn end(graph: &Graph, node: &Node<'_>) -> Option<usize> {
    let text = node.text("\"a\"")?;
    let found = graph.nodes.iter().position(|name| name == text);
    if found.is_none() {
        let names: Vec<&str> = graph.nodes.iter().take(30).map(String::as_str).collect();
        let message = format!(
            "`{}`: no link leads to a node `{}`",
            node.name(),
            clip(text)
        );
        node.wrong(message, suggest::help(text, "the nodes are", &names));
    }
    found
}

/// Writes the place of a flow.
pub(super) fn write_place(nodes: &[String], from: usize, to: usize, out: &mut Lines) {
    for (key, node) in [("from", from), ("to", to)] {
        // A place may be written without its graph, so that its nodes have no names.
        let name = nodes.get(node).map_or(node.to_string(), |name| quote(name));
        out.set(key, name);
    }
}

/// Returns the table as a schema.
pub(super) fn form() -> Form {
    let links = *LINKS.start() as u64..=*LINKS.end() as u64;
    let links = array(&link_form(), LINKS)
        .means("the links; the nodes are the ends that they name")
        .ranging(format!("{} links", range::of_numbers(&links)))
        .needed();
    table(&[("link", links), (aqt::KEY, aqt::form("r1"))]).means("any network")
}

fn link_form() -> Form {
    let end = |meaning: &str, example: &str| {
        name(names::NODE)
            .means(meaning)
            .needed()
            .such_as([json!(example)])
    };
    let label = name(names::LONGEST)
        .means("a name for people and tables, different from that of any other link")
        .otherwise("the ends, `\"a-b\"`; `\"a-b-2\"` if that is taken")
        .such_as([json!("downlink")]);
    let reverse = link::reverse_form()
        .or_word(ONE_WAY)
        .means("a table as for a link, or `\"none\"` for a link that leads one way only")
        .ranging("")
        .otherwise("as the first direction, but no loss");
    let mut forms = vec![
        ("from", end("the node at its first end", "r1")),
        ("to", end("the node at its other end", "r2")),
        ("name", label),
    ];
    forms.extend(link::forms_in_graph());
    forms.push((link::REVERSE, reverse));
    table(&forms).means("a link between two nodes")
}

/// Returns the rules for the flows in a graph, except that both ends must be set.
pub(super) fn of_flows() -> Value {
    json!({ "direction": false, "access": false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::BitRate;
    use dumbbell_control::units::Duration;

    fn graph(links: &[(usize, usize, bool)]) -> Graph {
        let link = Link::new(BitRate(1).into(), Duration::ZERO.into());
        let links = links.iter().map(|&(from, to, both)| GraphLink {
            name: format!("{from}-{to}"),
            from,
            to,
            forward: link.clone(),
            reverse: both.then(|| link.clone()),
        });
        Graph {
            nodes: (0..5).map(|n| n.to_string()).collect(),
            links: links.collect(),
        }
    }

    #[test]
    fn paths_follow_the_links_in_both_directions() {
        let graph = graph(&[(0, 1, true), (1, 2, true), (2, 0, true), (3, 4, true)]);
        assert!(graph.reaches(0, 2) && graph.reaches(2, 1) && graph.reaches(4, 3));
        assert!(!graph.reaches(0, 3) && !graph.reaches(4, 1));
    }

    #[test]
    fn one_way_links_are_followed_in_one_direction() {
        let graph = graph(&[(0, 1, false), (1, 2, true)]);
        assert!(graph.reaches(0, 2) && graph.reaches(2, 1));
        assert!(!graph.reaches(2, 0) && !graph.reaches(1, 0));
    }
}
