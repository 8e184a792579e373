//! Queues: what a link does with packets that arrive while it is transmitting.

mod ack_filter;
mod bounded;
mod codel;
mod departures;
pub(crate) mod drop_tail;
mod dualpi2;
mod fifo;
mod flows;
mod fq;
mod fq_codel;
mod holding;
mod limit;
mod line;
mod opportunity;
mod pie;
mod red;
mod server;
mod waiting;

use crate::label::Label;
use crate::random::Random;
use crate::transmitter::Drive;

use self::fifo::Fifo;
use self::holding::{Discipline, Hold};
use self::line::Line;

pub(crate) use self::drop_tail::{Admitted, Backlog, DropTail, transmission};
pub(crate) use self::holding::{Draw, Holding, Transmitted};
pub(crate) use self::opportunity::OpportunityFifo;
pub(crate) use self::server::Server;
pub(crate) use self::waiting::{Decisions, Reason, Waiting};

pub use self::dualpi2::DualScheduler;
pub use self::limit::Limit;

/// The parameters of a queue that decides about each arriving packet. Its state on a link is a
/// [`Detector`](Early::Detector).
pub(crate) trait Early {
    type Detector: Decides;

    /// Returns the largest number of packets in the system.
    fn limit(&self) -> u32;

    /// Returns whether early packets of an ECN-capable transport are marked instead of dropped.
    fn marks(&self) -> bool {
        false
    }

    /// Returns what is wrong with the parameters, apart from the limit.
    fn fault(&self) -> Option<&'static str>;

    /// Returns the state at the start of a run.
    fn detector(&self, service: Service, draws: Random) -> Self::Detector;
}

/// The state of a queue that decides about each arriving packet.
pub(crate) trait Decides {
    /// Decides about an arriving packet. `waiting` is the number of waiting packets. `idle` is `None` on
    /// a busy link; otherwise it is the idle time in nanoseconds or the number of wasted bytes.
    fn arrival(&mut self, waiting: u32, idle: Option<u64>) -> Verdict;
}

/// What happens to an arriving packet if the queue is not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Dropped early, or marked.
    Early,
    /// Dropped because the average queue is too long.
    Forced,
}

/// What drives the transmitter of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Service {
    /// A rate in bits per second, not zero. Idle time is in nanoseconds.
    Rate(u64),
    /// Opportunities. Idle time is in wasted bytes.
    Opportunities,
}

/// Makes the enum of all queues, and those of their states, from one line for each queue that decides
/// about arriving packets, and one for each that holds its packets until they depart.
macro_rules! queues {
    (
        $( $variant:ident: $module:ident, )+
        ;
        $( $(#[$meta:meta])* $held:ident: $held_in:ident, )+
    ) => {
        $( pub use self::$module::$variant; )+
        $( pub use self::$held_in::$held; )+

        /// The queue in front of a link.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Queue {
            /// First in, first out; an arrival that finds the queue full is dropped.
            DropTail {
                /// The largest number of packets in the system, including the one in transmission; at
                /// least 1. If forty packets arrive at once at an idle link with limit 15, 15 are in the
                /// system and 25 are dropped, as in ns-2.
                limit: u32,
            },
            /// First in, first out, without a limit.
            Unlimited,
            $(
                /// First in, first out; arrivals may be dropped or marked before the queue is full.
                $variant($variant),
            )+
            $( $(#[$meta])* $held($held), )+
        }

        impl Queue {
            /// Returns the largest number of packets in the system; `u32::MAX` if it is unlimited.
            pub fn limit(self) -> u32 {
                match self {
                    Self::DropTail { limit } => limit,
                    Self::Unlimited => u32::MAX,
                    $( Self::$variant(queue) => queue.limit(), )+
                    $( Self::$held(queue) => queue.limit(), )+
                }
            }

            /// Returns whether the number of packets in the system matters: it has a limit, the queue
            /// decides by it, or the link is watched.
            pub(crate) fn is_counted(self, watched: bool) -> bool {
                watched || self.limit() != u32::MAX || matches!(self, $( Self::$variant(_) )|+)
            }

            /// Returns whether the queue reads or writes the labels of packets.
            pub(crate) fn is_labelled(self) -> bool {
                match self {
                    Self::DropTail { .. } | Self::Unlimited => false,
                    $( Self::$variant(queue) => queue.marks(), )+
                    $( Self::$held(queue) => queue.is_labelled(), )+
                }
            }

            /// Returns whether waiting packets may still be dropped, removed or overtaken, so that
            /// departures are not known at arrival.
            pub(crate) fn decides_at_departure(self) -> bool {
                matches!(self, $( Self::$held(_) )|+)
            }

            /// Returns whether packets with ECT(1) or CE have a queue of their own.
            pub(crate) fn separates_l4s(self) -> bool {
                matches!(self, Self::DualPi2(_))
            }

            /// Returns what is wrong with the parameters, apart from the limit.
            pub(crate) fn fault(self) -> Option<&'static str> {
                match self {
                    Self::DropTail { .. } | Self::Unlimited => None,
                    $( Self::$variant(queue) => queue.fault(), )+
                    $( Self::$held(queue) => queue.fault(), )+
                }
            }

            /// Returns the state at the start of a run, if the queue decides about arriving packets.
            pub(crate) fn detector(
                self,
                service: Service,
                draws: impl FnOnce() -> Random,
            ) -> Option<Detector> {
                match self {
                    $( Self::$variant(queue) => {
                        Some(Detector::$variant(queue.detector(service, draws()), queue.marks()))
                    } )+
                    _ => None,
                }
            }
        }

        /// The state of any queue that decides about arriving packets, and whether it marks.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a link has one, in a box")]
        pub(crate) enum Detector { $( $variant(<$variant as Early>::Detector, bool), )+ }

        impl Detector {
            /// Returns whether early packets of an ECN-capable transport are marked.
            pub fn marks(&self) -> bool {
                match self { $( Self::$variant(_, marks) => *marks, )+ }
            }

            /// See [`Decides::arrival`].
            pub fn arrival(&mut self, waiting: u32, idle: Option<u64>) -> Verdict {
                match self { $( Self::$variant(detector, _) => detector.arrival(waiting, idle), )+ }
            }
        }

        /// The state of any queue that holds its packets.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a link has one, in a box")]
        pub(crate) enum Held {
            /// Of the queues that need not hold their packets, on a link that does.
            Fifo(Fifo),
            $( $held(<$held as Hold>::Discipline), )+
        }

        impl Held {
            /// Returns the state at the start of a run.
            pub fn new(queue: Queue, drive: Drive<'_>, draws: impl FnOnce() -> Random) -> Self {
                match queue {
                    $( Queue::$held(queue) => Self::$held(queue.discipline(draws())), )+
                    queue => {
                        let detector = queue.detector(Service::of(drive), draws);
                        Self::Fifo(Fifo::new(Limit::Packets(queue.limit()), detector))
                    }
                }
            }
        }

        impl Discipline for Held {
            fn arrival(
                &mut self,
                packet: Waiting,
                label: &Label,
                server: &Server,
                decisions: &mut Decisions,
            ) {
                match self {
                    Self::Fifo(held) => held.arrival(packet, label, server, decisions),
                    $( Self::$held(held) => held.arrival(packet, label, server, decisions), )+
                }
            }

            fn next(&mut self, now: u64, server: &Server, decisions: &mut Decisions) -> Option<Waiting> {
                match self {
                    Self::Fifo(held) => held.next(now, server, decisions),
                    $( Self::$held(held) => held.next(now, server, decisions), )+
                }
            }

            fn len(&self) -> usize {
                match self {
                    Self::Fifo(held) => held.len(),
                    $( Self::$held(held) => held.len(), )+
                }
            }

            fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
                match self {
                    Self::Fifo(held) => held.visit(see),
                    $( Self::$held(held) => held.visit(see), )+
                }
            }
        }
    };
}

queues! {
    Red: red,
    ;
    /// An arrival removes the packets that it makes useless.
    AckFilter: ack_filter,
    /// First in, first out, with a limit that is not a number of packets.
    Bounded: bounded,
    /// Packets are dropped or marked while all of them have waited too long for a while.
    CoDel: codel,
    /// Flows have queues of their own, served in turn.
    Fq: fq,
    /// Flows have queues of their own, served in turn, with CoDel in each.
    FqCoDel: fq_codel,
    /// Arrivals are dropped or marked at random, as the delay and its trend say.
    Pie: pie,
    /// Packets of scalable congestion controls have a short queue of their own, coupled to that of others.
    DualPi2: dualpi2,
}

impl Service {
    /// Returns what drives the transmitter of a link.
    pub fn of(drive: Drive<'_>) -> Self {
        match drive.is_steady() {
            true => Self::Rate(drive.rate),
            false => Self::Opportunities,
        }
    }
}
