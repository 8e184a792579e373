//! The workloads that are counted: short fixed runs of the benchmark's cases, and ACKs for each
//! control.

use std::fmt;
use std::hint::black_box;

use dumbbell_control::controller::Controller;
use dumbbell_control::registry::{self, AnyConfig};

use crate::acks::{self, Step};
use crate::cases::{self, Case};

/// A fixed piece of work that is identical each time.
#[expect(
    clippy::large_enum_variant,
    reason = "there are a few dozen, made before anything is counted"
)]
pub enum Workload {
    /// A case, shortened if it is long.
    Packets(Case),
    /// A control that processes the stream of ACKs.
    Acks(AnyConfig),
}

impl Workload {
    /// All workloads: the cases, then the controls in the order of the registry.
    pub fn all() -> impl Iterator<Item = Self> {
        let packets = cases::all().map(shortened).chain([many()]);
        packets
            .map(Self::Packets)
            .chain(registry::all().map(Self::Acks))
    }

    /// Finds the workload with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|workload| workload.name() == name)
    }

    /// The name of a case or of a control.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Packets(case) => case.name,
            Self::Acks(config) => config.name(),
        }
    }

    /// Does the work and returns its amount: data packets through the bottleneck, or ACKs.
    pub fn run(&self) -> u64 {
        match self {
            Self::Packets(case) => counted_packets(case),
            Self::Acks(config) => counted_acks(config, &acks::stream()),
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(case) => write!(f, "({}), a packet", case.name),
            Self::Acks(config) => write!(f, "{}, an ACK", config.name()),
        }
    }
}

/// Short enough for valgrind, which is 50 times slower; long enough for every phase of TCP to
/// occur.
fn shortened(case: Case) -> Case {
    match case.name {
        "a" => case.lasting(500),
        "b" | "c" => case.lasting(10),
        "d" => case.with_flows(500).lasting(3),
        "tfrc" | "red" | "droptail" | "held" | "codel" | "fq-codel" => case.lasting(30),
        "aqt" => case.lasting(200),
        _ => case.lasting(50),
    }
}

/// Case (d) with all its ten thousand flows, up to the moment when the last one starts. Setting up a
/// flow counts as well, as in every run.
fn many() -> Case {
    let (name, d) = ("many", cases::all().find(|case| case.name == "d"));
    let Case { scenario, .. } = d.expect("it is one of the cases").lasting(1);
    Case { name, scenario }
}

// Valgrind counts while it is inside a function with one of these names: see `valgrind::COUNTED`.
// The functions contain no closures, because a closure's name would match as well.

#[inline(never)]
fn counted_packets(case: &Case) -> u64 {
    case.run().packets
}

#[inline(never)]
fn counted_acks(config: &AnyConfig, steps: &[Step]) -> u64 {
    let mut control = black_box(config.build(&acks::PATH));
    for step in steps {
        control.on_sample(&step.sample);
        match &step.loss {
            Some(loss) => control.on_loss(loss),
            None => control.on_ack(&step.ack),
        }
        black_box(control.window());
    }
    steps.len() as u64
}
