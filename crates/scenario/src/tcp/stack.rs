//! The key `stack`: the choices of an implementation of TCP as the defaults of the other keys.
//!
//! | key | `linux` |
//! |---|---|
//! | `timestamps` | the option, with a clock of 1 ms, unless `header` or `ack` is set, which may count it |
//! | `payload`, `header`, `ack` | 1448 B, 40 B, 40 B; 52 B each without the option, whose bytes count |
//! | `initial_window` | 10 |
//! | `min_rto_variance`, `ack_samples` | true: SRTT + max(4 RTTVAR, 200 ms), by a sample per ACK |
//! | `timer_tick` | 4 ms: `CONFIG_HZ` = 250 |
//! | `pacing`, `pacing_credit` | false, true: only a control that sets a rate is paced |
//! | `window_validation` | true, unless the control sets a rate, as BBR and Prague: then the window is not full though it is used (RFC 9002, section 7.8) |
//! | `hystart` | true with the control `cubic` |
//! | `delayed_ack`, `quick_acks` | 40 ms, 16; not beside `ack_control` |
//! | `autotuning`, `adaptive_delay`, `push` | true; not beside `ack_control` |
//! | `recovery` | `sack`, if the control goes with it and its name implies no other |
//! | `rack`, `tlp`, `undo`, `frto`, `exit_growth`, `rack_last`, `tso`, `prr` | true, `safe`, with `sack` recovery; no `prr` with a control that measures deliveries |
//! | `push_pieces`, `repair_samples` | true, the one with `tso` and `delayed_ack`, the other with `ack_samples` and `rack` |
//! | `handshake_rtt` | true, with `sack` recovery and `handshake` |
//! | `counting`, `abc_limit` of the control | `abc`, 255: a window grows by what an ACK covers |
//! | `raise_alpha` of CUBIC | false |
//! | `whole_segments` of Reno and CUBIC | true |
//!
//! Sources: Linux 6.x, `net/ipv4/tcp_input.c`, `tcp_output.c`, `tcp_recovery.c`, `tcp_cong.c`,
//! `tcp_cubic.c`.

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_tcp::config::{InitialWindow, Stamping};
use dumbbell_tcp::recovery::{Bound, Kind};

use super::key::{Ends, TcpKey};
use super::{Tcp, TcpPatch};
use crate::control::Choice;
use crate::key::{Key, Shape, Word};
use crate::recovery::Recovery;

/// The implementation whose choices are the defaults of the other keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// That of this program, near to RFCs and to ns-2.
    Plain,
    /// Linux.
    Linux,
    /// Not TCP but QUIC, by RFC 9002.
    Quic,
}

/// The key `stack`.
pub(super) struct Bundle;

const STACKS: Word<Stack> = Word {
    words: &[
        ("plain", Stack::Plain),
        ("linux", Stack::Linux),
        ("quic", Stack::Quic),
    ],
    explain: |stack| match stack {
        Stack::Plain => "the defaults of this table",
        Stack::Linux => "those of Linux, see below",
        Stack::Quic => "a QUIC connection instead of TCP (RFC 9002), see below",
    },
};

impl TcpKey for Bundle {
    type Shape = Word<Stack>;

    fn key() -> Key<Self::Shape> {
        STACKS.usually(Stack::Plain, |form| {
            form.means("the implementation whose choices are the defaults of the other keys")
        })
    }

    /// Does nothing: the other keys have its choices.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// Payload of a segment of 1500 bytes with the timestamps option.
const PAYLOAD: Bytes = Bytes(1448);
/// Headers of IP and TCP, and the same with the timestamps option.
const HEADER: Bytes = Bytes(40);
const STAMPED_HEADER: Bytes = Bytes(52);
/// `TCP_TS_HZ`.
const STAMPS: Stamping = Stamping::Option {
    granularity: Duration::from_millis(1),
};
/// `TCP_DELACK_MIN` and `TCP_MAX_QUICKACKS`.
const DELAYED_ACK: Duration = Duration::from_millis(40);
const QUICK_ACKS: u32 = 16;
/// `CONFIG_HZ` = 250, as in Debian's kernels.
const TICK: Duration = Duration::from_millis(4);

impl TcpPatch {
    /// Sets the keys and parameters that are not set to the choices of Linux.
    pub(super) fn fill_as_linux(&mut self, choice: &mut Choice) {
        let sized = self.header.is_some() || self.ack.is_some();
        let stamps = *self
            .timestamps
            .get_or_insert(if sized { Stamping::Exact } else { STAMPS });
        let header = match stamps {
            Stamping::Option { .. } => HEADER,
            Stamping::Exact => STAMPED_HEADER,
        };
        self.payload.get_or_insert(PAYLOAD);
        self.header.get_or_insert(header);
        self.ack.get_or_insert(header);
        self.initial_window
            .get_or_insert(InitialWindow::Segments(10));
        let ticks = matches!(self.rto_tick, Some(Some(_)));
        self.min_rto_variance.get_or_insert(!ticks);
        self.ack_samples.get_or_insert(!ticks);
        self.timer_tick.get_or_insert((!ticks).then_some(TICK));
        self.pacing_credit.get_or_insert(true);
        let own_window = choice.control.needs().delivery;
        let own_rate = choice.control.needs().pacing;
        self.window_validation
            .get_or_insert(!own_window && !own_rate);
        self.hystart.get_or_insert(choice.control.name() == "cubic");
        let controlled = matches!(self.ack_control, Some(Some(_)));
        let delay = *self
            .delayed_ack
            .get_or_insert((!controlled).then_some(DELAYED_ACK));
        let quick = if delay.is_some() { QUICK_ACKS } else { 0 };
        self.quick_acks.get_or_insert(quick);
        for choice in [
            &mut self.autotuning,
            &mut self.adaptive_delay,
            &mut self.push,
        ] {
            choice.get_or_insert(delay.is_some());
        }
        if choice.implied.is_none() && choice.control.recoveries().contains(&Kind::Sack) {
            self.recovery.get_or_insert(Recovery::Sack);
        }
        let implied = choice.implied.map(|(kind, _)| kind);
        let kind = self.recovery.map(Recovery::kind).or(implied);
        if kind == Some(Kind::Sack) {
            self.prr.get_or_insert((!own_window).then_some(Bound::Safe));
            self.sack_compression.get_or_insert(true);
            let rack = *self.rack.get_or_insert(true);
            let opens = self.handshake != Some(false);
            self.handshake_rtt.get_or_insert(rack && opens);
            for choice in [
                &mut self.tlp,
                &mut self.undo,
                &mut self.frto,
                &mut self.exit_growth,
                &mut self.rack_last,
                &mut self.tso,
            ] {
                choice.get_or_insert(rack);
            }
            let bursts = self.tso == Some(true);
            self.push_pieces.get_or_insert(bursts && delay.is_some());
            let samples = self.ack_samples == Some(true);
            self.repair_samples.get_or_insert(rack && samples);
        }
        choice.fill_as_linux();
    }
}
