//! Counts of what happened at a server.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::statistics::Report;

/// What happened at a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Connections that were let in.
    pub connections: u64,
    /// Connections turned away, since there were enough.
    pub turned_away: u64,
    /// First packets answered with a demand to show that the address is theirs.
    pub address_validations: u64,
    /// Requests with a wrong token; each ends its connection.
    pub wrong_tokens: u64,
    /// Requests refused: no such file, a name that leads out, a file that is too large.
    pub refused: u64,
    /// Connections that sent what is no request.
    pub malformed: u64,
    /// Connections that were too slow: in the handshake, with the request, in a transfer.
    pub slow: u64,
    /// Transfers that ended whole.
    pub transfers: u64,
    /// Transfers that ended early.
    pub incomplete: u64,
    /// Bytes of files moved.
    pub bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub connections: Count,
    pub turned_away: Count,
    pub validated: Count,
    pub wrong_token: Count,
    pub refused: Count,
    pub malformed: Count,
    pub slow: Count,
    transfers: Count,
    incomplete: Count,
    bytes: Count,
}

impl Counts {
    pub fn note(&self, report: &Report) {
        let count = if report.complete {
            &self.transfers
        } else {
            &self.incomplete
        };
        count.add(1);
        self.bytes.add(report.transferred);
    }

    pub fn now(&self) -> Tally {
        Tally {
            connections: self.connections.now(),
            turned_away: self.turned_away.now(),
            address_validations: self.validated.now(),
            wrong_tokens: self.wrong_token.now(),
            refused: self.refused.now(),
            malformed: self.malformed.now(),
            slow: self.slow.now(),
            transfers: self.transfers.now(),
            incomplete: self.incomplete.now(),
            bytes: self.bytes.now(),
        }
    }
}
