//! The two traits of this crate: [`Controller`], which answers events with a window, and
//! [`Algorithm`], which makes one.

use core::cmp::Ordering;

use crate::event::{Ack, Loss, Path, Sample, Timeout};
use crate::parameter::Config;
use crate::rule::Rule;
use crate::units::{Rate, Segments};

/// A controller's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window, without the inflation that a recovery adds.
    pub cwnd: Segments,
    /// Slow-start threshold.
    pub ssthresh: Segments,
}

/// A value that [`Controller::explain`] reports, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A pure number.
    Number(f64),
    /// Segments.
    Segments(f64),
    /// Seconds.
    Seconds(f64),
    /// Bits a second.
    BitRate(f64),
    /// The name of a state.
    State(&'static str),
    /// The rule that was applied last.
    Rule(&'static Rule),
}

impl Value {
    /// A sign in words: `falling`, `steady`, `rising`.
    pub fn trend(sign: Ordering) -> Self {
        Self::State(match sign {
            Ordering::Less => "falling",
            Ordering::Equal => "steady",
            Ordering::Greater => "rising",
        })
    }

    /// The number, whatever its unit; `None` for a state and a rule.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(number)
            | Self::Segments(number)
            | Self::Seconds(number)
            | Self::BitRate(number) => Some(number),
            Self::State(_) | Self::Rule(_) => None,
        }
    }

    /// The unit of the number: `segments`, `s`, `bit/s`, or nothing.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Segments(_) => "segments",
            Self::Seconds(_) => "s",
            Self::BitRate(_) => "bit/s",
            Self::Number(_) | Self::State(_) | Self::Rule(_) => "",
        }
    }
}

/// A congestion controller: events in, a window out. It reads no clock, no random numbers
/// and no heap, and never panics whatever the order of its events.
pub trait Controller {
    /// Every ACK, duplicates and recovery included: estimators only.
    fn on_sample(&mut self, sample: &Sample);
    /// New data outside recovery: growth.
    fn on_ack(&mut self, ack: &Ack);
    /// A loss episode begins: reduction.
    fn on_loss(&mut self, loss: &Loss);
    /// The retransmission timer fired.
    fn on_timeout(&mut self, timeout: &Timeout);
    /// The window now.
    fn window(&self) -> Window;
    /// Lowers the congestion window to at most `cwnd` (never below one segment) and leaves
    /// the threshold: the exit rule of RFC 6582, section 3.2, step 3, option 1.
    fn restrict(&mut self, cwnd: Segments);
    /// The rate at which to pace, if the algorithm sets one.
    fn pacing(&self) -> Option<Rate> {
        None
    }
    /// Reports the values behind the window, by name, those that are known. The algorithms of this
    /// crate use these names:
    ///
    /// | name | value |
    /// |---|---|
    /// | `phase` | `slow start` or `congestion avoidance` |
    /// | `backlog` | N, segments that wait in queues; for Vegas, by the round so far |
    /// | `diff` | Vegas' diff when its last round ended, in segments |
    /// | `base_rtt` | BaseRTT or RTTmin, in seconds |
    /// | `rtt` | the RTT that is compared with it, or that CUBIC looks ahead, in seconds |
    /// | `relative_delay` | D, in seconds; for Vegas-A+, when its last round ended |
    /// | `delay_trend` | the sign of D within its tolerance: `falling`, `steady` or `rising` |
    /// | `relative_delay_trend` | the same of dD |
    /// | `congestion` | SARBE's incipient congestion: `begun` or `none` |
    /// | `path_window` | SARBE's oCwnd: the bandwidth times the least RTT, in segments |
    /// | `bwe` | estimated bandwidth, in bits a second |
    /// | `bwe_past` | the same one RTT before the last ACK that congestion avoidance judged |
    /// | `bwe_trend` | the one against the other within the tolerance, as `delay_trend` |
    /// | `ack_wait` | the mean wait of ACKs in queues that RoVegas left out when its last round ended, in seconds |
    /// | `alpha`, `beta` | Vegas-A's thresholds when its last round ended, in segments |
    /// | `throughput` | Th, the window over the RTT of the last round, in bits a second |
    /// | `throughput_trend` | the one against that of the round before, as `delay_trend` |
    /// | `w_max`, `w_cubic`, `w_est` | CUBIC's plateau, curve and estimate of Reno, in segments |
    /// | `k`, `elapsed` | CUBIC's K and t, in seconds |
    /// | `growth` | the [`Rule`] of growth that an ACK meets now, where that hangs on the window alone |
    /// | `round` | the rule that ACKs meet until the round ends, where rounds decide |
    /// | `rule` | the rule that was applied last; beside a `growth`, the last that was none of growth |
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let _ = out;
    }
}

/// What an algorithm cannot do without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// Round-trip times.
    pub rtt: bool,
    /// The receiver's arrival stamps.
    pub receiver_time: bool,
    /// The times that packets waited in routers, which routers must report.
    pub queueing: bool,
}

impl Signals {
    /// Nothing.
    pub const NONE: Self = Self {
        rtt: false,
        receiver_time: false,
        queueing: false,
    };
    /// Round-trip times alone.
    pub const RTT: Self = Self {
        rtt: true,
        ..Self::NONE
    };
    /// Round-trip times and the receiver's arrival stamps.
    pub const RECEIVER_TIME: Self = Self {
        receiver_time: true,
        ..Self::RTT
    };
}

/// Whether an algorithm is what was published under its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It is: as the source in its summary has it, or as the program that adds it says.
    #[default]
    Published,
    /// It is not: only what others say of the original was known, and the rest was made up. Whatever it
    /// does is not to be held against the original.
    Reconstruction,
}

impl Origin {
    /// `published` or `reconstruction`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Reconstruction => "reconstruction",
        }
    }

    /// What stands behind the algorithm wherever people read of it: nothing, or ` (reconstructed)`.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Published => "",
            Self::Reconstruction => " (reconstructed)",
        }
    }
}

/// The factory of a controller; one line in the registry.
pub trait Algorithm: Controller + Sized {
    /// The same word on the command line, in files and elsewhere.
    const NAME: &'static str;
    /// Other words that people use for it.
    const ALIASES: &'static [&'static str] = &[];
    /// One line for people: what it is, and where it was published.
    const SUMMARY: &'static str;
    /// Whether it is what was published under its name.
    const ORIGIN: Origin = Origin::Published;
    /// The signals that it needs.
    const NEEDS: Signals;
    /// The loss recoveries that it makes sense with, its usual one first.
    const RECOVERIES: &'static [&'static str];
    /// Its parameters; the default is the paper's.
    type Config: Config;
    /// A controller for a new connection.
    fn new(config: &Self::Config, path: &Path) -> Self;
}

/// Implements [`Controller`] for an enum each of whose variants holds a controller, or a box of one.
///
/// ```
/// use dumbbell_control::algorithm::{reno::Reno, veno::Veno};
/// use dumbbell_control::controller::Controller;
///
/// enum Mine {
///     Reno(Reno),
///     Veno(Box<Veno>),
///     Other(Box<dyn Controller>),
/// }
/// dumbbell_control::delegate_controller!(Mine: Reno, Veno, Other);
/// ```
#[macro_export]
macro_rules! delegate_controller {
    ($type:ident: $( $variant:ident ),+) => {
        impl $crate::controller::Controller for $type {
            #[inline]
            fn on_sample(&mut self, sample: &$crate::event::Sample) {
                match self { $( Self::$variant(control) => control.on_sample(sample), )+ }
            }
            #[inline(always)]
            fn on_ack(&mut self, ack: &$crate::event::Ack) {
                match self { $( Self::$variant(control) => control.on_ack(ack), )+ }
            }
            fn on_loss(&mut self, loss: &$crate::event::Loss) {
                match self { $( Self::$variant(control) => control.on_loss(loss), )+ }
            }
            fn on_timeout(&mut self, timeout: &$crate::event::Timeout) {
                match self { $( Self::$variant(control) => control.on_timeout(timeout), )+ }
            }
            #[inline(always)]
            fn window(&self) -> $crate::controller::Window {
                match self { $( Self::$variant(control) => control.window(), )+ }
            }
            fn restrict(&mut self, cwnd: $crate::units::Segments) {
                match self { $( Self::$variant(control) => control.restrict(cwnd), )+ }
            }
            fn pacing(&self) -> Option<$crate::units::Rate> {
                match self { $( Self::$variant(control) => control.pacing(), )+ }
            }
            fn explain(&self, out: &mut dyn FnMut(&'static str, $crate::controller::Value)) {
                match self { $( Self::$variant(control) => control.explain(out), )+ }
            }
        }
    };
}
