//! The definition of a key of a TCP flow.

use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};

use super::Tcp;
use crate::key::{Key, Shape};

/// The complete definition of a key of a TCP flow.
pub(super) trait TcpKey {
    /// The permitted values.
    type Shape: Shape;

    /// Returns the key: how it is read, written and described, and its default.
    fn key() -> Key<Self::Shape>;

    /// Configures the two ends of a connection. For some keys there is nothing to configure.
    fn hand_over(tcp: &Tcp, ends: &mut Ends);

    /// Returns the default.
    fn usual() -> <Self::Shape as Shape>::Value {
        let usual = Self::key().usual();
        usual.expect("every key of a TCP flow may be left out")
    }
}

/// The configuration of the two ends of a TCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The sending end.
    pub sender: SenderConfig,
    /// The receiving end.
    pub receiver: ReceiverConfig,
}
