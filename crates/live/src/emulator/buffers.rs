//! The buffers of connections on the hosts: what is in flight is to be limited by the network, and not by them.

use dumbbell_scenario::{Limit, Queue, Scenario, named_flows};

use crate::error::Error;
use crate::namespace;

/// The smallest and the largest room that a receive buffer has from the start, in bytes.
const LEAST: u64 = 1 << 20;
const MOST: u64 = 1 << 26;
/// What the kernel counts for a packet beside its bytes.
const OVERHEAD: u64 = 1024;
/// Rates and delays vary, and while a loss is repaired, as much again waits at the receiver.
const SPARE: u64 = 4;

/// Returns the bytes that the receive buffer of a connection needs from the start, for the largest window of these flows of
/// a scenario.
///
/// Linux begins with 128 KiB, and enlarges the buffer with the rate at which the program reads. On a busy machine, version
/// 6.18 was seen not to do so for as long as connections lasted, in a third of them: 64 kB a round trip, whatever the path.
pub(super) fn room(scenario: &Scenario, flows: &[usize], mtu: u16) -> u64 {
    let links = scenario.topology.links();
    let packet = u64::from(mtu);
    // In bytes per second: the fastest, since a flow may cross any of them.
    let rate = links.iter().map(|it| it.rate.mean().0 / 8).max();
    let rate = u128::from(rate.unwrap_or(0));
    let in_time = |nanos: u64| u64::try_from(rate * u128::from(nanos) / 1_000_000_000);
    let in_time = |nanos| in_time(nanos).unwrap_or(MOST);
    let access = named_flows(scenario).enumerate();
    let access = access
        .filter(|(place, _)| flows.contains(place))
        .filter_map(|(_, (flow, _))| flow.place.access())
        .map(|it| it.sender.both().into_iter().chain(it.receiver.both()))
        .map(|links| links.map(|it| it.delay.mean().as_nanos()).sum())
        .max();
    let delays = links.iter().map(|it| it.delay.mean().as_nanos());
    let delay = delays.fold(access.unwrap_or(0), u64::saturating_add);
    let queues = links.iter().map(|it| match &it.queue {
        Queue::Bounded(Limit::Bytes(bytes)) => bytes.0,
        Queue::Bounded(Limit::Time(time)) => in_time(time.as_nanos()),
        queue => queue
            .limit()
            .map_or(MOST, |packets| u64::from(packets) * packet),
    });
    let held = queues.fold(in_time(delay), u64::saturating_add);
    let packets = held.div_ceil(packet.max(1));
    let needed = packets
        .saturating_mul(packet + OVERHEAD)
        .saturating_mul(SPARE);
    needed.clamp(LEAST, MOST)
}

/// Gives connections of the calling thread's namespace receive buffers with this room. Where the system's parameters
/// cannot be written, as in containers, they stay as they are.
///
/// # Errors
/// If the kernel has no such parameters.
pub(super) fn set(room: u64) -> Result<(), Error> {
    namespace::set_if_writable("ipv4/tcp_rmem", &format!("4096 {room} {MOST}"))?;
    // The kernel enlarges the send buffer with the window.
    namespace::set_if_writable("ipv4/tcp_wmem", &format!("4096 131072 {MOST}"))
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::controls::Controls;

    use super::*;

    fn of(link: &str) -> u64 {
        let text = format!(
            "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"10 Gb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ {link} }}\n[[flow]]\ncontrol = \"reno\"\npayload = \"1460 B\"\n"
        );
        let scenario = Scenario::parse("path", &text, &Controls::builtin()).expect("a scenario");
        room(&scenario, &[0], 1500)
    }

    /// 300 Mb/s over 14 ms are 525 kB, and the queues of 500 packets in both directions have 1.5 MB.
    #[test]
    fn the_room_is_for_what_the_path_and_its_queues_hold() {
        let found = of("rate = \"300 Mb/s\", delay = \"5 ms\", queue = { droptail = 500 }");
        let packets: u64 = 525_000 / 1500 + 2 * 500;
        assert_eq!(found, 4 * 2524 * packets);
        // 8 Mb/s for a second are 1 MB, in each direction, beside 14 ms.
        let found = of("rate = \"8 Mb/s\", delay = \"5 ms\", queue = { droptail = \"1 s\" }");
        assert_eq!(found, 4 * 2524 * 2_014_000_u64.div_ceil(1500));
    }

    #[test]
    fn the_room_is_bounded() {
        let little = of("rate = \"1 Mb/s\", delay = \"5 ms\", queue = { droptail = 10 }");
        assert_eq!(little, LEAST);
        let endless = of("rate = \"1 Mb/s\", delay = \"5 ms\", queue = \"unlimited\"");
        assert_eq!(endless, MOST);
    }
}
