//! A single change of one window.

use dumbbell_control::controller::{Value, Window};
use dumbbell_control::event::LossSignal;
use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Instant, Segments};

use super::host;
use super::kind::Kind;

/// The values that a control reports, in its order.
pub(super) type Values = Vec<(&'static str, Value)>;

/// The event that the control was notified of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// New data was acknowledged.
    Ack,
    /// A loss was detected.
    Loss {
        by: LossSignal,
        transmissions: u32,
        in_flight: Segments,
    },
    /// The retransmission timer fired.
    Timeout {
        consecutive: u32,
        in_flight: Segments,
    },
    /// A recovery ended.
    RecoveryEnd,
    /// The last loss or timeout was none.
    Undo,
    /// The window was not used for a while.
    Unused,
    /// Slow start ended with the previous ACK.
    SlowStartEnd,
    /// The control entered another state.
    State,
    /// The control changed what bounds its rate or its window.
    Bounds,
    /// A report on packets arrived.
    Report,
    /// A rate control did what was due.
    Timer,
}

/// The reason that a control reports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    Rule(&'static Rule),
    /// A word that the control itself defines.
    Word(&'static str),
    Unsaid,
}

/// An event, and how the control reacted to it.
pub(super) struct Step<'s> {
    pub(super) now: Instant,
    /// The flow's position among the run's flows.
    pub(super) flow: usize,
    pub(super) event: Event,
    pub(super) reason: Reason,
    pub(super) before: Window,
    pub(super) after: Window,
    /// The rates before and after, in bit/s, of a flow that has no window; its windows mean nothing.
    pub(super) rates: Option<(f64, f64)>,
    /// The values that the control reported before the event.
    pub(super) values: &'s Values,
    pub(super) values_after: &'s Values,
}

impl Event {
    /// The event's name in lines.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Ack => "ack",
            Self::Loss { by, .. } => by.name(),
            Self::Timeout { .. } => "timeout",
            Self::RecoveryEnd => "recovery_end",
            Self::Undo => "undo",
            Self::Unused => "unused",
            Self::SlowStartEnd => "slow_start_end",
            Self::State => "state",
            Self::Bounds => "bounds",
            Self::Report => "report",
            Self::Timer => "timer",
        }
    }

    /// Segments outstanding at a loss or a timeout.
    pub(super) fn in_flight(&self) -> Option<Segments> {
        match self {
            Self::Loss { in_flight, .. } | Self::Timeout { in_flight, .. } => Some(*in_flight),
            Self::Ack
            | Self::RecoveryEnd
            | Self::Undo
            | Self::Unused
            | Self::SlowStartEnd
            | Self::State
            | Self::Bounds
            | Self::Report
            | Self::Timer => None,
        }
    }
}

impl Step<'_> {
    /// What happened to the window.
    pub(super) fn kind(&self) -> Kind {
        if let Some((before, after)) = self.rates {
            return match after < before {
                true => Kind::Reduction,
                false if after > before => Kind::Growth,
                false => Kind::Hold,
            };
        }
        let (before, after) = (self.before, self.after);
        let grown = after.cwnd > before.cwnd;
        let reduced = after.cwnd < before.cwnd || after.ssthresh < before.ssthresh;
        match self.event {
            // A window that an ACK lets grow does not count as reduced, even if its threshold
            // falls.
            Event::Ack | Event::RecoveryEnd if grown => Kind::Growth,
            Event::Undo => Kind::Restoration,
            Event::SlowStartEnd => Kind::Transition,
            Event::State => Kind::State,
            Event::Bounds => Kind::Bounds,
            _ if reduced => Kind::Reduction,
            Event::Loss { .. } | Event::Timeout { .. } => Kind::Spared,
            Event::Ack | Event::RecoveryEnd | Event::Unused | Event::Report | Event::Timer => {
                Kind::Hold
            }
        }
    }

    /// The rule's name, condition, action and source.
    pub(super) fn texts(&self) -> [&'static str; 4] {
        let rule = match self.reason {
            Reason::Rule(rule) => rule,
            Reason::Unsaid => &host::UNEXPLAINED,
            Reason::Word(word) => return [word, "", "", ""],
        };
        [rule.branch, rule.condition, rule.action, rule.source]
    }
}
