//! A recovery that is chosen at run time.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant};

use super::{NewReno, Rack, Recovery, Reno, Sack, Tahoe, Vegas};
use crate::connection::Connection;
use crate::segment::{Output, SackBlock};

/// The recoveries by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Go-back-N.
    Tahoe,
    /// RFC 5681.
    Reno,
    /// RFC 6582.
    NewReno,
    /// RFC 6675.
    Sack,
    /// Vegas' fine-grained timers.
    Vegas,
}

impl Kind {
    /// Every recovery.
    pub const ALL: [Self; 5] = [
        Self::Tahoe,
        Self::Reno,
        Self::NewReno,
        Self::Sack,
        Self::Vegas,
    ];

    /// The recovery with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tahoe => "tahoe",
            Self::Reno => "reno",
            Self::NewReno => "newreno",
            Self::Sack => "sack",
            Self::Vegas => "vegas",
        }
    }

    /// What it is, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Tahoe => "fast retransmit, then go-back-N (Jacobson 1988)",
            Self::Reno => "fast retransmit and fast recovery (RFC 5681)",
            Self::NewReno => "fast recovery with partial ACKs (RFC 6582)",
            Self::Sack => "selective acknowledgements (RFC 6675)",
            Self::Vegas => "fine-grained retransmission timers (Brakmo and Peterson 1995)",
        }
    }

    /// Whether the receiver has to send SACK blocks.
    pub fn needs_sack(self) -> bool {
        self == Self::Sack
    }
}

/// A recovery of any kind. SACK's scoreboard is boxed, since it would make all the others as large.
#[derive(Clone, Debug)]
pub enum Any {
    /// See [`Tahoe`].
    Tahoe(Tahoe),
    /// See [`Reno`].
    Reno(Reno),
    /// See [`NewReno`].
    NewReno(NewReno),
    /// See [`Sack`].
    Sack(Box<Sack>),
    /// See [`Rack`], an alternative to [`Sack`].
    Rack(Box<Rack>),
    /// See [`Vegas`].
    Vegas(Box<Vegas>),
}

impl Any {
    /// A recovery with its default choices.
    pub fn new(kind: Kind) -> Self {
        match kind {
            Kind::Tahoe => Self::Tahoe(Tahoe),
            Kind::Reno => Self::Reno(Reno::default()),
            Kind::NewReno => Self::NewReno(NewReno::default()),
            Kind::Sack => Self::Sack(Box::default()),
            Kind::Vegas => Self::Vegas(Box::default()),
        }
    }
}

macro_rules! each {
    ($any:expr, $recovery:ident => $call:expr) => {
        match $any {
            Any::Tahoe($recovery) => $call,
            Any::Reno($recovery) => $call,
            Any::NewReno($recovery) => $call,
            Any::Sack($recovery) => $call,
            Any::Rack($recovery) => $call,
            Any::Vegas($recovery) => $call,
        }
    };
}

impl Recovery for Any {
    #[inline(always)]
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        now: Instant,
    ) -> bool {
        each!(self, recovery => recovery.on_blocks(tx, ack, blocks, now))
    }

    fn on_old<C: Controller>(&mut self, tx: &mut Connection<C>, ack: u64, blocks: &[SackBlock]) {
        each!(self, recovery => recovery.on_old(tx, ack, blocks));
    }

    fn on_alarm<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) -> bool {
        each!(self, recovery => recovery.on_alarm(tx, now, out))
    }

    #[inline(always)]
    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        each!(self, recovery => recovery.on_advance(tx, acked, now, out));
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        each!(self, recovery => recovery.on_duplicate(tx, now, out));
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        each!(self, recovery => recovery.on_timeout(tx, now, out));
    }

    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        each!(self, recovery => recovery.on_turn(tx, now, out));
    }

    #[inline]
    fn on_rtt(&mut self, rtt: Duration) {
        each!(self, recovery => recovery.on_rtt(rtt));
    }

    fn on_handshake(&mut self, rtt: Duration) {
        if let Self::Rack(rack) = self {
            rack.on_handshake(rtt);
        }
    }

    #[inline]
    fn on_echo(&mut self, before: Instant) {
        if let Self::Rack(rack) = self {
            rack.on_echo(before);
        }
    }

    fn on_marked<C: Controller>(&mut self, tx: &mut Connection<C>) {
        if let Self::Rack(rack) = self {
            rack.on_marked(tx);
        }
    }

    #[inline]
    fn counts_delivered(&self) -> bool {
        each!(self, recovery => recovery.counts_delivered())
    }

    #[inline]
    fn times_covered(&self) -> bool {
        each!(self, recovery => recovery.times_covered())
    }

    fn needs_records(&self) -> bool {
        each!(self, recovery => recovery.needs_records())
    }

    #[inline]
    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        each!(self, recovery => recovery.in_flight(tx))
    }
}
