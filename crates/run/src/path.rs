//! What a flow's data would find on an idle path, and the slowest link there.

use std::num::NonZeroU64;

use dumbbell_control::units::Duration;
use dumbbell_scenario::{Flow, Traffic};
use dumbbell_sim::{Link, Time};
use dumbbell_tcp::option::Aqt;

use crate::time::since_start;

/// How long a flow's data packets take over idle links, from the sender to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transit {
    /// A full packet.
    pub(crate) packet: Duration,
    /// A full packet with an AQT option.
    pub(crate) probe: Duration,
}

/// The links on a flow's path that may be the slowest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slowest {
    /// The lowest constant rate, in bit/s; `None` if all rates vary.
    constant: Option<NonZeroU64>,
    /// Those whose rate varies; `None` for most paths.
    varying: Option<Box<Varying>>,
}

// A scenario has many flows.
const _: () = assert!(size_of::<Slowest>() <= 16);

#[derive(Clone, Debug, Default)]
struct Varying(Vec<Link>);

impl Transit {
    /// The transit of a flow's packets over these links.
    pub(crate) fn of<'l>(flow: &Flow, links: impl Iterator<Item = &'l Link> + Clone) -> Self {
        let bytes = match &flow.traffic {
            Traffic::Tcp(tcp) => tcp.data_wire_bytes(),
            Traffic::Workload(workload) => workload.tcp.data_wire_bytes(),
            Traffic::Udp(udp) => udp.packet.0,
            Traffic::Media(media) => media.wire_bytes(),
        };
        let over = |bytes: u64| {
            let bytes = u16::try_from(bytes).unwrap_or(u16::MAX);
            let times = links.clone().map(|link| link.idle(bytes));
            since_start(times.fold(Time::ZERO, |sum, time| sum + time))
        };
        Self {
            packet: over(bytes),
            probe: over(bytes + Aqt::WIRE_BYTES),
        }
    }
}

impl Slowest {
    /// The slowest of these links.
    pub(crate) fn of<'l>(links: impl Iterator<Item = &'l Link>) -> Self {
        let mut slowest = Self::default();
        for link in links {
            if link.is_steady() {
                let rate = slowest.constant.unwrap_or(NonZeroU64::MAX);
                slowest.constant = NonZeroU64::new(link.rate.min(rate.get()));
            } else {
                let Varying(links) = &mut **slowest.varying.get_or_insert_default();
                links.push(link.clone());
            }
        }
        slowest
    }

    /// Its rate over this span, in bit/s: if it varies, what was offered; `None` if that is
    /// nothing.
    pub(crate) fn rate(&self, from: Time, to: Time) -> Option<f64> {
        let span = (to - from).as_secs_f64();
        let varying = self.varying.iter().flat_map(|varying| &varying.0);
        let varying = varying.map(|link| {
            let bytes = link.offered(from, to);
            bytes as f64 * 8.0 / span
        });
        let constant = self.constant.map(|rate| rate.get() as f64);
        let rate = varying.chain(constant).reduce(f64::min)?;
        (span > 0.0 && rate > 0.0).then_some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_sim::{Opportunities, Topology};

    #[test]
    fn a_recorded_rate_is_that_of_the_span() {
        // 1500 bytes at 1 s, 2 s, 3 s and so on, but four times at 5 s; then once more from there.
        let times = [1, 2, 3, 4, 5, 5, 5, 5].map(Time::from_secs);
        let all = Opportunities::new(times, 1500).unwrap();
        let mut network = Topology::new();
        let ends = [network.node(), network.node()];
        let link = Link::new("l", ends[0], ends[1], 1, Time::ZERO).driven_by(all);
        let slowest = Slowest {
            constant: NonZeroU64::new(24_000),
            varying: Some(Box::new(Varying(vec![link]))),
        };
        let rate = |from, to| slowest.rate(Time::from_secs(from), Time::from_secs(to));
        assert_eq!(rate(0, 4), Some(12_000.0));
        assert_eq!(rate(3, 5), Some(24_000.0));
        assert_eq!(rate(4, 5), Some(24_000.0));
        assert_eq!(
            slowest.rate(Time::from_millis(100), Time::from_millis(900)),
            None
        );
    }
}
