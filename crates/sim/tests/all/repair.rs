//! A link that retransmits and aggregates, compared with a slow model of one link: a list of what happens to each
//! packet, and a search through all of them whenever the link is free.

use dumbbell_sim::loss::Recorded;
use dumbbell_sim::{
    Aggregate, Arq, Arrived, Cause, EndpointId, Gone, Host, Kind, Kinds, Link, LinkStatistics,
    Loss, LossModel, Port, Queue, Simulation, Time, Topology, Transmission,
};
use proptest::prelude::*;

/// 8 Mb/s: 1 us per byte.
const RATE: u64 = 8_000_000;
const DELAY: u64 = 1_000_000;

#[derive(Clone, Debug)]
struct Setup {
    limit: u32,
    arq: Option<Arq>,
    aggregate: Option<Aggregate>,
    /// Whether each attempt is lost, over and over again; for bursts that are lost as a whole, each burst.
    lost: Vec<bool>,
    /// When each packet arrives, and its bytes.
    packets: Vec<(u64, u16)>,
}

#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// The number of each packet, and when it leaves the link, in this order.
    arrivals: Vec<(u32, u64)>,
    lost: Vec<u32>,
    dropped: Vec<u32>,
    retransmitted: u64,
}

/// What is known of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It has not arrived at the link, or waits for its first attempt.
    Fresh,
    /// It can be sent again from this moment on.
    Failed(u64),
    /// Its last attempt ended at this moment, and whether that was a success.
    Over(u64, bool),
    Dropped,
}

/// The model: looks at all packets whenever something can start.
fn modelled(setup: &Setup) -> Outcome {
    let mut states = vec![State::Fresh; setup.packets.len()];
    let mut attempts = vec![0_u32; setup.packets.len()];
    let mut order = Vec::new();
    let mut ended = Vec::new();
    let mut left = None;
    let mut free_at = 0;
    let mut draws = 0;
    let mut admitted = 0;
    let retries = setup.arq.map_or(0, |arq| arq.retries);
    let rtt = setup.arq.map_or(0, |arq| arq.rtt.as_nanos());
    loop {
        // Everybody who arrives before the next start is admitted or dropped first.
        let waiting = |states: &[State], attempts: &[u32], left, admitted| {
            (0..admitted)
                .filter(|&k| states[k] == State::Fresh && attempts[k] == 0 && Some(k) != left)
                .collect::<Vec<usize>>()
        };
        let first_failed = |states: &[State]| {
            let failed = states.iter().filter_map(|state| match state {
                State::Failed(ready) => Some(*ready),
                _ => None,
            });
            failed.min()
        };
        let start = loop {
            let fresh = waiting(&states, &attempts, left, admitted);
            let ready = match (fresh.first(), left) {
                (None, None) => first_failed(&states),
                (_, Some(_)) => Some(0),
                (Some(&k), None) => {
                    let at = setup.packets[k].0;
                    Some(first_failed(&states).map_or(at, |failed| failed.min(at)))
                }
            };
            let start = ready.map(|ready| ready.max(free_at));
            let Some(&(at, _)) = setup.packets.get(admitted) else {
                break start;
            };
            if start.is_some_and(|start| start < at) {
                break start;
            }
            let in_transmission = usize::from(free_at > at);
            if fresh.len() + in_transmission >= setup.limit as usize {
                states[admitted] = State::Dropped;
            }
            admitted += 1;
        };
        let Some(start) = start else { break };
        // Packets that have failed go first, the one that failed first before others.
        let mut burst: Vec<usize> = Vec::new();
        let (most, most_bytes, overhead) = match setup.aggregate {
            None => (1, u32::MAX, 0),
            Some(all) => (all.packets, all.bytes, all.overhead.as_nanos()),
        };
        let mut bytes = 0;
        let mut taken = left.take();
        while burst.len() < most as usize {
            let next = taken.take().or_else(|| {
                let failed = (0..admitted).filter_map(|k| match states[k] {
                    State::Failed(ready) if ready <= start => {
                        let failure = ended.iter().rposition(|&(packet, _)| packet == k);
                        Some((ready, failure, k))
                    }
                    _ => None,
                });
                let failed = failed.min().map(|(_, _, k)| k);
                let fresh = || {
                    waiting(&states, &attempts, None, admitted)
                        .into_iter()
                        .find(|&k| !burst.contains(&k) && setup.packets[k].0 <= start)
                };
                failed.or_else(fresh)
            });
            let Some(k) = next else { break };
            let size = u32::from(setup.packets[k].1);
            if attempts[k] == 0 && !order.contains(&k) {
                order.push(k);
            }
            if !burst.is_empty() && bytes + size > most_bytes {
                left = Some(k);
                states[k] = State::Fresh;
                break;
            }
            states[k] = State::Fresh;
            attempts[k] += 1;
            bytes += size;
            burst.push(k);
        }
        free_at = start + overhead + u64::from(bytes) * 1_000;
        let together = setup.aggregate.is_some_and(|all| all.all_or_none);
        for (place, &k) in burst.iter().enumerate() {
            if place > 0 && !together || place == 0 {
                draws += 1;
            }
            let lost = setup.lost[(draws - 1) % setup.lost.len()];
            ended.push((k, free_at));
            states[k] = match lost {
                false => State::Over(free_at, true),
                true if attempts[k] <= retries => State::Failed(free_at + rtt),
                true => State::Over(free_at, false),
            };
        }
    }
    deliver(setup, &states, &attempts, &order, &ended)
}

/// What happens at the far end.
fn deliver(
    setup: &Setup,
    states: &[State],
    attempts: &[u32],
    order: &[usize],
    ended: &[(usize, u64)],
) -> Outcome {
    let over = |k: usize| match states[k] {
        State::Over(at, success) => Some((at + DELAY, success)),
        _ => None,
    };
    let mut arrivals = Vec::new();
    if setup.arq.is_some_and(|arq| arq.in_order) {
        let mut last = 0;
        for &k in order {
            let (due, success) = over(k).unwrap();
            last = last.max(due);
            if success {
                arrivals.push((k as u32, last));
            }
        }
    } else {
        for &(k, at) in ended {
            if over(k) == Some((at + DELAY, true)) {
                arrivals.push((k as u32, at + DELAY));
            }
        }
    }
    arrivals.sort_by_key(|&(_, at)| at);
    let which = |wanted: fn(&State) -> bool| {
        let all = states.iter().enumerate().filter(|(_, state)| wanted(state));
        all.map(|(k, _)| k as u32).collect()
    };
    Outcome {
        arrivals,
        lost: which(|state| matches!(state, State::Over(_, false))),
        dropped: which(|state| *state == State::Dropped),
        retransmitted: attempts
            .iter()
            .map(|&n| u64::from(n.saturating_sub(1)))
            .sum(),
    }
}

struct Source {
    packets: Vec<(u64, u16)>,
    next: usize,
    outcome: Outcome,
}

impl Host for Source {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, _: EndpointId, packet: Arrived<u32>) {
        let arrival = (packet.payload, net.now().as_nanos());
        self.outcome.arrivals.push(arrival);
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        let now = net.now().as_nanos();
        while let Some(&(at, bytes)) = self.packets.get(self.next) {
            if at > now {
                return net.set_timer(endpoint, Some(Time::from_nanos(at)));
            }
            net.send(endpoint, bytes, Kind::new(0), self.next as u32);
            self.next += 1;
        }
    }

    fn discard(&mut self, payload: u32, Gone { cause, .. }: Gone) {
        match cause {
            Cause::Lost => self.outcome.lost.push(payload),
            _ => self.outcome.dropped.push(payload),
        }
    }
}

/// The engine, with this setup.
fn simulated(setup: &Setup) -> (Outcome, LinkStatistics) {
    let mut topology = Topology::new();
    let (a, b) = (topology.node(), topology.node());
    let queue = Queue::DropTail { limit: setup.limit };
    let link = Link::new("link", a, b, RATE, Time::from_nanos(DELAY))
        .queue(queue)
        .measuring_sojourns();
    let own = Transmission {
        arq: setup.arq,
        aggregate: setup.aggregate,
        ..Transmission::default()
    };
    let link = topology.link(link.transmission(own).loss(Loss {
        model: LossModel::Recorded(Recorded {
            lost: setup.lost.clone().into(),
        }),
        kinds: Kinds::ALL,
    }));
    let (from, _) = topology.one_way(a, b);
    let source = Source {
        packets: setup.packets.clone(),
        next: 0,
        outcome: Outcome::default(),
    };
    let mut simulation = Simulation::new(&topology, source, 1, Time::from_secs(1_000)).unwrap();
    simulation.set_timer(from, Some(Time::ZERO));
    simulation.run();
    let counters = simulation.link(link);
    let mut outcome = simulation.into_host().outcome;
    outcome.lost.sort_unstable();
    outcome.dropped.sort_unstable();
    outcome.retransmitted = counters.retransmitted;
    (outcome, counters)
}

fn setup() -> impl Strategy<Value = Setup> {
    let arq = (0_u32..4, 0_u64..9_000, any::<bool>()).prop_map(|(retries, rtt, in_order)| Arq {
        retries,
        rtt: Time::from_micros(rtt),
        in_order,
    });
    let aggregate = (1_u32..7, 500_u32..6_000, 0_u64..900, any::<bool>()).prop_map(
        |(packets, bytes, overhead, all_or_none)| Aggregate {
            packets,
            bytes,
            overhead: Time::from_micros(overhead),
            all_or_none,
        },
    );
    (
        1_u32..30,
        proptest::option::of(arq),
        proptest::option::of(aggregate),
        // At least one attempt succeeds.
        proptest::collection::vec(proptest::bool::weighted(0.3), 0..40),
        proptest::collection::vec((0_u64..3_000, 40_u16..1_500), 1..80),
    )
        .prop_map(|(limit, arq, aggregate, mut lost, packets)| {
            lost.push(false);
            let mut at = 0;
            // Nanoseconds of its own for each arrival: no two things happen at the same time.
            let packets = packets.into_iter().enumerate().map(|(k, (gap, bytes))| {
                at += gap;
                (at * 1_000 + k as u64, bytes)
            });
            Setup {
                limit,
                arq,
                aggregate,
                lost,
                packets: packets.collect(),
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_link_that_repairs_does_what_the_model_says(setup in setup()) {
        // A link without either is not driven in this way.
        prop_assume!(setup.arq.is_some() || setup.aggregate.is_some());
        let (outcome, counters) = simulated(&setup);
        prop_assert_eq!(&outcome, &modelled(&setup));
        let all = outcome.arrivals.len() + outcome.lost.len() + outcome.dropped.len();
        prop_assert_eq!(all, setup.packets.len());
        prop_assert_eq!(counters.dropped, outcome.dropped.len() as u64);
        // Each packet waits once, however often it is sent.
        let started = setup.packets.len() - outcome.dropped.len();
        let waited = counters.sojourn.map_or(0, |sojourn| sojourn.packets);
        prop_assert_eq!(waited, started as u64);
    }
}
