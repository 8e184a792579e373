//! How a connection begins, and limited transmit.

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::key::{Flag, Key, Shape};

/// The key `handshake`.
pub(super) struct Handshake;

impl TcpKey for Handshake {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(true, |form| {
            form.means("open with an exchange of empty segments")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.handshake = tcp.handshake;
    }
}

/// The key `handshake_rtt`.
pub(super) struct HandshakeRtt;

impl TcpKey for HandshakeRtt {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the round-trip time of the handshake's empty segments counts as one of the path, as in Linux: it is the first RTprop of `bbr1`, and may be the least round-trip time for the reordering window of `rack`, the size of bursts of `tso` and the samples of rates; the receiver takes it for `sack_compression` and `adaptive_delay`; only with `handshake` and `rack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.handshake_rtt = tcp.handshake_rtt;
        ends.receiver.handshake_rtt = tcp.handshake_rtt;
    }
}

/// The key `limited_transmit`.
pub(super) struct LimitedTransmit;

impl TcpKey for LimitedTransmit {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(true, |form| {
            form.means("a new segment on each of the first two duplicate ACKs (RFC 3042)")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.limited_transmit = tcp.limited_transmit;
    }
}
