//! The network as the engine runs it. Routes are one flat array of hops. Links are renumbered so that
//! those with an entry in the scheduler come first. Hops are merged where this cannot be observed.
//!
//! **Merging.** If every packet of link B comes from link A, then B receives A's packets in A's order,
//! at times that are known when the packets enter A. Therefore B is run immediately, with those times,
//! and the event between the two is left out. If A's queue decides at departure, the same holds from the
//! moment when a packet's departure is decided. This is exact for four reasons. What departs on A arrives in
//! that order (packets in flight do not overtake). B's queue and random numbers depend only on B's own
//! arrivals. B's queue is not observed in between (B is not watched). Counters use the logical times. Chains
//! of any length are merged in the same way.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::hop::Hop;
use super::route::routes;
use super::{Endpoint, Link, Topology, TopologyError};
use crate::lane::{LANES, Sharing};
use crate::queue::Queue;

/// The lane of a link that shares its FIFO with no other link.
pub(crate) const ALONE: u8 = u8::MAX - 1;

/// The lane of a link on which several packets may reach the end at the same time, so that only its own
/// FIFO knows their order.
pub(crate) const OWN: u8 = u8::MAX;

/// What the engine needs to know about a topology.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The topology's number of each link, in the order of the engine's numbers.
    pub order: Vec<u32>,
    /// The engine's number of each link, in the order of the topology's numbers.
    pub numbers: Vec<u32>,
    /// The number of links with an entry in the scheduler; these have the lowest engine numbers. They
    /// keep their order, so events have the same order whether or not hops are merged.
    pub scheduled: u32,
    /// Links that schedule their departures, by their engine numbers.
    pub departing: Vec<u32>,
    /// Links that schedule arrivals, because packets in flight may change their order.
    pub landing: Vec<u32>,
    /// The lane that each of the scheduled links shares with others, or `ALONE`, or `OWN`.
    pub lanes: Vec<u8>,
    /// Whether the state of the network may be larger than the processor's cache.
    pub large: bool,
    /// All routes, one after the other, each followed by an end mark.
    pub hops: Vec<Hop>,
    /// The index in `hops` at which the route of each endpoint begins; `None` if it only receives.
    pub starts: Vec<Option<u32>>,
    /// The longest time that a packet usually stays in one scheduled hop, in nanoseconds.
    pub longest: u64,
    /// Approximate mean time between two events when the network is busy, in nanoseconds.
    pub gap: u64,
}

impl Plan {
    pub fn new(topology: &Topology, merge: bool, sharing: Sharing) -> Result<Self, TopologyError> {
        check(topology)?;
        let Topology {
            nodes,
            links,
            endpoints,
        } = topology;
        let routes = routes(*nodes, links, endpoints)?;
        let merged = merged(links, &routes, merge);
        let scheduled = scheduled(links, &routes, &merged);
        let large = match sharing {
            Sharing::Automatic => endpoints.len() >= LARGE,
            Sharing::Always => true,
            Sharing::Never => false,
        };

        let mut order: Vec<u32> = (0..links.len() as u32).collect();
        order.sort_by_key(|&link| !scheduled[link as usize]);
        let mut numbers = vec![0; links.len()];
        for (number, &link) in (0..).zip(&order) {
            numbers[link as usize] = number;
        }

        let mut hops = Vec::new();
        let mut starts = Vec::new();
        for (endpoint, route) in (0..).zip(&routes) {
            starts.push((!route.is_empty()).then_some(hops.len() as u32));
            if route.is_empty() {
                continue;
            }
            hops.extend(
                route
                    .iter()
                    .map(|&link| Hop::link(numbers[link as usize], merged[link as usize])),
            );
            hops.push(Hop::end(endpoint ^ 1));
        }
        let departs = |&number: &u32| {
            let link = order[number as usize];
            links[link as usize].decides_at_departure()
        };
        let lands = |&number: &u32| links[order[number as usize] as usize].is_unordered();
        Ok(Self {
            landing: (0..links.len() as u32).filter(lands).collect(),
            departing: (0..links.len() as u32).filter(departs).collect(),
            large,
            lanes: lanes(links, &routes, &merged, &scheduled, sharing),
            order,
            numbers,
            scheduled: scheduled.iter().filter(|&&yes| yes).count() as u32,
            hops,
            starts,
            longest: longest(links, &routes, &merged),
            gap: gap(links, &routes, &scheduled),
        })
    }
}

/// Checks everything except routes.
pub(super) fn check(topology: &Topology) -> Result<(), TopologyError> {
    let Topology {
        nodes,
        links,
        endpoints,
    } = topology;
    for link in links {
        let name = || link.name.clone();
        if link.from.0.max(link.to.0) >= *nodes {
            return Err(TopologyError::UnknownNode { link: name() });
        }
        if link.rate == 0 {
            return Err(TopologyError::ZeroRate { link: name() });
        }
        if link.queue.limit() == 0 {
            return Err(TopologyError::ZeroQueue { link: name() });
        }
        if let Some(reason) = link.queue.fault() {
            return Err(TopologyError::Queue {
                link: name(),
                reason,
            });
        }
        if let Some(reason) = link.policer.and_then(|policer| policer.fault()) {
            return Err(TopologyError::Policer {
                link: name(),
                reason,
            });
        }
        let transmission = link.transmission.as_ref();
        if let Some(reason) = transmission.and_then(|own| own.fault(link.opportunities.is_some())) {
            return Err(TopologyError::Transmission {
                link: name(),
                reason,
            });
        }
        if let Some(reason) = link.flight.as_ref().and_then(|flight| flight.fault()) {
            return Err(TopologyError::Flight {
                link: name(),
                reason,
            });
        }
        if let Some(reason) = link.loss.as_ref().and_then(|loss| loss.model.fault()) {
            return Err(TopologyError::Loss {
                link: name(),
                reason,
            });
        }
    }
    let stray = |endpoint: &Endpoint| endpoint.node.0 >= *nodes;
    match endpoints.iter().position(stray) {
        Some(endpoint) => Err(TopologyError::UnknownEndpointNode { endpoint }),
        None => Ok(()),
    }
}

/// Returns whether each link is run together with the one before it.
fn merged(links: &[Link], routes: &[Vec<u32>], merge: bool) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Before {
        Unused,
        Only(u32),
        Various,
    }
    let mut before = vec![Before::Unused; links.len()];
    for route in routes {
        if let Some(&first) = route.first() {
            before[first as usize] = Before::Various;
        }
        for pair in route.windows(2) {
            let entry = &mut before[pair[1] as usize];
            *entry = match *entry {
                Before::Unused => Before::Only(pair[0]),
                Before::Only(link) if link == pair[0] => Before::Only(link),
                _ => Before::Various,
            };
        }
    }
    let known = |before: u32| !links[before as usize].is_unordered();
    let single = |(before, link): (&Before, &Link)| {
        merge && matches!(*before, Before::Only(before) if known(before)) && !link.watched
    };
    before.iter().zip(links).map(single).collect()
}

/// Returns whether packets are ever stored in each link: whether any route ends after it or continues on
/// a link that is not merged.
fn scheduled(links: &[Link], routes: &[Vec<u32>], merged: &[bool]) -> Vec<bool> {
    let mut scheduled = vec![false; links.len()];
    for route in routes {
        let next = route.iter().skip(1).map(|&link| !merged[link as usize]);
        for (&link, stored) in route.iter().zip(next.chain([true])) {
            scheduled[link as usize] |= stored;
        }
    }
    scheduled
}

/// From this number of endpoints on, fetching state early saves more time than it takes.
const LARGE: usize = 5_000;

/// The smallest number of links for which lanes pay off: a small tree costs less than comparing all
/// lanes.
const WORTHWHILE: usize = 64;

/// Returns the lane of each scheduled link, in their order. Similar links with the same neighbours share
/// one. A wrong guess costs time but changes no result.
fn lanes(
    links: &[Link],
    routes: &[Vec<u32>],
    merged: &[bool],
    scheduled: &[bool],
    sharing: Sharing,
) -> Vec<u8> {
    let mut before = vec![u32::MAX; links.len()];
    let mut after = vec![u32::MAX; links.len()];
    for pair in routes.iter().flat_map(|route| route.windows(2)) {
        if merged[pair[1] as usize] {
            before[pair[1] as usize] = pair[0];
        }
        after[pair[0] as usize] = pair[1];
    }
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let numbered = (0..links.len()).filter(|&link| scheduled[link]);
    for (number, link) in numbered.enumerate() {
        if has_own_order(&links[link]) {
            continue;
        }
        let Link { rate, delay, .. } = links[link];
        alike
            .entry((before[link], after[link], rate, delay))
            .or_default()
            .push(number);
    }
    let mut groups: Vec<Vec<usize>> = alike
        .into_values()
        .filter(|group| group.len() > 1)
        .collect();
    groups.sort_by_key(|group| (Reverse(group.len()), group[0]));
    let lone = |link: usize| {
        if has_own_order(&links[link]) {
            OWN
        } else {
            ALONE
        }
    };
    let mut lanes: Vec<u8> = (0..links.len())
        .filter(|&link| scheduled[link])
        .map(lone)
        .collect();
    let members: usize = groups.iter().map(Vec::len).sum();
    let shared = match sharing {
        Sharing::Automatic => members >= WORTHWHILE,
        Sharing::Always => true,
        Sharing::Never => false,
    };
    if !shared {
        return lanes;
    }
    for (lane, group) in (0..).zip(groups.iter().take(LANES)) {
        for &number in group {
            lanes[number] = lane;
        }
    }
    lanes
}

/// Whether packets may reach the end of a link at the same time, or are not on their way when they arrive.
fn has_own_order(link: &Link) -> bool {
    link.decides_at_departure() || !link.is_steady() || link.flight.is_some()
}

/// Queues are rarely longer than this, even if their limit is higher.
const USUAL_WAIT: u64 = 250_000_000;

fn longest(links: &[Link], routes: &[Vec<u32>], merged: &[bool]) -> u64 {
    let mut longest = 0;
    for route in routes {
        let mut chain = 0_u64;
        for &link in route {
            let state = &links[link as usize];
            let full = match state.queue {
                Queue::Unlimited => 0,
                queue => {
                    u128::from(queue.limit()) * 12_000 * 1_000_000_000 / u128::from(state.rate)
                }
            };
            let wait = full.min(u128::from(USUAL_WAIT)) as u64;
            let hop = state.delay.as_nanos().saturating_add(wait);
            chain = if merged[link as usize] {
                chain.saturating_add(hop)
            } else {
                hop
            };
            longest = longest.max(chain);
        }
    }
    longest
}

/// Estimates the time between events for packets of 1000 bytes, an ACK for each packet, and a fair share
/// of every link.
fn gap(links: &[Link], routes: &[Vec<u32>], scheduled: &[bool]) -> u64 {
    let mut sharing = vec![0_u32; links.len()];
    for &link in routes.iter().flatten() {
        sharing[link as usize] += 1;
    }
    let share = |&link: &u32| {
        let share = links[link as usize].rate as f64 / f64::from(sharing[link as usize]);
        share / 8_000.0
    };
    let mut events = 0.0;
    for pair in routes.chunks(2) {
        let both = || pair.iter().flatten();
        let packets = both().map(share).fold(f64::INFINITY, f64::min);
        let stored = both().filter(|&&link| scheduled[link as usize]).count();
        if stored > 0 {
            events += packets * stored as f64;
        }
    }
    // The cast saturates: without events the gap is the largest number.
    (1e9 / events) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::time::Time;

    /// Three hosts per side, 100 Mb/s and 1 ms; 12 Mb/s and 10 ms between the routers. Links 0 and 1 are
    /// the bottleneck and its reverse link; then each pair has the links in, out, back and home.
    fn dumbbell(watched: bool) -> Topology {
        let mut t = Topology::new();
        let [left, right] = [(); 2].map(|()| t.node());
        let link = |t: &mut Topology, from: NodeId, to: NodeId, rate, ms| {
            let link = Link::new("l", from, to, rate, Time::from_millis(ms));
            let queue = Queue::DropTail { limit: 50 };
            t.link(Link { watched, ..link }.queue(queue));
        };
        link(&mut t, left, right, 12_000_000, 10);
        link(&mut t, right, left, 12_000_000, 10);
        for _ in 0..3 {
            let (a, b) = (t.node(), t.node());
            link(&mut t, a, left, 100_000_000, 1);
            link(&mut t, right, b, 100_000_000, 1);
            link(&mut t, b, right, 100_000_000, 1);
            link(&mut t, left, a, 100_000_000, 1);
            t.connect(a, b);
        }
        t
    }

    #[test]
    fn the_last_hops_of_a_dumbbell_are_merged() {
        let plan = Plan::new(&dumbbell(false), true, Sharing::Automatic).unwrap();
        // The bottleneck never stores a packet: it hands packets directly to a link out.
        assert_eq!(plan.scheduled, 12);
        assert_eq!(plan.order[12..], [0, 1]);
        assert_eq!(plan.order[..12], (2..14).collect::<Vec<u32>>());
        let route = &plan.hops[..4];
        let merged: Vec<bool> = route.iter().map(|hop| hop.is_merged()).collect();
        assert_eq!(merged, [false, false, true, false]);
        let links: Vec<u32> = route[..3].iter().map(|hop| hop.link_number()).collect();
        assert_eq!(links, [0, 12, 1]);
        assert_eq!(route[3].endpoint(), Some(1));
        assert_eq!(plan.starts[..3], [Some(0), Some(4), Some(8)]);
    }

    #[test]
    fn links_that_are_alike_share_a_lane() {
        let lanes = |sharing| Plan::new(&dumbbell(false), true, sharing).unwrap().lanes;
        // In, out, back and home of three pairs: all in, all out, all back, all home.
        assert_eq!(lanes(Sharing::Always), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(lanes(Sharing::Never), [ALONE; 12]);
        assert_eq!(
            lanes(Sharing::Automatic),
            [ALONE; 12],
            "too few to be worth it"
        );
    }

    #[test]
    fn watched_links_are_not_merged() {
        let plan = Plan::new(&dumbbell(true), true, Sharing::Automatic).unwrap();
        assert_eq!(plan.scheduled, 14);
        assert!(plan.hops.iter().all(|hop| !hop.is_merged()));
    }

    #[test]
    fn merging_can_be_switched_off() {
        let plan = Plan::new(&dumbbell(false), false, Sharing::Automatic).unwrap();
        assert_eq!(plan.scheduled, 14);
        assert!(plan.hops.iter().all(|hop| !hop.is_merged()));
    }

    #[test]
    fn a_start_or_a_second_predecessor_prevents_merging() {
        // A chain a - b - c - d with links 0, 1, 2, first with a route over all of them only.
        let mut t = Topology::new();
        let nodes = [(); 4].map(|()| t.node());
        for pair in nodes.windows(2) {
            t.link(Link::new("l", pair[0], pair[1], 1_000, Time::ZERO));
        }
        t.one_way(nodes[0], nodes[3]);
        let merged_hops = |t: &Topology| {
            let plan = Plan::new(t, true, Sharing::Automatic).unwrap();
            plan.hops.iter().filter(|hop| hop.is_merged()).count()
        };
        assert_eq!(merged_hops(&t), 2);
        t.one_way(nodes[1], nodes[3]);
        // A route starts at link 1 now; link 2 still follows link 1 alone, on both routes.
        assert_eq!(merged_hops(&t), 2);
        let x = t.node();
        t.link(Link::new("l", x, nodes[2], 1_000, Time::ZERO));
        t.one_way(x, nodes[3]);
        assert_eq!(merged_hops(&t), 0);
    }

    /// The longest stay: 50 packets of 12,000 bits at 12 Mb/s are 50 ms, plus 10 ms of delay; then 50
    /// packets at 100 Mb/s are 6 ms, plus 1 ms. Each flow gets a third of 12 Mb/s, 500 packets a second,
    /// and its data packets and ACKs are each stored twice: 6,000 events a second.
    #[test]
    fn estimates() {
        let plan = Plan::new(&dumbbell(false), true, Sharing::Automatic).unwrap();
        assert_eq!(plan.longest, 67_000_000);
        assert_eq!(plan.gap, 166_666);
    }

    #[test]
    fn mistakes_are_named() {
        let fault = |change: fn(&mut Topology)| {
            let mut t = dumbbell(false);
            change(&mut t);
            Plan::new(&t, true, Sharing::Automatic).unwrap_err()
        };
        let link = || "l".to_owned();
        assert_eq!(
            fault(|t| t.links[3].rate = 0),
            TopologyError::ZeroRate { link: link() }
        );
        assert_eq!(
            fault(|t| t.links[3].queue = Queue::DropTail { limit: 0 }),
            TopologyError::ZeroQueue { link: link() }
        );
        assert_eq!(
            fault(|t| t.links[3].to = NodeId(99)),
            TopologyError::UnknownNode { link: link() }
        );
        assert_eq!(
            fault(|t| t.endpoints[4].node = NodeId(99)),
            TopologyError::UnknownEndpointNode { endpoint: 4 }
        );
    }
}
