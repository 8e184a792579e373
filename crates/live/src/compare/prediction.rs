//! The simulator's flow that behaves like a connection of a real stack.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_run::{Done, Reading, Run, Subject};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Flow, Jitter, JitterLaw, Place, Probe, ProbeValue, Scenario, Traffic};

use super::predicted::Predicted;
use crate::system;
use crate::transfer::HEAD_START;

/// Bytes of a full packet that are not payload: the headers of IP and TCP, and timestamps.
pub const PAYLOAD_LESS: u64 = 52;

/// Returns a scenario in which one flow, given by its position among a run's flows, is a connection like
/// those of Linux, under this control (`stack = "linux"`). Its packet sizes and its ECN setting are unchanged. Also returns the flow's position in
/// the new scenario.
///
/// # Errors
/// A message, if there is no such control, or if it cannot run on this network.
pub fn predicted_scenario(
    scenario: &Scenario,
    flow: usize,
    control: &str,
    duration: Duration,
) -> Result<(Scenario, usize), String> {
    variant(scenario, flow, control, duration, Variant::default())
}

/// The stack that a simulated flow is like.
#[cfg_attr(not(feature = "quic"), allow(dead_code))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Like {
    /// The TCP of Linux, with packets as large as those of the file.
    #[default]
    LinuxAsInFile,
    /// The TCP of Linux, with packets of so many bytes.
    Linux(u16),
    /// quinn, with packets of so many bytes.
    Quinn(u16),
    /// noq: what is in flight reaches the window, and does not stay below it.
    Noq(u16),
    /// The same, with sockets that tell when packets arrived at the receiver.
    TimedQuinn(u16),
}

/// What a flow has beside the choices of its stack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    /// The stack.
    pub like: Like,
    /// Keys of the flow, one a line.
    pub keys: &'static str,
    /// Parameters of the control, as in a table.
    pub parameters: &'static str,
    /// The mean delay that each end adds to what arrives there, in microseconds.
    pub late_us: u64,
}

/// Bytes of a QUIC packet that are not data: the headers of IPv4 and UDP, a short header with 8 bytes of connection ID
/// and 2 of packet number, a stream frame and the authentication tag.
pub const QUIC_PAYLOAD_LESS: u64 = 61;
/// Bytes that a socket adds that tells when packets arrived.
const TIMES: u64 = 24;

/// As [`predicted_scenario`], with other choices.
pub(crate) fn variant(
    scenario: &Scenario,
    flow: usize,
    control: &str,
    duration: Duration,
    variant: Variant,
) -> Result<(Scenario, usize), String> {
    let mut predicted = scenario.clone();
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    predicted.duration = dumbbell_scenario::Duration::from_nanos(nanos);
    predicted.variation = None;
    let entry = isolate(&mut predicted.flows, flow).ok_or("there is no such flow")?;
    let entry = &mut predicted.flows[entry];
    let Traffic::Tcp(before) = &entry.traffic else {
        return Err("only a TCP flow can be compared with the kernel's TCP".to_owned());
    };
    let (wire, less) = match variant.like {
        Like::LinuxAsInFile => (
            before.data_wire_bytes() + before.probe_wire_bytes(),
            PAYLOAD_LESS,
        ),
        Like::Linux(mtu) => (mtu.into(), PAYLOAD_LESS),
        Like::Quinn(mtu) | Like::Noq(mtu) => (mtu.into(), QUIC_PAYLOAD_LESS),
        Like::TimedQuinn(mtu) => (mtu.into(), QUIC_PAYLOAD_LESS + TIMES),
    };
    let payload = wire
        .checked_sub(less)
        .filter(|payload| *payload > 0)
        .ok_or_else(|| format!("packets of {less} bytes or less carry no payload"))?;
    let like = match variant.like {
        Like::Quinn(_) | Like::TimedQuinn(_) | Like::Noq(_) => {
            like_quinn(control, payload, less, variant)?
        }
        _ => like_linux(control, payload, before.ecn.is_on(), variant)?,
    };
    late(&mut entry.place, variant.late_us)?;
    entry.traffic = like.traffic;
    entry.start = like.start;
    Ok((predicted, flow))
}

/// Gives the flow at a position its own `[[flow]]` entry, and returns the number of that entry.
fn isolate(flows: &mut Vec<Flow>, place: usize) -> Option<usize> {
    let mut first = 0;
    let number = flows.iter().position(|flow| {
        first += flow.count as usize;
        place < first
    })?;
    let count = flows[number].count;
    let within = (place + count as usize - first) as u32;
    let parts = [(0, within), (within, 1), (within + 1, count - within - 1)];
    let whole = flows[number].clone();
    let parts: Vec<Flow> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(from, count)| Flow {
            name: match from {
                0 => whole.name.clone(),
                _ => format!("{} from {}", whole.name, from + 1),
            },
            count,
            ..whole.clone()
        })
        .collect();
    let more = parts.len() - 1;
    flows.splice(number..=number, parts);
    // `relays` refers to entries by number.
    for flow in flows.iter_mut() {
        flow.relays = flow
            .relays
            .map(|of| if of > number { of + more } else { of });
    }
    Some(number + usize::from(within > 0))
}

/// Returns a flow like those of Linux, from a separate scenario.
pub(crate) fn like_linux(
    control: &str,
    payload: u64,
    ecn: bool,
    variant: Variant,
) -> Result<Flow, String> {
    let needs = Controls::builtin().named(control).map(|it| it.needs());
    // The kernel's receiver echoes marks as DCTCP's if the control is one of those.
    let ecn = match needs.is_some_and(|it| it.marks) {
        true => "\"dctcp\"",
        false if ecn => "true",
        false => "false",
    };
    let probe = if control == "rovegas" {
        "probe_every = 1\n"
    } else {
        ""
    };
    let Variant {
        keys, parameters, ..
    } = variant;
    // The timers of this machine, where the kernel's connection runs.
    let tick = match system::tick() {
        Ok(tick) if !keys.contains("timer_tick") => {
            format!("timer_tick = \"{} us\"\n", tick.as_micros().max(1))
        }
        _ => String::new(),
    };
    let keys = format!("stack = \"linux\"\nrecovery = \"sack\"\necn = {ecn}\n{probe}{tick}{keys}");
    flow(control, payload, parameters, &keys)
}

/// Returns a flow like those of quinn and noq. Without the receiver's times, a control that uses them takes those
/// of ACKs, if it can.
fn like_quinn(control: &str, payload: u64, header: u64, variant: Variant) -> Result<Flow, String> {
    let Variant {
        keys, parameters, ..
    } = variant;
    let is_set = keys.contains("below_window") || matches!(variant.like, Like::Noq(_));
    let below = if is_set { "" } else { "below_window = true\n" };
    let wants_times = |it: dumbbell_scenario::controls::Control| it.needs().receiver_time;
    let timed = matches!(variant.like, Like::TimedQuinn(_));
    let stamped = !timed && Controls::builtin().named(control).is_some_and(wants_times);
    let acks = "stamp_source = \"ack\"";
    let both;
    let parameters = match (
        stamped && !parameters.contains("stamp_source"),
        parameters.is_empty(),
    ) {
        (false, _) => parameters,
        (true, true) => acks,
        (true, false) => {
            both = format!("{acks}, {parameters}");
            &both
        }
    };
    let last = match keys.contains("losses_last") {
        true => "",
        false => "losses_last = true\n",
    };
    let keys = format!("stack = \"quic\"\nheader = \"{header} B\"\n{below}{last}{keys}");
    flow(control, payload, parameters, &keys)
}

/// Delays what arrives at both ends at random, in order, as programs do that wake up late.
fn late(place: &mut Place, mean_us: u64) -> Result<(), String> {
    if mean_us == 0 {
        return Ok(());
    }
    let (Place::Dumbbell { access, .. } | Place::ParkingLot { access, .. }) = place else {
        return Err("only hosts with access links can be late".to_owned());
    };
    for link in [&mut access.receiver.forward, &mut access.sender.reverse] {
        link.jitter.get_or_insert(Jitter {
            mean: dumbbell_scenario::Duration::from_micros(mean_us),
            law: JitterLaw::Exponential,
            deviation: dumbbell_scenario::Duration::ZERO,
            correlation: 0.0,
            keep_order: true,
        });
    }
    Ok(())
}

/// Returns a flow with these keys, from a separate scenario.
fn flow(control: &str, payload: u64, parameters: &str, keys: &str) -> Result<Flow, String> {
    let head_start = HEAD_START.as_micros();
    let parameters = match parameters {
        "" => String::new(),
        set => format!(", {set}"),
    };
    let text = format!(
        "duration = \"1 s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\" }}\n\
         aqt = \"all\"\n\
         [[flow]]\n\
         control = {{ name = \"{control}\"{parameters} }}\n\
         start = \"{head_start} us\"\n\
         payload = \"{payload} B\"\n\
         {keys}\n"
    );
    let scenario = Scenario::parse(control, &text, &Controls::builtin())
        .map_err(|report| report.render(false))?;
    scenario
        .flows
        .into_iter()
        .next()
        .ok_or_else(|| "a scenario has a flow".to_owned())
}

/// Returns the simulator's prediction for the flow at a position; `None` if it was interrupted.
pub(crate) fn run(
    scenario: &Scenario,
    place: usize,
    seed: u64,
    interval: Duration,
    interrupted: &AtomicBool,
) -> Option<Predicted> {
    of_flows(scenario, &[place], seed, interval, interrupted)?.pop()
}

/// Returns the simulator's prediction for the flows at some positions; `None` if it was interrupted.
pub(crate) fn of_flows(
    scenario: &Scenario,
    places: &[usize],
    seed: u64,
    interval: Duration,
    interrupted: &AtomicBool,
) -> Option<Vec<Predicted>> {
    let nanos = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX);
    let probe = Probe {
        interval: dumbbell_scenario::Duration::from_nanos(nanos),
        values: vec![ProbeValue::Cwnd, ProbeValue::Srtt],
        estimate: Vec::new(),
        equation: None,
    };
    let run = Run::new(scenario).seed(seed).probe(&probe);
    let Done { outcome, series } = run.interrupt(interrupted).go().ok()?;
    let samples = |place: usize, quantity: &str| -> Vec<(f64, f64)> {
        let mut series = series.iter();
        let found = series.find(|it| it.subject == Subject::Flow(place) && it.quantity == quantity);
        let points = found.map_or(&[][..], |it| &it.points);
        let number = |(at, reading): &(f64, Reading)| match reading {
            Reading::Number(number) => Some((*at, *number)),
            Reading::Word(_) => None,
        };
        points.iter().filter_map(number).collect()
    };
    let end_s = scenario.duration.as_secs_f64();
    let predicted = places.iter().map(|&place| {
        let flow = outcome.flows.get(place)?;
        let rtts = samples(place, "srtt");
        let rtt_mean = rtts.iter().map(|(_, rtt)| rtt).sum::<f64>() / rtts.len().max(1) as f64;
        Some(Predicted {
            seed,
            goodput_bps: flow.goodput_bps,
            segments: flow.sent,
            retransmits: flow.retransmits,
            cuts: flow.fast_recoveries + flow.timeouts,
            rtt_mean_s: (!rtts.is_empty()).then_some(rtt_mean),
            elapsed_s: end_s - flow.start_s,
            windows: samples(place, "cwnd"),
        })
    });
    predicted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each control that goes with SACK has the recovery of Linux, and no control is refused.
    #[test]
    fn the_simulators_flow_has_the_choices_of_linux() {
        let all = Controls::builtin().all();
        for control in all
            .iter()
            .filter(|it| it.recoveries().iter().any(|it| it.needs_sack()))
        {
            let name = control.name();
            let flow = like_linux(name, 1000, true, Variant::default())
                .unwrap_or_else(|report| panic!("{report}"));
            let Traffic::Tcp(tcp) = flow.traffic else {
                panic!("not TCP")
            };
            assert!(tcp.rack && tcp.tlp && tcp.undo && tcp.frto, "{name}");
            assert!(tcp.min_rto_variance && tcp.ecn.is_on());
            assert_eq!(tcp.ecn.tells_extent(), control.needs().marks, "{name}");
            // BBR sets its window by itself, and pacing is no disuse of Prague's.
            let own_window = control.needs().delivery;
            let validated = !own_window && !control.needs().pacing;
            assert_eq!(tcp.window_validation, validated, "{name}");
            assert_eq!(tcp.prr.is_some(), !own_window, "{name}");
            assert_eq!(tcp.hystart, name == "cubic");
            assert_eq!((tcp.payload.0, tcp.data_wire_bytes()), (1000, 1052));
            assert_eq!(tcp.quick_acks, 16);
        }
    }

    const PATH: &str = r#"
        duration = "1 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "1 ms", queue = { droptail = 9 } }
        [[flow]]
        control = "reno"
        "#;

    /// The flow under a control, and its place.
    fn made(control: &str, variant: Variant) -> (dumbbell_scenario::Tcp, Place) {
        let path = Scenario::parse("my.toml", PATH, &Controls::builtin()).expect("it is right");
        let second = Duration::from_secs(1);
        let (made, _) = super::variant(&path, 0, control, second, variant).expect(control);
        let flow = made.flows[0].clone();
        let Traffic::Tcp(tcp) = flow.traffic else {
            panic!("not TCP")
        };
        (*tcp, flow.place)
    }

    /// A simulated flow beside quinn has its packets, its window and its signals, and as many bytes a packet as one
    /// beside the kernel.
    #[test]
    fn the_simulators_flow_has_the_choices_of_quinn() {
        let like = |like| Variant {
            like,
            ..Variant::default()
        };
        let (quic, _) = made("venodb", like(Like::Quinn(1500)));
        assert!(quic.is_quic() && quic.below_window && quic.handshake && quic.pacing);
        assert!(quic.losses_last);
        assert_eq!((quic.payload.0, quic.data_wire_bytes()), (1439, 1500));
        assert!(!quic.control.needs().receiver_time);
        let (noq, _) = made("bbr", like(Like::Noq(1500)));
        assert!(noq.is_quic() && !noq.below_window && noq.losses_last && noq.handshake);
        assert_eq!((noq.payload.0, noq.data_wire_bytes()), (1439, 1500));
        let (timed, _) = made("venodb", like(Like::TimedQuinn(1500)));
        assert_eq!((timed.payload.0, timed.data_wire_bytes()), (1415, 1500));
        assert!(timed.control.needs().receiver_time);
        let (linux, _) = made("reno", like(Like::Linux(1500)));
        assert_eq!((linux.payload.0, linux.data_wire_bytes()), (1448, 1500));
        assert!(!linux.is_quic() && linux.rack);
        let keys = Variant {
            keys: "below_window = false\nlosses_last = false",
            ..like(Like::Quinn(1500))
        };
        let (other, _) = made("reno", keys);
        assert!(!other.below_window && !other.losses_last);
    }

    #[test]
    fn hosts_are_late_where_packets_arrive() {
        let variant = Variant {
            like: Like::Quinn(1500),
            late_us: 250,
            ..Variant::default()
        };
        let (_, place) = made("reno", variant);
        let Place::Dumbbell { access, .. } = place else {
            panic!("not a dumbbell")
        };
        let means = [
            &access.receiver.forward,
            &access.sender.reverse,
            &access.sender.forward,
            &access.receiver.reverse,
        ]
        .map(|link| link.jitter.map(|it| it.mean.as_nanos()));
        assert_eq!(means, [Some(250_000), Some(250_000), None, None]);
    }
}
