//! When segments leave that the window allows: pacing, and bursts.

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::key::{Flag, Key, Shape};

/// The key `pacing`.
pub(super) struct Pacing;

impl TcpKey for Pacing {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the window is spread over a round trip: segments leave at 2 cwnd / SRTT below half of `ssthresh`, and at 1.2 cwnd / SRTT above, as in Linux; a control that sets a rate, as BBR, is paced in any case")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.pacing = tcp.pacing;
    }
}

/// The key `pacing_credit`.
pub(super) struct Credit;

impl TcpKey for Credit {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether a paced segment that leaves late shortens the wait after it by as much, at most by a half, the first 10 segments do not wait, and, with `rack`, retransmissions do, as in Linux")
        })
    }

    /// Without a rate there is nothing to credit.
    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        let paced = tcp.pacing || tcp.control.needs().pacing;
        ends.sender.pacing_credit = tcp.pacing_credit && paced;
    }
}

/// The key `below_window`.
pub(super) struct BelowWindow;

impl TcpKey for BelowWindow {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether what is in flight stays below the window, as in quinn, instead of reaching it (RFC 9002, section 7); only with `stack = \"quic\"`")
        })
    }

    /// TCP reaches its window.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `losses_last`.
pub(super) struct LossesLast;

impl TcpKey for LossesLast {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the control hears of the packets that an ACK reveals as lost after all else that the ACK says, as in quinn and noq, instead of before; only with `stack = \"quic\"`")
        })
    }

    /// TCP tells of losses first.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `tso`.
pub(super) struct Bursts;

impl TcpKey for Bursts {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether new segments leave in bursts of a millisecond at the rate of the window, at least 2, and wait up to a millisecond for a burst to become complete, as with segmentation offload in Linux; only with `rack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.tso = tcp.tso;
    }
}
