//! The receiver's arrival times, which QUIC does not tell: what the sockets of both ends add to each datagram.

use std::sync::{Arc, Mutex, PoisonError};

use dumbbell_quic::control::event::Stamps;

/// The last arrival time that the peer has told, shared by the socket that learns it and the control that uses it.
#[derive(Clone, Debug, Default)]
pub struct Times(Arc<Mutex<Option<Stamps>>>);

impl Times {
    /// The peer has told when a datagram arrived.
    pub fn tell(&self, stamps: Stamps) {
        *self.lock() = Some(stamps);
    }

    /// What has been told since the last call.
    pub(crate) fn take(&self) -> Option<Stamps> {
        self.lock().take()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Stamps>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
