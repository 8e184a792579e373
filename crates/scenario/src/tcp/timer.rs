//! The retransmission timer (RFC 6298).

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_tcp::config::{self, TimerConfig};
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::{Flag, Key, Shape, Span};
use crate::text::{quote, time};

/// The permitted timeouts.
const RTO: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(3600);

/// The key `min_rto`.
pub(super) struct Least;

impl TcpKey for Least {
    type Shape = Span;

    fn key() -> Key<Span> {
        Span(RTO).usually(TimerConfig::default().min, |form| {
            form.means("minimum retransmission timeout, up to `max_rto`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.min = tcp.min_rto;
    }
}

/// The key `initial_rto`.
pub(super) struct First;

impl TcpKey for First {
    type Shape = Span;

    fn key() -> Key<Span> {
        Span(RTO).usually(TimerConfig::default().initial, |form| {
            form.means("the timeout before the first sample, up to `max_rto`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.initial = tcp.initial_rto;
    }
}

/// The key `max_rto`.
pub(super) struct Largest;

impl TcpKey for Largest {
    type Shape = Span;

    fn key() -> Key<Span> {
        Span(RTO).usually(TimerConfig::default().max, |form| {
            form.means("maximum timeout, including backoff")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.max = tcp.max_rto;
    }
}

/// The key `rto_tick`.
pub(super) struct Tick;

impl TcpKey for Tick {
    type Shape = AnyTick;

    fn key() -> Key<AnyTick> {
        AnyTick.usually(TimerConfig::default().tick, |form| {
            form.means("the clock tick of the timer, as in ns-2")
                .such_as([json!("10 ms")])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.tick = tcp.rto_tick;
    }
}

/// A clock tick, or none.
pub(super) struct AnyTick;

const TICK: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(10);
const NONE: &str = "none";

impl Shape for AnyTick {
    type Value = Option<Duration>;

    fn read(&self, node: &Node<'_>) -> Option<Option<Duration>> {
        if node.as_text() == Some(NONE) {
            return Some(None);
        }
        node.time(TICK).map(Some)
    }

    fn write(&self, tick: &Option<Duration>) -> String {
        tick.map_or(quote(NONE), time)
    }

    fn form(&self) -> Form {
        value::time(TICK).or_word(NONE)
    }
}

/// The key `min_rto_variance`.
pub(super) struct OfVariance;

impl TcpKey for OfVariance {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the timeout is SRTT + max(4 RTTVAR, `min_rto`), as in Linux; not together with `rto_tick`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.min_variance = tcp.min_rto_variance;
    }
}

/// The key `ack_samples`.
pub(super) struct EachAck;

impl TcpKey for EachAck {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether every ACK gives the timer a sample, also one that only SACKs: the time of the earliest segment that it newly reports, or else, if `timestamps` are an option, of the stamp that it echoes, which also an ACK of a retransmission does and so ends the backoff, while the control is told how long the newest segment that the ACK covers was under way, not in ticks; with `rack`, the control is told of each segment once, when an ACK covers it or a SACK reports it; RTTVAR is then the largest deviation of a round, as in Linux; with `rack`, the timer also starts anew when the oldest segment is sent again, and on each SACK of a segment that was sent before that; not together with `rto_tick`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.timer.each_ack = tcp.ack_samples;
    }
}

/// The key `repair_samples`.
pub(super) struct Repairs;

impl TcpKey for Repairs {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the control's round-trip times are Linux' where segments were sent again, too: an ACK that covers one tells that of the newest segment that it SACKs first, or else of the stamp that it echoes, in whole ticks, if `timestamps` are an option; an ACK that covers none, that of the newest that no SACK has reported; only with `ack_samples` and `rack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.repair_samples = tcp.repair_samples;
    }
}

/// The key `timer_tick`.
pub(super) struct Firing;

impl TcpKey for Firing {
    type Shape = AnyTick;

    fn key() -> Key<AnyTick> {
        AnyTick.usually(None, |form| {
            form.means("the tick at which the timers of both ends fire, but that of pacing: at the first after a wait that is counted in ticks from the last one; a loss probe and the reordering window then wait 2 ms longer, as in Linux; not together with `rto_tick`")
                .such_as([json!("4 ms")])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        let tick = tcp.timer_tick.map(config::Tick::new);
        ends.sender.timer.firing = tick;
        ends.receiver.firing = tick;
    }
}
