//! Which connections are let in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many connections are let in at a time.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Altogether, with those whose handshake goes on.
    pub connections: usize,
    /// From one address.
    pub per_address: usize,
    /// From so many on, a peer must show first that its address is its own (RFC 9000, section 8.1.2).
    pub validate_from: usize,
}

/// Counts the connections that are open. Its clones count together.
#[derive(Clone, Debug)]
pub struct Guard {
    open: Arc<Mutex<Open>>,
    most: Crowd,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// What becomes of a connection's first packet.
#[derive(Debug)]
pub enum Admission {
    /// It is let in, and has this place.
    Accept(Place),
    /// It must show that its address is its own.
    Validate,
    /// There are too many.
    Refuse,
}

/// A connection's place, which is free again when it is dropped.
#[derive(Debug)]
pub struct Place {
    guard: Guard,
    address: IpAddr,
}

impl Guard {
    /// Makes a guard, with nobody in.
    pub fn new(most: Crowd) -> Self {
        Self {
            open: Arc::default(),
            most,
        }
    }

    /// Decides about a connection from this address, which the peer has shown to be its own or not.
    pub fn admit(&self, address: IpAddr, validated: bool) -> Admission {
        let mut open = self.lock();
        let here = open.by_address.get(&address).copied().unwrap_or(0);
        if open.all >= self.most.connections || here >= self.most.per_address {
            return Admission::Refuse;
        }
        // Addresses that are not shown to be their sender's would fill the table, and use up others' share.
        if !validated && open.all >= self.most.validate_from {
            return Admission::Validate;
        }
        open.all += 1;
        open.by_address.insert(address, here + 1);
        Admission::Accept(Place {
            guard: self.clone(),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.guard.lock();
        open.all -= 1;
        if let Some(here) = open.by_address.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                open.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const CROWD: Crowd = Crowd {
        connections: 64,
        per_address: 16,
        validate_from: 8,
    };

    fn address(n: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, n))
    }

    #[test]
    fn places_are_limited_by_address_and_altogether_and_free_again() {
        let guard = Guard::new(Crowd {
            connections: 3,
            per_address: 2,
            ..CROWD
        });
        let accept = |n| match guard.admit(address(n), false) {
            Admission::Accept(place) => Some(place),
            Admission::Refuse => None,
            Admission::Validate => panic!("there are fewer than validate_from"),
        };
        let first = [accept(1), accept(1)];
        assert!(first.iter().all(Option::is_some));
        assert!(accept(1).is_none(), "the third of one address");
        let other = accept(2);
        assert!(other.is_some());
        assert!(accept(3).is_none(), "the fourth of all");
        drop(first);
        assert!(accept(1).is_some() && accept(3).is_some());
        drop(other);
        assert!(guard.lock().by_address.is_empty());
    }

    #[test]
    fn from_some_connections_on_addresses_are_validated() {
        let guard = Guard::new(Crowd {
            validate_from: 1,
            ..CROWD
        });
        let first = guard.admit(address(1), false);
        assert!(matches!(first, Admission::Accept(_)));
        assert!(matches!(
            guard.admit(address(2), false),
            Admission::Validate
        ));
        assert!(matches!(
            guard.admit(address(2), true),
            Admission::Accept(_)
        ));
    }
}
