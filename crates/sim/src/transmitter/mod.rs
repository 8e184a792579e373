//! Transmitters: when a link can send, and how long that takes.
//!
//! A transmitter sends packets one after the other. It has a rate, constant or over time, or delivery
//! opportunities; a token bucket and the requests of a link with grants may make it wait in addition.

mod varying;

use crate::arq::Arq;
use crate::opportunity::{self, Opportunities};
use crate::queue::drop_tail::{Admitted, transmission};
use crate::steps::Steps;
use crate::time::Time;
use crate::token_bucket::Bucket;

pub use self::varying::InService;

use self::varying::Varying;

/// What makes a link's transmitter different from one that always sends at the link's rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// The rate over time, in bits per second; zero is an outage. Not together with opportunities.
    pub rate: Option<VaryingRate>,
    /// A token bucket in front of the transmitter.
    pub shaper: Option<Shaper>,
    /// Several packets share a transmit opportunity.
    pub aggregate: Option<Aggregate>,
    /// What the loss model loses is sent again.
    pub arq: Option<Arq>,
    /// How long capacity must be requested ahead, as on the uplink of a cell: a packet that finds nothing
    /// waiting or in transmission cannot start before this much time has passed; packets behind it need no
    /// request.
    pub request: Time,
}

/// A rate over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaryingRate {
    /// The rates, in bits per second.
    pub steps: Steps,
    /// What happens to a packet in transmission when the rate changes.
    pub in_service: InService,
}

/// Aggregation, as in Wi-Fi (A-MPDU): whenever the transmitter is free, it takes what waits, up to these limits,
/// and transmits it as one burst. All packets of a burst arrive together, when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The most packets of a burst, at least 1.
    pub packets: u32,
    /// The most bytes of a burst; a single packet may have more.
    pub bytes: u32,
    /// The time that every burst takes in addition: contention, preamble, acknowledgement.
    pub overhead: Time,
    /// Whether the loss model loses whole bursts, as collisions do, instead of single packets. Packets of
    /// kinds that the link does not lose arrive all the same.
    pub all_or_none: bool,
}

/// A token bucket: in any span of time, at most `burst` bytes and those that `rate` allows in that time start
/// to be transmitted. A packet that is larger than the bucket waits until the bucket is full, and takes more
/// than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaper {
    /// The rate at which tokens come, in bits per second, at least 1.
    pub rate: u64,
    /// The size of the bucket in bytes, at least 1. It is full at first.
    pub burst: u64,
}

impl Transmission {
    /// Returns what is wrong with the parameters, if anything.
    pub(crate) fn fault(&self, has_opportunities: bool) -> Option<&'static str> {
        let varying = self.rate.as_ref();
        if varying.is_some_and(|rate| rate.steps.bounds().1 == 0) {
            return Some("a rate over time must not be zero for ever");
        }
        if varying.is_some() && has_opportunities {
            return Some("a link has either opportunities or a rate over time");
        }
        if self.aggregate.is_some_and(|burst| burst.packets == 0) {
            return Some("a burst must have at least 1 packet");
        }
        let empty = |shaper: &Shaper| shaper.rate == 0 || shaper.burst == 0;
        let unfit = self.shaper.as_ref().is_some_and(empty);
        unfit.then_some("a token bucket must have a rate and a size")
    }
}

/// What drives the transmitter of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive<'l> {
    /// In bits per second, not zero, unless the rest says otherwise.
    pub rate: u64,
    pub opportunities: Option<&'l Opportunities>,
    pub own: Option<&'l Transmission>,
}

impl Drive<'_> {
    /// Returns whether the transmitter always sends at `rate`.
    pub fn is_steady(&self) -> bool {
        self.opportunities.is_none() && self.own.is_none()
    }
}

#[cfg(test)]
impl Drive<'static> {
    /// A steady transmitter.
    pub fn at(rate: u64) -> Self {
        Self {
            rate,
            opportunities: None,
            own: None,
        }
    }
}

/// The state of a transmitter.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    base: Base,
    bucket: Option<Bucket>,
    request: u64,
    /// When the last packet departs.
    free_at: u64,
    /// Before this moment nothing starts.
    held_until: u64,
}

#[derive(Clone, Debug)]
enum Base {
    Constant(Constant),
    Varying(Varying),
    Opportunities(opportunity::Transmitter),
}

/// A constant rate.
#[derive(Clone, Debug)]
struct Constant {
    /// In bits per second, not zero.
    rate: u64,
    /// The size of the last packet, and how long one of this size takes: most are alike.
    known: (u32, u64),
}

impl Constant {
    #[inline]
    fn transmission(&mut self, bytes: u32) -> u64 {
        if self.known.0 != bytes {
            self.known = (bytes, transmission(bytes, self.rate));
        }
        self.known.1
    }
}

impl Transmitter {
    pub fn new(drive: Drive<'_>) -> Self {
        let own = drive.own;
        let varying = own.and_then(|own| own.rate.as_ref());
        let base = match (drive.opportunities, varying) {
            (Some(schedule), _) => {
                Base::Opportunities(opportunity::Transmitter::new(schedule.clone()))
            }
            (None, Some(rate)) => Base::Varying(Varying::new(rate)),
            (None, None) => Base::Constant(Constant {
                rate: drive.rate,
                known: (0, 0),
            }),
        };
        Self {
            base,
            bucket: own
                .and_then(|own| own.shaper)
                .map(|shaper| Bucket::new(shaper.rate, shaper.burst)),
            request: own.map_or(0, |own| own.request.as_nanos()),
            free_at: 0,
            held_until: 0,
        }
    }

    /// Returns when the transmission of a packet of this size that arrived at this moment would start, after
    /// all packets that were sent before it.
    #[inline]
    pub fn start(&self, bytes: u32, arrived: u64) -> u64 {
        if self.bucket.is_none() && matches!(self.base, Base::Constant(_)) && self.request == 0 {
            return self.free_at.max(arrived.max(self.held_until));
        }
        self.start_as_driven(bytes, arrived)
    }

    /// The same for any transmitter.
    #[inline(never)]
    fn start_as_driven(&self, bytes: u32, arrived: u64) -> u64 {
        let ready = match self.free_at <= arrived {
            true => arrived.saturating_add(self.request),
            false => arrived,
        };
        let start = self.base_start(ready);
        let Some(bucket) = &self.bucket else {
            return start;
        };
        let filled = bucket.filled(bytes);
        match filled <= start {
            true => start,
            // Opportunities must be later than the moment from which they can be used.
            false => self.base_start(match self.base {
                Base::Opportunities(_) => filled - 1,
                _ => filled,
            }),
        }
    }

    /// Sends a packet that arrived at this moment.
    #[inline(always)]
    pub fn send(&mut self, bytes: u32, arrived: u64) -> Admitted {
        let start = self.start(bytes, arrived);
        if let Some(bucket) = &mut self.bucket {
            bucket.take(bytes, start);
        }
        let departure = match &mut self.base {
            Base::Constant(constant) => start.saturating_add(constant.transmission(bytes)),
            Base::Varying(varying) => varying.end(bytes, start),
            Base::Opportunities(transmitter) => {
                transmitter.send(bytes, start.saturating_sub(1)).departure
            }
        };
        self.free_at = departure;
        Admitted {
            departure,
            tx: departure - start,
        }
    }

    /// Lets nothing start before this moment.
    pub fn hold(&mut self, until: u64) {
        self.held_until = until;
    }

    /// Returns when the last packet departs.
    #[inline]
    pub fn free_at(&self) -> u64 {
        self.free_at
    }

    /// Returns the bytes that the link could have sent after `after` and up to `until`.
    pub fn offered(&self, after: u64, until: u64) -> u64 {
        let [before, all] = [after, until].map(|moment| self.offered_until(moment));
        all.saturating_sub(before)
    }

    /// Returns the rate of this moment in bits per second; the mean rate of opportunities.
    pub fn rate(&self, now: u64) -> u64 {
        match &self.base {
            Base::Constant(constant) => constant.rate,
            Base::Varying(varying) => varying.steps().at(Time::from_nanos(now)),
            Base::Opportunities(all) => all.schedule().mean_rate(),
        }
    }

    fn offered_until(&self, moment: u64) -> u64 {
        let whole = |bits: u128| u64::try_from(bits / 8_000_000_000).unwrap_or(u64::MAX);
        let base = match &self.base {
            Base::Constant(Constant { rate, .. }) => whole(u128::from(*rate) * u128::from(moment)),
            Base::Varying(varying) => whole(varying.steps().integral(moment)),
            Base::Opportunities(all) => all.schedule().offered(Time::from_nanos(moment)),
        };
        match &self.bucket {
            Some(bucket) => base.min(bucket.most(moment)),
            None => base,
        }
    }

    #[inline]
    fn base_start(&self, ready: u64) -> u64 {
        let ready = ready.max(self.held_until);
        match &self.base {
            Base::Constant(_) => self.free_at.max(ready),
            Base::Varying(varying) => varying.start(self.free_at.max(ready)),
            Base::Opportunities(transmitter) => transmitter.start(ready),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const MS: u64 = 1_000_000;

    fn transmitter(rate: u64, own: Transmission) -> Transmitter {
        assert_eq!(own.fault(false), None);
        Transmitter::new(Drive {
            own: Some(&own),
            ..Drive::at(rate)
        })
    }

    /// Start and departure in microseconds.
    fn send(link: &mut Transmitter, bytes: u32, arrived: u64) -> (u64, u64) {
        let sent = link.send(bytes, arrived);
        ((sent.departure - sent.tx) / 1_000, sent.departure / 1_000)
    }

    /// Grants of 1000 bytes every 4 ms (2 Mb/s), to be requested 6 ms ahead. A packet at 1 ms can use grants
    /// after 7 ms; the one behind it takes the next grant; one that comes later, when nothing waits, asks anew.
    #[test]
    fn the_first_packet_requests_a_grant() {
        let grants = Opportunities::new([Time::from_millis(4)], 1_000).unwrap();
        let own = Transmission {
            request: Time::from_millis(6),
            ..Transmission::default()
        };
        let mut link = Transmitter::new(Drive {
            rate: 1,
            opportunities: Some(&grants),
            own: Some(&own),
        });
        assert_eq!(send(&mut link, 1000, MS), (8_000, 8_000));
        assert_eq!(send(&mut link, 1500, 2 * MS), (12_000, 16_000));
        assert_eq!(send(&mut link, 500, 3 * MS), (16_000, 16_000));
        assert_eq!(send(&mut link, 500, 16 * MS), (24_000, 24_000));
        assert_eq!(link.offered(0, 24 * MS), 6_000);
    }

    /// A bucket of 3000 bytes that fills at 1 byte per microsecond, in front of 10 bytes per microsecond.
    #[test]
    fn a_bucket_holds_back_what_exceeds_it() {
        let mut link = transmitter(
            80_000_000,
            Transmission {
                shaper: Some(Shaper {
                    rate: 8_000_000,
                    burst: 3_000,
                }),
                ..Transmission::default()
            },
        );
        let starts = [0; 5].map(|at| send(&mut link, 1000, at).0);
        // Tokens at 100 us: 2100 of 3000; two more packets go at once.
        assert_eq!(starts, [0, 100, 200, 1_000, 2_000]);
        // Full again after 3 ms; a packet of 4000 bytes waits for that.
        assert_eq!(send(&mut link, 4_000, 2 * MS), (5_000, 5_400));
        assert_eq!(send(&mut link, 1_000, 2 * MS), (7_000, 7_100));
    }
}
