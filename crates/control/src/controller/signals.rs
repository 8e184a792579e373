//! The signals that an algorithm requires of its host, and the error of a host that lacks one.

use core::error::Error;
use core::fmt;

/// The signals that an algorithm requires of its host, or that a host provides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signals {
    /// Round-trip times.
    pub rtt: bool,
    /// The receiver's arrival timestamps.
    pub receiver_time: bool,
    /// The times that packets waited in routers, which routers must report.
    pub queueing: bool,
    /// A sender that obeys [`Controller::pacing`](super::Controller::pacing).
    pub pacing: bool,
    /// Deliveries, measured for each segment ([`Controller::on_delivery`](super::Controller::on_delivery)).
    pub delivery: bool,
    /// How many segments were marked, not only whether some were
    /// ([`Marks::Counted`](crate::event::Marks::Counted)). A host that provides it reports a loss also if a mark has
    /// cut the window that was lost from.
    pub marks: bool,
    /// Packets that routers treat as L4S: ECT(1) (RFC 9331, section 4.1).
    pub l4s: bool,
}

impl Signals {
    /// No signals.
    pub const NONE: Self = Self {
        rtt: false,
        receiver_time: false,
        queueing: false,
        pacing: false,
        delivery: false,
        marks: false,
        l4s: false,
    };
    /// Round-trip times alone.
    pub const RTT: Self = Self {
        rtt: true,
        ..Self::NONE
    };
    /// Round-trip times and the receiver's arrival timestamps.
    pub const RECEIVER_TIME: Self = Self {
        receiver_time: true,
        ..Self::RTT
    };

    /// Adds the reports of routers.
    pub const fn with_queueing(mut self) -> Self {
        self.queueing = true;
        self
    }

    /// Adds a sender that paces.
    pub const fn with_pacing(mut self) -> Self {
        self.pacing = true;
        self
    }

    /// Adds measurements of deliveries.
    pub const fn with_delivery(mut self) -> Self {
        self.delivery = true;
        self
    }

    /// Adds counts of ECN marks.
    pub const fn with_marks(mut self) -> Self {
        self.marks = true;
        self
    }

    /// Adds packets that routers treat as L4S.
    pub const fn with_l4s(mut self) -> Self {
        self.l4s = true;
        self
    }

    /// All of these signals, in words.
    ///
    /// ```
    /// use dumbbell_control::controller::Signals;
    ///
    /// assert!(Signals::RTT.words().eq(["round-trip times"]));
    /// ```
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let Self {
            rtt,
            receiver_time,
            queueing,
            pacing,
            delivery,
            marks,
            l4s,
        } = self;
        let none = Self::NONE;
        let each = [
            Self { rtt, ..none },
            Self {
                receiver_time,
                ..none
            },
            Self { queueing, ..none },
            Self { pacing, ..none },
            Self { delivery, ..none },
            Self { marks, ..none },
            Self { l4s, ..none },
        ];
        each.into_iter().filter_map(move |one| one.lacking(none))
    }

    /// The first of these signals that `host` does not provide, in words; `None` if it provides all.
    ///
    /// ```
    /// use dumbbell_control::controller::Signals;
    ///
    /// assert_eq!(Signals::RTT.lacking(Signals::RTT), None);
    /// let lacking = Signals::RECEIVER_TIME.lacking(Signals::RTT);
    /// assert_eq!(lacking, Some("the receiver's arrival timestamps"));
    /// ```
    pub const fn lacking(self, host: Self) -> Option<&'static str> {
        if self.rtt && !host.rtt {
            Some("round-trip times")
        } else if self.receiver_time && !host.receiver_time {
            Some("the receiver's arrival timestamps")
        } else if self.queueing && !host.queueing {
            Some("reports of queueing times from routers")
        } else if self.pacing && !host.pacing {
            Some("a sender that paces at the rate of the control")
        } else if self.delivery && !host.delivery {
            Some("measurements of the rate of delivery")
        } else if self.marks && !host.marks {
            Some("counts of ECN marks")
        } else if self.l4s && !host.l4s {
            Some("packets that routers treat as L4S")
        } else {
            None
        }
    }
}

/// A host lacks a signal that an algorithm requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// What the host lacks, in words.
    pub signal: &'static str,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, signal } = self;
        write!(
            f,
            "{algorithm} requires {signal}, which this host does not provide"
        )
    }
}

impl Error for Lacking {}
