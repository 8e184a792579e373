//! The ways in which `sack` recovery finds losses and reduces the window.

use dumbbell_tcp::recovery::Bound;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::key::{Flag, Key, Shape, Word};

/// The key `prr`.
pub(super) struct Reduction;

const BOUNDS: Word<Option<Bound>> = Word {
    words: &[
        ("off", None),
        ("crb", Some(Bound::Conservative)),
        ("ssrb", Some(Bound::SlowStart)),
        ("safe", Some(Bound::Safe)),
    ],
    explain: |bound| match bound {
        None => "the window is cut at once",
        Some(Bound::Conservative) => "below the target, at most what was delivered (PRR-CRB)",
        Some(Bound::SlowStart) => "one more on each ACK (PRR-SSRB)",
        Some(Bound::Safe) => "one more on ACKs that advance and show no further loss, as in Linux",
    },
};

impl TcpKey for Reduction {
    type Shape = Word<Option<Bound>>;

    fn key() -> Key<Self::Shape> {
        BOUNDS.usually(None, |form| {
            form.means("proportional rate reduction in loss episodes (RFC 6937) and, with `rack`, after the cut for a mark, with this bound below the target window; only with `sack` recovery")
        })
    }

    /// Does nothing: the recovery has it ([`Tcp::new_recovery`]).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `rack`.
pub(super) struct ByTimes;

impl TcpKey for ByTimes {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether losses are found by the times at which segments were sent (RACK, RFC 8985) instead of counts; only with `sack` recovery")
        })
    }

    /// The recovery is chosen elsewhere ([`Tcp::new_recovery`]). It measures deliveries for a control that needs
    /// them.
    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.deliveries = tcp.control.needs().delivery;
        ends.sender.departures = tcp.control.hears_departures();
    }
}

/// The key `tlp`.
pub(super) struct LossProbe;

impl TcpKey for LossProbe {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether a segment is sent when no ACK has arrived for two round trips, to find a lost tail (TLP, RFC 8985); only with `rack`")
        })
    }

    /// Does nothing: the recovery has it ([`Tcp::new_recovery`]).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `undo`.
pub(super) struct Undo;

impl TcpKey for Undo {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the window is restored if segments turn out to have been late: the receiver reports what arrives twice (DSACK, RFC 2883), and ACKs echo the times of originals (Eifel, RFC 3522) if `timestamps` are an option; only with `rack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.dsack = tcp.undo;
    }
}

/// The key `frto`.
pub(super) struct ForwardRto;

impl TcpKey for ForwardRto {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether new segments are sent first after a timeout, to find out whether it was spurious (F-RTO, RFC 5682), and the window is restored then; only with `rack`")
        })
    }

    /// Does nothing: the recovery has it ([`Tcp::new_recovery`]).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `exit_growth`.
pub(super) struct ExitGrowth;

impl TcpKey for ExitGrowth {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the ACK that ends a loss episode, or shows that a probe has repaired a loss, grows the window (Linux: yes, RFC 5681: no); only with `rack`")
        })
    }

    /// Does nothing: the recovery has it ([`Tcp::new_recovery`]).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `rack_last`.
pub(super) struct RackLast;

impl TcpKey for RackLast {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the round-trip time of `rack` is that of the segment which the sender processes last, as in Linux, so that of the highest that an ACK covers or, if it covers none, of the highest that it SACKs; else it is that of the segment sent last (RFC 8985); only with `rack`")
        })
    }

    /// Does nothing: [`Tcp::new_recovery`](super::Tcp::new_recovery) has it.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}
