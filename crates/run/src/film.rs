//! What happens to each packet on each link, for a drawing of the path.

use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Duration, Scenario};
use dumbbell_sim::Cause;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::run::Stopped;
use crate::stage::{Pace, prepare};
use crate::time::{since_start, time};
use crate::trace::{Tape, Tapped};

/// How long after the span a run goes on, so that packets that wait at its end are seen to leave.
const AFTER: Duration = Duration::from_secs(3);

/// What is filmed of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Packets that reach a queue before this time are not shown.
    pub from: Duration,
    /// Packets that reach a queue after this time are not shown.
    pub to: Duration,
    /// The most hops that are shown.
    pub most: usize,
}

/// The hops of a scene, in the order in which packets reached queues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Film {
    /// The hops.
    pub hops: Vec<Hop>,
    /// How many hops were not kept.
    pub more: u64,
}

/// One packet on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The number of the packet, the same on all links of its way and on no other packet's, except for a copy that a
    /// link has made.
    pub packet: u32,
    /// The flow, by its position among the run's flows.
    pub flow: usize,
    /// The position of the link among the outcome's links.
    pub link: usize,
    /// 0 for data, 1 for ACKs and the segments that open a connection, 2 for datagrams, 3 for media.
    pub kind: u8,
    /// The size on the wire, in bytes.
    pub bytes: u16,
    /// When it reached the queue.
    pub arrived: Duration,
    /// When its transmission began and ended, if it was transmitted.
    pub transmitted: Option<(Duration, Duration)>,
    /// When it reached the end of the link, if it did. A link that keeps the order while it retransmits may hand it over
    /// later.
    pub delivered: Option<Duration>,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It reaches the end of the link.
    Arrives,
    /// The queue drops it: congestion.
    Dropped,
    /// A loss model removes it.
    Lost,
    /// An ACK filter removes it, because a later one says more.
    Filtered,
    /// The run ends before.
    UnderWay,
}

/// Runs a scenario as far as a scene needs, and returns the scene. Nothing else of the run is other than without.
///
/// # Errors
/// [`Stopped`] if an added control has failed.
pub fn film(scenario: &Scenario, seed: u64, scene: Scene) -> Result<Film, Stopped> {
    let alarm = Alarm::new();
    let stage = Tapped::new(Tape::blank(scenario), Interrupt::own());
    let mut simulation = prepare(scenario, seed, None, None, &alarm, Pace::Filmed, stage);
    simulation.film(time(scene.from), time(scene.to), scene.most);
    let until = scene.to.as_nanos().saturating_add(AFTER.as_nanos());
    let until = Duration::from_nanos(until.min(scenario.duration.as_nanos()));
    simulation.advance_unless(time(until), &|| alarm.is_raised());
    if let Some(raised) = alarm.raised() {
        return Err(Stopped::Failed(Failure::of(raised, scenario)));
    }
    let (hops, more) = simulation.take_film();
    let hops = hops.iter().map(|hop| {
        let (flow, packet) = hop.payload.identity();
        Hop {
            packet,
            flow,
            link: hop.link.index(),
            kind: hop.kind.index() as u8,
            bytes: hop.bytes,
            arrived: since_start(hop.arrived),
            transmitted: hop
                .transmitted
                .map(|(begin, end)| (since_start(begin), since_start(end))),
            delivered: hop.delivered.map(since_start),
            fate: match (hop.cause, hop.delivered) {
                (Some(Cause::Dropped), _) => Fate::Dropped,
                (Some(Cause::Lost), _) => Fate::Lost,
                (Some(Cause::Filtered), _) => Fate::Filtered,
                (None, Some(_)) => Fate::Arrives,
                (None, None) => Fate::UnderWay,
            },
        }
    });
    Ok(Film {
        hops: hops.collect(),
        more,
    })
}
