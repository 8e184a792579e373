//! A scene of a run, packet by packet, as columns.

use dumbbell_run::explain;
use dumbbell_run::film::{Fate, Film, Hop, Scene, film};
use dumbbell_run::links;
use dumbbell_scenario::{Duration, Scenario};
use serde::Serialize;

use crate::answer::{Answer, Column};

/// The most hops of a scene.
const MOST: usize = 60_000;

#[derive(Serialize)]
struct Rest {
    links: Vec<Named>,
    flows: Vec<Named>,
    hops: Hops,
    more: u64,
}

#[derive(Serialize)]
struct Named {
    name: String,
}

/// One number per hop.
#[derive(Serialize)]
struct Hops {
    packet: Column,
    flow: Column,
    kind: Column,
    bytes: Column,
    link: Column,
    enqueue: Column,
    start: Column,
    depart: Column,
    arrive: Column,
    fate: Column,
}

/// Runs a scenario as far as a scene needs, and returns the scene.
///
/// # Errors
/// A message, if a control failed.
pub(crate) fn scene(
    scenario: &Scenario,
    seed: Option<u64>,
    from: Duration,
    to: Duration,
) -> Result<Answer, String> {
    let scene = Scene {
        from,
        to,
        most: MOST,
    };
    let Film { hops, more } = film(scenario, seed.unwrap_or(scenario.seed), scene)
        .map_err(|stopped| stopped.to_string())?;
    let named = |names: Vec<String>| names.into_iter().map(|name| Named { name }).collect();
    let mut numbers = Vec::new();
    let rest = Rest {
        links: named(links(scenario)),
        flows: named(explain::names(scenario)),
        hops: Hops::new(&hops, &mut numbers),
        more,
    };
    Ok(Answer {
        rest: serde_json::to_string(&rest).map_err(|error| error.to_string())?,
        numbers,
        ..Answer::default()
    })
}

impl Hops {
    fn new(hops: &[Hop], numbers: &mut Vec<f64>) -> Self {
        let mut column = |of: &dyn Fn(&Hop) -> f64| Column::add(numbers, hops.iter().map(of));
        let seconds = |time: Option<Duration>| time.map_or(f64::NAN, Duration::as_secs_f64);
        Self {
            packet: column(&|hop| f64::from(hop.packet)),
            flow: column(&|hop| hop.flow as f64),
            kind: column(&|hop| f64::from(hop.kind)),
            bytes: column(&|hop| f64::from(hop.bytes)),
            link: column(&|hop| hop.link as f64),
            enqueue: column(&|hop| seconds(Some(hop.arrived))),
            start: column(&|hop| seconds(hop.transmitted.map(|it| it.0))),
            depart: column(&|hop| seconds(hop.transmitted.map(|it| it.1))),
            arrive: column(&|hop| seconds(hop.delivered)),
            fate: column(&|hop| match hop.fate {
                Fate::Arrives => 0.0,
                Fate::Dropped => 1.0,
                Fate::Lost => 2.0,
                Fate::Filtered => 3.0,
                Fate::UnderWay => 4.0,
            }),
        }
    }
}
