//! Explicit congestion notification (RFC 3168).

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::key::{Flag, Key, Shape};

/// The key `ecn`.
pub(super) struct Ecn;

impl TcpKey for Ecn {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("explicit congestion notification (RFC 3168): routers may mark data instead of dropping it")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.ecn = tcp.ecn;
        ends.receiver.ecn = tcp.ecn;
    }
}
