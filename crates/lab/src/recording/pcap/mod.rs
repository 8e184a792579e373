//! Captures of packets (pcap and pcapng): what arrived when in one direction is what the link delivered.
//!
//! A link that always had packets waiting is recorded as it was; where the sender was the limit, the
//! recording is of the sender.

mod packets;
mod round_trips;
mod sequence;

use std::collections::BTreeMap;
use std::net::IpAddr;

use dumbbell_scenario::{Duration, Opportunities};

use super::{Cut, Fault, Rate, Recording, Steps, Take, Way, mahimahi, steps};
use packets::Packet;
use round_trips::RoundTrips;
use sequence::Sequences;

/// What is done with a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The part that is used.
    pub cut: Cut,
    /// The host that sends in the direction that is converted. If neither it nor the destination is
    /// named, the pair of hosts with the most bytes.
    pub source: Option<IpAddr>,
    /// The host that receives.
    pub destination: Option<IpAddr>,
    /// The length of a step of the delay; without one, the delay is constant.
    pub step: Option<Duration>,
    /// Whether losses are converted, too.
    pub losses: bool,
}

/// Converts a capture: each 1500 bytes that arrive in one direction, headers of IP included, are a
/// delivery opportunity at the end of that millisecond. Half the least round-trip time of TCP's
/// timestamps is the delay of each direction.
///
/// # Errors
/// [`Fault`] at the first mistake.
pub fn convert(bytes: &[u8], options: &Options) -> Result<Recording, Fault> {
    let mut all: Vec<Packet> = Vec::new();
    let mut others = 0;
    packets::read(bytes, |number, packet| {
        if let Some(packet) = packet {
            all.push(packet);
        } else {
            others += 1;
        }
        let before = all.len().checked_sub(2).map(|at| all[at].at);
        match all.last() {
            Some(last) if before.is_some_and(|before| last.at < before) => {
                let help = "packets are in the order of time: `reordercap` of Wireshark sorts them";
                Err(Fault::packet(number, "the time goes back", help))
            }
            _ => Ok(()),
        }
    })?;
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        let what = "there is no packet of IP in the capture";
        return Err(Fault::whole(
            what,
            "captures of Ethernet, of IP, and of Linux' `any` are read",
        ));
    };
    let (start, length) = (first.at, last.at - first.at);
    let part = options.cut.of(length.max(1))?;
    all.retain(|packet| part.contains(&(packet.at - start)));
    for packet in &mut all {
        packet.at -= start + part.start();
    }
    let way = Hosts::of(&all, options)?;
    let mut recording = recording(&all, &way, options, part.end() - part.start())?;
    if others > 0 {
        let what = format!("{others} packets other than those of IP are left out.");
        recording.remarks.push(what);
    }
    Ok(recording)
}

/// The direction that is converted.
struct Hosts {
    source: Option<IpAddr>,
    destination: Option<IpAddr>,
}

impl Hosts {
    fn of(all: &[Packet], options: &Options) -> Result<Self, Fault> {
        if options.source.is_some() || options.destination.is_some() {
            return Ok(Self {
                source: options.source,
                destination: options.destination,
            });
        }
        let mut bytes: BTreeMap<(IpAddr, IpAddr), u64> = BTreeMap::new();
        for packet in all {
            *bytes.entry(packet.hosts()).or_default() += u64::from(packet.bytes);
        }
        let most = bytes.into_iter().max_by_key(|(_, bytes)| *bytes);
        let Some(((source, destination), _)) = most else {
            return Err(Fault::whole(
                "no packet is in this part",
                "use another part of it",
            ));
        };
        Ok(Self {
            source: Some(source),
            destination: Some(destination),
        })
    }

    fn sends(&self, packet: &Packet) -> bool {
        let (source, destination) = packet.hosts();
        self.source.is_none_or(|it| it == source)
            && self.destination.is_none_or(|it| it == destination)
    }

    fn receives(&self, packet: &Packet) -> bool {
        let (source, destination) = packet.hosts();
        self.source.is_none_or(|it| it == destination)
            && self.destination.is_none_or(|it| it == source)
    }

    fn name(&self) -> String {
        let name = |host: Option<IpAddr>| host.map_or("any host".to_owned(), |it| it.to_string());
        format!("from {} to {}", name(self.source), name(self.destination))
    }
}

fn recording(
    all: &[Packet],
    hosts: &Hosts,
    options: &Options,
    length: u64,
) -> Result<Recording, Fault> {
    let mut round_trips = RoundTrips::default();
    let mut sequences = Sequences::default();
    let mut sent = Vec::new();
    for packet in all {
        if hosts.sends(packet) {
            sent.push((packet.at, packet.bytes));
            round_trips.send(packet);
            sequences.send(packet);
        } else if hosts.receives(packet) {
            round_trips.answer(packet);
        }
    }
    if sent.is_empty() {
        let what = format!("no packet is {}", hosts.name());
        return Err(Fault::whole(
            what,
            "--source and --destination are addresses of hosts in the capture",
        ));
    }
    let mut remarks = vec![format!(
        "Delivery opportunities {}: 1500 bytes each, as they arrived where the capture was made.",
        hosts.name()
    )];
    let samples = round_trips.samples();
    let least = samples.iter().map(|(_, delay)| *delay).min();
    let delay = match (least, options.step) {
        (None, _) => {
            remarks.push(
                "There are no timestamps of TCP, so the delay is not known: choose one.".to_owned(),
            );
            None
        }
        (Some(least), None) => {
            remarks.push(format!(
                "The delay of each direction is half the least of {} round-trip times, of TCP's timestamps; the capture's own place counts as one end.",
                samples.len()
            ));
            Some(Steps::new([(0, least)], length.max(1))?)
        }
        (Some(_), Some(step)) => {
            remarks.push(format!(
                "The delay of each direction is half the least round-trip time of each {}, of TCP's timestamps, with what packets waited in queues.",
                steps::time(step.as_nanos())
            ));
            Some(Steps::sampled(
                samples,
                length.max(1),
                step.as_nanos(),
                Take::Min,
            )?)
        }
    };
    let losses = sequences.losses();
    if losses.lost > 0 {
        remarks.push(format!(
            "Of {} segments of TCP, {} were missing and {} came again{}.",
            losses.sent,
            sequences.missing(),
            sequences.repeated(),
            match options.losses {
                true => "",
                false =>
                    "; a full queue may be the cause, so no losses are set (--losses sets them)",
            }
        ));
    }
    Ok(Recording {
        forward: Way {
            rate: Some(Rate::Opportunities(opportunities(&sent)?)),
            delay,
            losses: options.losses.then_some(losses),
        },
        reverse: None,
        length: Duration::from_nanos(length),
        remarks,
    })
}

/// The times at which each 1500 bytes had arrived, in milliseconds, rounded up.
fn opportunities(packets: &[(u64, u32)]) -> Result<Opportunities, Fault> {
    let mut times = Vec::new();
    let mut waiting = 0;
    for (at, bytes) in packets {
        waiting += bytes;
        while waiting >= Opportunities::BYTES {
            waiting -= Opportunities::BYTES;
            times.push(at.div_ceil(1_000_000));
            if times.len() > Opportunities::MOST {
                break;
            }
        }
    }
    mahimahi::checked(&times)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::samples;
