//! The places of a mixture's connections in a scenario's network: one scenario for the emulator, and one for the
//! simulator.

use std::time::Duration;

use dumbbell_scenario::{
    Bytes, Flow, Scenario, Size, Source, Tcp, Traffic, Udp, Writing, named_flows,
};

use super::{Kind, Mixture};
use crate::compare::prediction::{self, Variant};
use crate::compare::{Contender, PAYLOAD_LESS};

/// Where in a network the connections of a mixture are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// All of them where this flow is, which they replace. Each has access links of its own.
    Instead(usize),
    /// Each where one of these flows is, which it replaces.
    Own(Vec<usize>),
}

/// A mixture in a network.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    /// The network in which its flows are real.
    pub emulated: Scenario,
    /// The network in which they are simulated, as connections like those of Linux; `None` if the simulator has not
    /// all of the controls.
    pub predicted: Option<Scenario>,
    /// The positions of its flows among those of a run, in both.
    pub flows: Vec<usize>,
    /// Whether its connections have ECN.
    pub ecn: bool,
}

/// Returns the flows of a scenario that can be real where they are, with the names of their controls: the TCP flows
/// that always have data to send.
pub fn own(scenario: &Scenario) -> Vec<(usize, String)> {
    let flows = named_flows(scenario).enumerate();
    flows
        .filter_map(|(place, (flow, _))| Some((place, bulk(flow)?.control.name().to_owned())))
        .collect()
}

fn bulk(flow: &Flow) -> Option<&Tcp> {
    match &flow.traffic {
        Traffic::Tcp(tcp)
            if tcp.size == Size::Unlimited && flow.writing == Writing::WITHOUT_LIMIT =>
        {
            Some(tcp)
        }
        _ => None,
    }
}

/// Puts a mixture into a network.
///
/// # Errors
/// A message, if a place is not that of a TCP connection that always has data to send, if there are more connections
/// than places, if packets differ in size or in ECN, or if a control cannot run on this network.
pub(super) fn stage(
    scenario: &Scenario,
    places: &Places,
    mixture: &Mixture,
    contenders: &[Contender],
    duration: Duration,
) -> Result<Staged, String> {
    let members = mixture.members.len();
    let assigned: Vec<usize> = match places {
        Places::Instead(place) => vec![*place; members],
        Places::Own(places) if places.len() == members => places.clone(),
        Places::Own(places) => {
            return Err(format!(
                "{members} connections do not fit into the places of {} flows",
                places.len()
            ));
        }
    };
    let mut emulated = scenario.clone();
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    emulated.duration = dumbbell_scenario::Duration::from_nanos(nanos);
    emulated.variation = None;
    let entries = split(&mut emulated.flows, &assigned)?;
    for (member, &entry) in mixture.members.iter().zip(&entries) {
        let number = entry + 1;
        emulated.flows[entry].name = format!("{} ({number})", member.label);
    }
    let mut tcps = entries.iter().map(|&entry| tcp_of(&emulated.flows[entry]));
    let first = tcps.next().ok_or("a mixture needs a connection")??;
    let (wire, ecn) = (full(first), first.ecn.is_on());
    for tcp in tcps {
        let tcp = tcp?;
        if full(tcp) != wire || tcp.ecn.is_on() != ecn {
            return Err(
                "real connections between two hosts have the same packet size and the same `ecn`, and those of the \
                 file differ"
                    .to_owned(),
            );
        }
    }
    let predicted = predicted(&emulated, mixture, contenders, &entries, wire, ecn)?;
    let flows = entries.iter().map(|entry| before(&emulated.flows, *entry));
    Ok(Staged {
        flows: flows.collect(),
        predicted,
        ecn,
        emulated,
    })
}

/// Returns the number of flows before an entry.
fn before(flows: &[Flow], entry: usize) -> usize {
    flows[..entry].iter().map(|flow| flow.count as usize).sum()
}

fn tcp_of(flow: &Flow) -> Result<&Tcp, String> {
    bulk(flow).ok_or_else(|| {
        format!(
            "the flow {} cannot be real: it needs a `control`, as a TCP flow has, and no `size`, as it always has \
             data to send",
            flow.name
        )
    })
}

/// Returns the bytes of a full segment on the wire.
fn full(tcp: &Tcp) -> u64 {
    tcp.data_wire_bytes() + tcp.probe_wire_bytes()
}

/// Returns the network in which the mixture is simulated.
fn predicted(
    emulated: &Scenario,
    mixture: &Mixture,
    contenders: &[Contender],
    entries: &[usize],
    wire: u64,
    ecn: bool,
) -> Result<Option<Scenario>, String> {
    let payload = wire
        .checked_sub(PAYLOAD_LESS)
        .filter(|payload| *payload > 0)
        .ok_or_else(|| format!("packets of {PAYLOAD_LESS} bytes or less carry no payload"))?;
    let mut predicted = emulated.clone();
    for (member, &entry) in mixture.members.iter().zip(entries) {
        let flow = &mut predicted.flows[entry];
        match member.kind {
            Kind::Tcp(control) => {
                let Some(simulated) = &contenders[control].simulated else {
                    return Ok(None);
                };
                let like = prediction::like_linux(simulated, payload, ecn, Variant::default())?;
                (flow.traffic, flow.start) = (like.traffic, like.start);
            }
            Kind::Udp(rate) => {
                let like = prediction::like_linux("reno", payload, ecn, Variant::default())?;
                flow.start = like.start;
                flow.traffic = Traffic::Udp(Udp {
                    source: Source::Cbr(rate),
                    packet: Bytes(wire),
                    stop: None,
                });
            }
        }
    }
    Ok(Some(predicted))
}

/// Gives each connection an `[[flow]]` entry where the flow at its place is, which has none of its own then. Returns
/// the numbers of these entries.
fn split(flows: &mut Vec<Flow>, places: &[usize]) -> Result<Vec<usize>, String> {
    let all: usize = before(flows, flows.len());
    if let Some(place) = places.iter().find(|place| **place >= all) {
        return Err(format!(
            "there is no flow {}: the scenario has {all}",
            place + 1
        ));
    }
    let mut entries = vec![0; places.len()];
    let mut after: Vec<Flow> = Vec::new();
    let mut moved = Vec::new();
    let mut first = 0;
    for flow in flows.iter() {
        moved.push(after.len());
        // The copies up to here have their places.
        let mut done = 0;
        for copy in 0..flow.count {
            let taken = |(number, place): (usize, &usize)| {
                (*place == first + copy as usize).then_some(number)
            };
            let members: Vec<usize> = places.iter().enumerate().filter_map(taken).collect();
            if members.is_empty() {
                continue;
            }
            after.extend(part(flow, done..copy));
            done = copy + 1;
            for member in members {
                entries[member] = after.len();
                after.extend(part(flow, copy..copy + 1));
            }
        }
        after.extend(part(flow, done..flow.count));
        first += flow.count as usize;
    }
    // `relays` refers to entries by number. A flow that relays, or is relayed, is never real.
    for flow in &mut after {
        flow.relays = flow.relays.map(|of| moved[of]);
    }
    *flows = after;
    Ok(entries)
}

/// Returns some copies of an entry as one of their own; `None` if there are none.
fn part(flow: &Flow, copies: std::ops::Range<u32>) -> Option<Flow> {
    let count = copies.len() as u32;
    (count > 0).then(|| Flow {
        name: match copies.start {
            0 => flow.name.clone(),
            from => format!("{} from {}", flow.name, from + 1),
        },
        count,
        ..flow.clone()
    })
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::controls::Controls;
    use dumbbell_scenario::quantity::BitRate;

    use super::super::Member;
    use super::*;

    const PATH: &str = r#"
        duration = "9 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "1 ms", queue = { droptail = 9 } }
        [[flow]]
        name = "noise"
        source = { cbr = "1 kb/s" }
        [[flow]]
        name = "long"
        control = "veno"
        payload = "1460 B"
        count = 4
        [[flow]]
        name = "far"
        control = "reno"
        payload = "1460 B"
        access = { delay = "50 ms" }
    "#;

    fn contenders() -> Vec<Contender> {
        let contender = |name: &str, simulated: Option<&str>| Contender {
            label: name.to_owned(),
            kernel_name: name.to_owned(),
            simulated: simulated.map(str::to_owned),
            preparation: None,
        };
        vec![contender("reno", Some("reno")), contender("odd", None)]
    }

    fn staged(text: &str, places: &Places, kinds: &[Kind]) -> Result<Staged, String> {
        let scenario = Scenario::parse("my.toml", text, &Controls::builtin()).expect("it is right");
        let member = |kind: &Kind| Member {
            label: "it".to_owned(),
            kind: *kind,
        };
        let mixture = Mixture {
            label: "all".to_owned(),
            members: kinds.iter().map(member).collect(),
        };
        stage(
            &scenario,
            places,
            &mixture,
            &contenders(),
            Duration::from_secs(2),
        )
    }

    fn counts(scenario: &Scenario) -> Vec<u32> {
        scenario.flows.iter().map(|flow| flow.count).collect()
    }

    /// The third of four copies is replaced: two before it, one after it.
    #[test]
    fn connections_replace_the_flow_whose_place_they_take() {
        let rate = BitRate(300_000);
        let kinds = [Kind::Tcp(0), Kind::Tcp(0), Kind::Udp(rate)];
        let found = staged(PATH, &Places::Instead(3), &kinds).unwrap();
        assert_eq!(found.flows, [3, 4, 5]);
        assert_eq!(counts(&found.emulated), [1, 2, 1, 1, 1, 1, 1]);
        let predicted = found.predicted.expect("the simulator has reno");
        assert_eq!(predicted.duration.as_nanos(), 2_000_000_000);
        let named: Vec<_> = named_flows(&predicted).collect();
        assert_eq!(named.len(), 8);
        for place in [3, 4] {
            let Traffic::Tcp(tcp) = &named[place].0.traffic else {
                panic!("not TCP")
            };
            assert!(tcp.rack && tcp.control.name() == "reno");
            assert_eq!(tcp.data_wire_bytes(), 1500);
        }
        let Traffic::Udp(udp) = &named[5].0.traffic else {
            panic!("not UDP")
        };
        assert_eq!((&udp.source, udp.packet), (&Source::Cbr(rate), Bytes(1500)));
        // The others are as in the file.
        assert_eq!(named[6].1, "long from 4");
        assert_eq!(named[7].1, "far");
    }

    #[test]
    fn connections_can_be_where_the_flows_of_the_file_are() {
        let scenario = Scenario::parse("my.toml", PATH, &Controls::builtin()).unwrap();
        let own = own(&scenario);
        let names: Vec<&str> = own.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["veno", "veno", "veno", "veno", "reno"]);
        let places = Places::Own(own.iter().map(|(place, _)| *place).collect());
        let found = staged(PATH, &places, &[Kind::Tcp(0); 5]).unwrap();
        assert_eq!(found.flows, [1, 2, 3, 4, 5]);
        let far = &found.predicted.unwrap().flows[5];
        assert_eq!(far.place, scenario.flows[2].place);
        assert!(
            staged(PATH, &places, &[Kind::Tcp(0); 4])
                .unwrap_err()
                .contains("4 connections")
        );
    }

    #[test]
    fn without_a_control_in_the_simulator_there_is_no_prediction() {
        let found = staged(PATH, &Places::Instead(1), &[Kind::Tcp(0), Kind::Tcp(1)]).unwrap();
        assert!(found.predicted.is_none());
    }

    #[test]
    fn packets_have_one_size_and_only_tcp_without_size_is_real() {
        let places = Places::Own(vec![1, 5]);
        let kinds = [Kind::Tcp(0); 2];
        let other = PATH.replacen("1460 B", "500 B", 1);
        assert!(
            staged(&other, &places, &kinds)
                .unwrap_err()
                .contains("same packet size")
        );
        let short = PATH.replacen(
            "control = \"veno\"",
            "control = \"veno\"\nsize = \"9 kB\"",
            1,
        );
        assert!(
            staged(&short, &places, &kinds)
                .unwrap_err()
                .contains("no `size`")
        );
        assert!(
            staged(PATH, &Places::Instead(0), &kinds)
                .unwrap_err()
                .contains("cannot be real")
        );
        assert!(
            staged(PATH, &Places::Instead(6), &kinds)
                .unwrap_err()
                .contains("no flow 7")
        );
    }
}
