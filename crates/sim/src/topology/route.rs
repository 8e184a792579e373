//! Static routes: shortest paths.
//!
//! The last part of a path has no alternative while the nodes on it have a single incoming link. Only
//! the part before it is searched, once for all paths that share the node where the fixed part begins. A
//! dumbbell with ten thousand hosts therefore needs two searches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Endpoint, Link, LinkId, Path, TopologyError};

/// Returns the links of every endpoint's route, in the order of the endpoints; empty for endpoints that
/// only receive.
pub(super) fn routes(
    nodes: u32,
    links: &[Link],
    endpoints: &[Endpoint],
) -> Result<Vec<Vec<u32>>, TopologyError> {
    let graph = Graph::new(nodes as usize, links);
    let mut routes = vec![Vec::new(); endpoints.len()];
    let mut searches = Vec::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        let (from, to) = (endpoint.node.0, endpoints[index ^ 1].node.0);
        match &endpoint.path {
            Path::None => {}
            Path::Explicit(path) => {
                routes[index] = explicit(path, links, from, to)
                    .ok_or(TopologyError::BrokenRoute { endpoint: index })?;
            }
            Path::Shortest => searches.push(Search {
                target: graph.forced_end(to),
                from,
                to,
                endpoint: index,
            }),
        }
    }
    searches.sort_unstable_by_key(|search| (search.target, search.endpoint));
    for group in searches.chunk_by(|a, b| a.target == b.target) {
        let tree = graph.towards(group[0].target);
        for search in group {
            routes[search.endpoint] = graph.path(&tree, search).ok_or(TopologyError::NoPath {
                endpoint: search.endpoint,
            })?;
        }
    }
    Ok(routes)
}

/// Checks an explicit route and returns its links; `None` if it does not lead from `from` to `to`.
fn explicit(path: &[LinkId], links: &[Link], from: u32, to: u32) -> Option<Vec<u32>> {
    let mut at = from;
    for id in path {
        let link = links.get(id.index())?;
        if link.from.0 != at {
            return None;
        }
        at = link.to.0;
    }
    (at == to && !path.is_empty()).then(|| path.iter().map(|id| id.0).collect())
}

/// One path to find.
struct Search {
    /// The node where the fixed part begins: every path to `to` passes through it.
    target: u32,
    from: u32,
    to: u32,
    endpoint: usize,
}

struct Graph<'a> {
    links: &'a [Link],
    /// The links into each node, in the order of their numbers.
    into: Vec<Vec<u32>>,
}

/// For every node, the next link towards a target, if there is a path.
type Tree = Vec<Option<u32>>;

impl<'a> Graph<'a> {
    fn new(nodes: usize, links: &'a [Link]) -> Self {
        let mut into = vec![Vec::new(); nodes];
        for (index, link) in (0..).zip(links) {
            into[link.to.index()].push(index);
        }
        Self { links, into }
    }

    /// Follows single incoming links backwards from a node, to a node with several or none.
    fn forced_end(&self, mut node: u32) -> u32 {
        // On a ring of single links the walk would not end; any node of the ring is a valid target.
        for _ in 0..self.into.len() {
            let &[only] = self.into[node as usize].as_slice() else {
                break;
            };
            node = self.links[only as usize].from.0;
        }
        node
    }

    /// Dijkstra's search, backwards from the target.
    fn towards(&self, target: u32) -> Tree {
        let mut next = vec![None; self.into.len()];
        let mut cost = vec![(u64::MAX, u32::MAX); self.into.len()];
        let mut heap = BinaryHeap::from([Reverse((0, 0, target))]);
        cost[target as usize] = (0, 0);
        while let Some(Reverse((delay, hops, node))) = heap.pop() {
            if (delay, hops) > cost[node as usize] {
                continue;
            }
            for &index in &self.into[node as usize] {
                let link = &self.links[index as usize];
                let from = link.from.index();
                let via = (
                    u64::saturating_add(delay, link.delay.as_nanos()),
                    hops + 1_u32,
                );
                if via < cost[from] {
                    heap.push(Reverse((via.0, via.1, link.from.0)));
                } else if via > cost[from] || next[from].is_none_or(|other| other < index) {
                    continue;
                }
                cost[from] = via;
                next[from] = Some(index);
            }
        }
        next
    }

    /// Returns the path along the tree to its root and then along the fixed part; `None` if there is no
    /// path or it is empty.
    fn path(&self, tree: &Tree, search: &Search) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        let mut tail = Vec::new();
        // The fixed part, backwards from the end: it may contain the whole path.
        let mut node = search.to;
        while node != search.target && node != search.from {
            let only = *self.into[node as usize].first()?;
            tail.push(only);
            node = self.links[only as usize].from.0;
        }
        let join = node;
        node = search.from;
        while node != join {
            let link = tree[node as usize]?;
            path.push(link);
            node = self.links[link as usize].to.0;
        }
        path.extend(tail.into_iter().rev());
        (!path.is_empty()).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::time::Time;
    use crate::topology::Topology;

    fn link(topology: &mut Topology, from: NodeId, to: NodeId, ms: u64) -> LinkId {
        topology.link(Link::new("l", from, to, 1_000, Time::from_millis(ms)))
    }

    fn of(topology: &Topology) -> Result<Vec<Vec<u32>>, TopologyError> {
        routes(topology.nodes, &topology.links, &topology.endpoints)
    }

    #[test]
    fn least_delay_then_fewest_links_then_lowest_number() {
        let mut t = Topology::new();
        let [a, b, c, d] = [(); 4].map(|()| t.node());
        link(&mut t, a, d, 9); // 0: direct but slow
        link(&mut t, a, b, 2); // 1
        link(&mut t, b, c, 2); // 2
        link(&mut t, c, d, 1); // 3
        link(&mut t, b, d, 3); // 4: the same delay as 2 and 3 with one link fewer
        link(&mut t, a, b, 2); // 5: the same as 1
        link(&mut t, d, a, 1); // 6
        t.connect(a, d);
        assert_eq!(of(&t), Ok(vec![vec![1, 4], vec![6]]));
    }

    #[test]
    fn parallel_links_and_explicit_routes() {
        let mut t = Topology::new();
        let [a, b] = [(); 2].map(|()| t.node());
        let slow = link(&mut t, a, b, 9);
        link(&mut t, a, b, 1);
        let back = link(&mut t, b, a, 1);
        let (first, _) = t.connect(a, b);
        assert_eq!(of(&t), Ok(vec![vec![1], vec![2]]));
        t.route(first, &[slow]);
        assert_eq!(of(&t), Ok(vec![vec![0], vec![2]]));
        for broken in [&[][..], &[back], &[slow, back], &[LinkId(9)]] {
            t.route(first, broken);
            let error = TopologyError::BrokenRoute { endpoint: 0 };
            assert_eq!(of(&t), Err(error));
        }
    }

    #[test]
    fn a_missing_path_names_its_endpoint() {
        let mut t = Topology::new();
        let [a, b, c] = [(); 3].map(|()| t.node());
        link(&mut t, a, b, 1);
        t.one_way(a, b);
        t.connect(a, b);
        assert_eq!(of(&t), Err(TopologyError::NoPath { endpoint: 3 }));
        let mut t2 = t.clone();
        t2.endpoints.truncate(2);
        t2.one_way(a, c);
        assert_eq!(of(&t2), Err(TopologyError::NoPath { endpoint: 2 }));
        let mut t3 = t.clone();
        t3.endpoints.truncate(2);
        t3.one_way(a, a);
        assert_eq!(of(&t3), Err(TopologyError::NoPath { endpoint: 2 }));
    }

    /// A one-way ring of four nodes: every node has a single incoming link.
    #[test]
    fn rings_of_single_links() {
        let mut t = Topology::new();
        let nodes = [(); 4].map(|()| t.node());
        for i in 0..4 {
            link(&mut t, nodes[i], nodes[(i + 1) % 4], 1);
        }
        t.connect(nodes[3], nodes[1]);
        assert_eq!(of(&t), Ok(vec![vec![3, 0], vec![1, 2]]));
    }

    /// Compares all pairs of a random graph with the exhaustive relaxation of Bellman and Ford.
    #[test]
    fn costs_are_least() {
        use crate::random::{Component, stream};
        let mut random = stream(3, Component::host(0, 0));
        for _ in 0..50 {
            let mut t = Topology::new();
            let nodes: Vec<NodeId> = (0..8).map(|_| t.node()).collect();
            let mut pick = |n: u64| random.next_u64() % n;
            for _ in 0..14 {
                let (from, to) = (nodes[pick(8) as usize], nodes[pick(8) as usize]);
                link(&mut t, from, to, pick(4));
            }
            let mut least = [[(u64::MAX, 0); 8]; 8];
            for (i, row) in least.iter_mut().enumerate() {
                row[i] = (0, 0);
            }
            for _ in 0..8 {
                for l in &t.links {
                    for row in &mut least {
                        let (delay, hops) = row[l.from.index()];
                        let via = (delay.saturating_add(l.delay.as_nanos()), hops + 1);
                        row[l.to.index()] = row[l.to.index()].min(via);
                    }
                }
            }
            for &from in &nodes {
                for &to in nodes.iter().filter(|&&to| to != from) {
                    let mut pair = t.clone();
                    pair.one_way(from, to);
                    let expected = least[from.index()][to.index()];
                    let found = of(&pair).map(|routes| {
                        let delay = |&l: &u32| t.links[l as usize].delay.as_nanos();
                        (routes[0].iter().map(delay).sum(), routes[0].len())
                    });
                    match found {
                        Ok(cost) => assert_eq!(cost, expected),
                        Err(_) => assert_eq!(expected.0, u64::MAX),
                    }
                }
            }
        }
    }
}
