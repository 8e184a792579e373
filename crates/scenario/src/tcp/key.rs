//! What there is to say of a key of a TCP flow.

use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};

use super::Tcp;
use crate::key::{Key, Shape};

/// A key of a TCP flow, in one place.
pub(super) trait TcpKey {
    /// What its value may be.
    type Shape: Shape;

    /// How it is read, written down and described, and its default.
    fn key() -> Key<Self::Shape>;

    /// Tells the ends of a connection. Some keys are about nothing that they need to know.
    fn hand_over(tcp: &Tcp, ends: &mut Ends);

    /// Its default.
    fn usual() -> <Self::Shape as Shape>::Value {
        let usual = Self::key().usual();
        usual.expect("every key of a TCP flow may be left out")
    }
}

/// What the ends of a TCP connection are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The sending end.
    pub sender: SenderConfig,
    /// The receiving end.
    pub receiver: ReceiverConfig,
}
