//! Random networks, and a host that uses everything that a host may do.

mod restless;

use dumbbell_sim::loss::{Bernoulli, Geometric, GilbertElliott, TwoState};
use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_sim::{
    AckFilter, Aggregate, Arq, Bounded, CoDel, DualPi2, DualScheduler, EndpointId, Flight, Fq,
    FqCoDel, InService, Jitter, Kind, Kinds, Law, Limit, Link, Loss, LossModel, NodeId,
    Opportunities, Options, Pie, Policer, Queue, Red, Reorder, Shaper, Simulation, Steps, Time,
    Topology, Transmission, VaryingRate,
};

pub use restless::{Fate, Log, Payload, Restless};

/// A network with connections on it, and the end of the run.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub topology: Topology,
    pub endpoints: usize,
    /// Endpoints that must not send.
    pub silent: Vec<bool>,
    pub seed: u64,
    pub end: Time,
}

impl Scenario {
    /// Makes a network from this seed: a dumbbell, a chain with side flows or a ring with chords, with
    /// links of all kinds.
    pub fn random(seed: u64, flows: usize, lossy: bool) -> Self {
        let mut draw = Draw(stream(seed, Component::host(1, 0)));
        let mut topology = Topology::new();
        let mut links = Links {
            lossy,
            watched: draw.below(3) == 0,
            stamping: draw.below(2) == 0,
            holding: draw.below(2) == 0,
        };
        let mut pairs = Vec::new();
        match draw.below(3) {
            0 => {
                let (left, right) = (topology.node(), topology.node());
                links.duplex(&mut topology, &mut draw, left, right);
                for _ in 0..flows {
                    let (a, b) = (topology.node(), topology.node());
                    links.duplex(&mut topology, &mut draw, a, left);
                    links.duplex(&mut topology, &mut draw, right, b);
                    pairs.push((a, b));
                }
            }
            1 => {
                let chain: Vec<NodeId> = (0..6).map(|_| topology.node()).collect();
                for pair in chain.windows(2) {
                    links.duplex(&mut topology, &mut draw, pair[0], pair[1]);
                }
                for _ in 0..flows {
                    let from = draw.below(5) as usize;
                    let to = from + 1 + draw.below(5 - from as u64) as usize;
                    pairs.push((chain[from], chain[to]));
                }
            }
            _ => {
                let ring: Vec<NodeId> = (0..7).map(|_| topology.node()).collect();
                for i in 0..7 {
                    links.duplex(&mut topology, &mut draw, ring[i], ring[(i + 1) % 7]);
                }
                for _ in 0..3 {
                    let (from, to) = (draw.below(7) as usize, draw.below(7) as usize);
                    links.duplex(&mut topology, &mut draw, ring[from], ring[to]);
                }
                for _ in 0..flows {
                    let from = draw.below(7) as usize;
                    let to = (from + 1 + draw.below(6) as usize) % 7;
                    pairs.push((ring[from], ring[to]));
                }
            }
        }
        let mut silent = Vec::new();
        for (a, b) in pairs {
            let one_way = draw.below(4) == 0;
            if one_way {
                topology.one_way(a, b);
            } else {
                topology.connect(a, b);
            }
            silent.extend([false, one_way]);
        }
        Self {
            topology,
            endpoints: silent.len(),
            silent,
            seed,
            end: Time::from_nanos(1 + draw.below(60_000_000)),
        }
    }

    pub fn host(&self) -> Restless {
        Restless {
            links: self.topology.links().len(),
            silent: self.silent.clone(),
            draws: (0..self.endpoints as u32)
                .map(|index| Draw(stream(self.seed, Component::host(0, index))))
                .collect(),
            log: Log::default(),
            fates: Vec::new(),
            copies: 0,
            waited: 0,
        }
    }

    /// The first timers of the endpoints.
    pub fn starts(&self) -> impl Iterator<Item = (EndpointId, Time)> {
        let mut draw = Draw(stream(self.seed, Component::host(2, 0)));
        (0..self.endpoints).map(move |index| (EndpointId::from_index(index), draw.delay()))
    }

    pub fn simulation(&self, options: Options) -> Simulation<Restless> {
        let (host, seed, end) = (self.host(), self.seed, self.end);
        let mut simulation =
            Simulation::with_options(&self.topology, host, seed, end, options).unwrap();
        for (endpoint, at) in self.starts() {
            simulation.set_timer(endpoint, Some(at));
        }
        simulation
    }
}

struct Links {
    lossy: bool,
    watched: bool,
    stamping: bool,
    /// Whether queues may hold packets until they depart, and packets may be disturbed in flight.
    holding: bool,
}

impl Links {
    fn duplex(&mut self, topology: &mut Topology, draw: &mut Draw, a: NodeId, b: NodeId) {
        for (from, to) in [(a, b), (b, a)] {
            let link = self.link(draw, from, to);
            topology.link(link);
        }
    }

    fn link(&mut self, draw: &mut Draw, from: NodeId, to: NodeId) -> Link {
        let rates = [
            3_000_000,
            8_000_000,
            80_000_000,
            1_000_000_000,
            5_000_000_000_000,
        ];
        let rate = rates[draw.below(5) as usize];
        // Round numbers lead to many events at the same time.
        let delay = Time::from_nanos([0, 1, 500_000, 1_000_000, 9_999_999][draw.below(5) as usize]);
        let mut link = Link::new("link", from, to, rate, delay);
        link = link.queue(queue(draw, self.holding));
        if draw.below(3) == 0 {
            link = link.driven_by(opportunities(draw));
        }
        if self.holding && draw.below(4) == 0 {
            link = link.measuring_sojourns();
        }
        if self.holding && draw.below(6) == 0 {
            link = link.policed(Policer {
                rate: [500_000, 8_000_000][draw.below(2) as usize],
                burst: [500, 3_000][draw.below(2) as usize],
            });
        }
        if self.holding && draw.below(3) == 0 {
            link = link.flight(flight(draw));
        }
        if self.lossy && self.holding && draw.below(3) == 0 {
            let own = transmission(draw, link.opportunities.is_none());
            link = link.transmission(own);
        }
        if !self.lossy && self.holding && is_plain(&link) && draw.below(2) == 0 {
            // What the straightforward simulator knows.
            let mut own = transmission(draw, true);
            (own.aggregate, own.arq) = (None, None);
            link = link.transmission(own);
        }
        let own = link.transmission.as_ref();
        let retransmits = own.is_some_and(|own| own.arq.is_some());
        if self.watched && draw.below(4) == 0 {
            link = link.watched();
        }
        if self.stamping && draw.below(2) == 0 {
            link = link.stamping();
        }
        if self.lossy && (retransmits || draw.below(2) == 0) {
            let often = LossModel::Bernoulli(Bernoulli { probability: 0.3 });
            link = link.loss(Loss {
                model: if retransmits { often } else { model(draw) },
                kinds: [Kinds::ALL, Kinds::only(Kind::new(0))][draw.below(2) as usize],
            });
        }
        link
    }
}

/// Whether packets leave in the order in which they arrive, after a transmission at the link's rate.
fn is_plain(link: &Link) -> bool {
    let fifo = matches!(link.queue, Queue::Unlimited | Queue::DropTail { .. });
    fifo && link.opportunities.is_none() && !link.sojourns
}

/// Up to 20 per round, some at the same time, some at the start; for large and small packets.
fn opportunities(draw: &mut Draw) -> Opportunities {
    let gaps = [0, 0, 100_000, 500_000, 1_000_000, 3_000_000];
    let mut at = 0;
    let mut times: Vec<Time> = (0..draw.below(20))
        .map(|_| {
            at += gaps[draw.below(6) as usize];
            Time::from_nanos(at)
        })
        .collect();
    times.push(Time::from_nanos(
        at + [1_000, 500_000][draw.below(2) as usize],
    ));
    let bytes = [1500, 1500, 600, 40][draw.below(4) as usize];
    Opportunities::new(times, bytes).unwrap()
}

/// Rates over time, token buckets, requests, bursts and retransmission.
fn transmission(draw: &mut Draw, varying: bool) -> Transmission {
    let some = |draw: &mut Draw| draw.below(3) == 0;
    let mut own = Transmission::default();
    if varying && draw.below(2) == 0 {
        let mut at = 0;
        let mut steps = vec![(Time::ZERO, 8_000_000)];
        for _ in 0..draw.below(4) {
            at += 1 + draw.below(8);
            let rate = [0, 1_000_000, 80_000_000][draw.below(3) as usize];
            steps.push((Time::from_micros(at * 250), rate));
        }
        let period = (draw.below(2) == 0).then(|| Time::from_micros(at * 250 + 500));
        own.rate = Some(VaryingRate {
            steps: Steps::new(steps, period).unwrap(),
            in_service: [InService::Adapts, InService::Finishes][draw.below(2) as usize],
        });
    }
    own.shaper = some(draw).then(|| Shaper {
        rate: [1_000_000, 8_000_000][draw.below(2) as usize],
        burst: [500, 1000, 5000][draw.below(3) as usize],
    });
    if some(draw) {
        own.request = Time::from_micros(250 * draw.below(8));
    }
    own.aggregate = some(draw).then(|| Aggregate {
        packets: 1 + draw.below(6) as u32,
        bytes: [900, 3000, 65_535][draw.below(3) as usize],
        overhead: Time::from_micros(100 * draw.below(3)),
        all_or_none: draw.below(2) == 0,
    });
    own.arq = (draw.below(2) == 0).then(|| Arq {
        retries: draw.below(4) as u32,
        rtt: Time::from_micros(500 * draw.below(4)),
        in_order: draw.below(2) == 0,
    });
    own
}

/// Delays that rise and fall, with jitter, with packets out of order, twice and damaged.
fn flight(draw: &mut Draw) -> Flight {
    let ms = |ms: u64| Time::from_micros(ms * 250);
    let mut at = 0;
    let steps = (0..1 + draw.below(3)).map(|_| {
        let step = (
            ms(at),
            [0, 1, 250_000, 1_000_000, 3_000_000][draw.below(5) as usize],
        );
        at += 1 + draw.below(30);
        step
    });
    let steps: Vec<(Time, u64)> = steps.collect();
    let period = (draw.below(2) == 0).then(|| ms(at));
    let mut flight = Flight::new(Steps::new(steps, period).unwrap());
    flight.keep_order = draw.below(3) > 0;
    let correlation = [0.0, 0.0, 0.7][draw.below(3) as usize];
    flight.jitter = (draw.below(2) == 0).then(|| Jitter {
        law: match draw.below(2) {
            0 => Law::Uniform {
                from: ms(0),
                to: ms(draw.below(8)),
            },
            _ => Law::Normal {
                mean: ms(1),
                deviation: ms(2),
            },
        },
        correlation,
    });
    flight.reorder = (draw.below(3) == 0).then(|| Reorder {
        probability: 0.1,
        extra: ms(draw.below(12)),
        distance: [None, Some(1), Some(3)][draw.below(3) as usize],
        correlation,
    });
    flight.duplicate = [0.0, 0.0, 0.05][draw.below(3) as usize];
    flight.corrupt = [0.0, 0.0, 0.05][draw.below(3) as usize];
    flight
}

fn queue(draw: &mut Draw, holding: bool) -> Queue {
    let limit = 1 + draw.below(12) as u32;
    match draw.below(if holding { 20 } else { 8 }) {
        0..2 => Queue::Unlimited,
        2..4 => Queue::DropTail { limit },
        4..6 => {
            // An average may be a whole number, up to rounding; a threshold must not be one.
            let min = draw.below(3) as f64 + 0.37;
            Queue::Red(Red {
                min,
                max: min + 1.0 + draw.below(6) as f64,
                weight: [0.02, 0.3, 1.0][draw.below(3) as usize],
                pmax: [0.1, 0.7][draw.below(2) as usize],
                gentle: draw.below(2) == 0,
                ecn: draw.below(2) == 0,
                limit,
                mean_size: 500,
            })
        }
        6..8 => Queue::AckFilter(AckFilter {
            limit: if draw.below(4) == 0 { u32::MAX } else { limit },
            replace_head: draw.below(2) == 0,
            threshold: [0, 0, 2][draw.below(3) as usize],
        }),
        8 => Queue::Bounded(Bounded {
            limit: other_limit(draw),
        }),
        9..11 => Queue::CoDel(codel(draw, limit)),
        14..16 => Queue::Pie(Pie {
            target: Time::from_micros(100),
            update: Time::from_micros([50, 700][draw.below(2) as usize]),
            alpha: 100.0,
            beta: 500.0,
            burst: Time::from_micros([0, 1_000][draw.below(2) as usize]),
            ecn: draw.below(2) == 0,
            estimator: draw.below(2) == 0,
            derandomization: draw.below(2) == 0,
            activation: draw.below(2) == 0,
            mean_packet: [100, 1_500][draw.below(2) as usize],
            limit: Limit::Packets(limit + 20),
        }),
        16..18 => Queue::DualPi2(dualpi2(draw, limit)),
        18..20 => Queue::Fq(Fq {
            flows: [1, 2, 16][draw.below(3) as usize],
            quantum: [100, 1_000, 1_514][draw.below(3) as usize],
            limit: match draw.below(2) {
                0 => Limit::Packets(limit),
                _ => other_limit(draw),
            },
        }),
        _ => Queue::FqCoDel(FqCoDel {
            codel: codel(draw, limit),
            flows: [1, 2, 16][draw.below(3) as usize],
            quantum: [100, 1_000, 1_514][draw.below(3) as usize],
        }),
    }
}

/// DualPI2 that has something to do within a few milliseconds, overload included.
fn dualpi2(draw: &mut Draw, limit: u32) -> DualPi2 {
    DualPi2 {
        target: Time::from_micros(100),
        update: Time::from_micros([50, 700][draw.below(2) as usize]),
        alpha: [10.0, 100.0][draw.below(2) as usize],
        beta: 50.0,
        coupling: [0.5, 2.0][draw.below(2) as usize],
        step: Time::from_micros([0, 300][draw.below(2) as usize]),
        ramp: Time::from_micros([0, 200][draw.below(2) as usize]),
        step_packets: draw.below(3) as u32,
        scheduler: match draw.below(2) {
            0 => DualScheduler::Weighted([0.0, 0.0625, 0.5][draw.below(3) as usize]),
            _ => DualScheduler::TimeShifted(Time::from_micros([0, 500][draw.below(2) as usize])),
        },
        limit: match draw.below(2) {
            0 => Limit::Packets(limit + 20),
            _ => other_limit(draw),
        },
    }
}

/// CoDel that has something to do within a few milliseconds.
fn codel(draw: &mut Draw, limit: u32) -> CoDel {
    CoDel {
        target: Time::from_micros([0, 100, 2_000][draw.below(3) as usize]),
        interval: Time::from_micros([1, 500, 3_000][draw.below(3) as usize]),
        mtu: [0, 576, 1_500][draw.below(3) as usize],
        ecn: draw.below(2) == 0,
        newton: draw.below(2) == 0,
        limit: match draw.below(3) {
            0 => Limit::Packets(limit),
            1 => Limit::Packets(u32::MAX),
            _ => other_limit(draw),
        },
    }
}

fn other_limit(draw: &mut Draw) -> Limit {
    match draw.below(2) {
        0 => Limit::Bytes(1 + draw.below(12_000)),
        _ => Limit::Time(Time::from_nanos(1 + draw.below(8_000_000))),
    }
}

fn model(draw: &mut Draw) -> LossModel {
    match draw.below(4) {
        0 => LossModel::Bernoulli(Bernoulli { probability: 0.1 }),
        1 => LossModel::Geometric(Geometric { probability: 0.1 }),
        2 => LossModel::TwoState(TwoState {
            good_loss: 0.01,
            good_period: Time::from_millis(4),
            bad_loss: 0.5,
            bad_period: Time::from_millis(2),
            switch: 0.9,
        }),
        _ => LossModel::GilbertElliott(GilbertElliott {
            to_bad: 0.05,
            to_good: 0.3,
            good_loss: 0.0,
            bad_loss: 0.7,
        }),
    }
}

#[derive(Clone, Debug)]
pub struct Draw(Random);

impl From<Random> for Draw {
    fn from(random: Random) -> Self {
        Self(random)
    }
}

impl Draw {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// Returns a delay of random order of magnitude up to 30 ms, often a round number.
    pub fn delay(&mut self) -> Time {
        let magnitude = 10_u64.pow(self.below(8) as u32);
        let steps = self.below(4);
        match self.below(2) {
            0 => Time::from_nanos(magnitude * steps),
            _ => Time::from_nanos(self.below(3 * magnitude)),
        }
    }
}
