//! The cases of the benchmarks, read from the scenario files beside this one.

use dumbbell_run::Run;
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::Duration;
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{BitRate, Queue, Scenario, Topology};

/// A scenario of flows over a dumbbell.
pub struct Case {
    /// The name that the documentation uses for the case: a letter, or what it is about.
    pub name: &'static str,
    /// The scenario to run.
    pub scenario: Scenario,
}

const FILES: [(&str, &str); 15] = [
    ("a", include_str!("a.toml")),
    ("b", include_str!("b.toml")),
    ("c", include_str!("c.toml")),
    ("d", include_str!("d.toml")),
    ("tfrc", include_str!("tfrc.toml")),
    ("red", include_str!("red.toml")),
    ("aqt", include_str!("aqt.toml")),
    ("ack-filter", include_str!("ack-filter.toml")),
    ("droptail", include_str!("droptail.toml")),
    ("held", include_str!("held.toml")),
    ("codel", include_str!("codel.toml")),
    ("fq-codel", include_str!("fq-codel.toml")),
    ("queue-droptail", include_str!("queue-droptail.toml")),
    ("queue-codel", include_str!("queue-codel.toml")),
    ("queue-fq-codel", include_str!("queue-fq-codel.toml")),
];

/// All cases, in order.
pub fn all() -> impl Iterator<Item = Case> {
    let controls = Controls::builtin();
    FILES.into_iter().map(move |(name, text)| {
        let scenario = Scenario::parse(&format!("{name}.toml"), text, &controls)
            .unwrap_or_else(|report| panic!("{report}"));
        Case { name, scenario }
    })
}

impl Case {
    /// The same case with a shorter duration.
    pub fn lasting(mut self, seconds: u64) -> Self {
        self.scenario.duration = self.scenario.duration.min(Duration::from_secs(seconds));
        self
    }

    /// Limits the number of the first flows to `most`. The rate and the queue of the bottleneck
    /// shrink in proportion, so that each flow keeps its share.
    pub fn with_flows(mut self, most: u32) -> Self {
        let before = self.scenario.flows[0].count;
        if most >= before {
            return self;
        }
        self.scenario.flows[0].count = most;
        let Topology::Dumbbell { bottleneck } = &mut self.scenario.topology else {
            panic!("case {} is no dumbbell", self.name);
        };
        for link in [&mut bottleneck.forward, &mut bottleneck.reverse] {
            let rate = link.rate.mean().0 * u64::from(most) / u64::from(before);
            link.rate = BitRate(rate).into();
            if let Queue::DropTail(limit) = link.queue {
                let share = u64::from(limit) * u64::from(most) / u64::from(before);
                link.queue = Queue::DropTail(share.max(1) as u32);
            }
        }
        self
    }

    /// Runs the case with the seed of its file.
    pub fn run(&self) -> Outcome {
        let mut outcome = Run::new(&self.scenario)
            .seed(self.scenario.seed)
            .go()
            .expect("nobody interrupts it")
            .outcome;
        if outcome.packets == 0 {
            // Packets without a transport are no data; all that arrive at the bottleneck count.
            let links = outcome.links.iter();
            outcome.packets = links
                .filter(|link| link.name == "bottleneck")
                .map(|link| link.sent)
                .sum();
        }
        assert!(
            outcome.packets > 0,
            "case {} moved no packet over the bottleneck",
            self.name
        );
        outcome
    }
}
