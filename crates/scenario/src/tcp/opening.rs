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
