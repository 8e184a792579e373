//! Which connections are let in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::Limits;

/// Counts the connections that are open.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    open: Arc<Mutex<Open>>,
    most: usize,
    per_address: usize,
    validate_from: usize,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// What becomes of a connection's first packet.
#[derive(Debug)]
pub(super) enum Admission {
    Accept(Place),
    /// It must show that its address is its own.
    Validate,
    Refuse,
}

/// A connection's place, which is free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    guard: Guard,
    address: IpAddr,
}

impl Guard {
    pub fn new(limits: &Limits) -> Self {
        Self {
            open: Arc::default(),
            most: limits.connections,
            per_address: limits.per_address,
            validate_from: limits.validate_from,
        }
    }

    pub fn admit(&self, address: IpAddr, validated: bool) -> Admission {
        let mut open = self.lock();
        let here = open.by_address.get(&address).copied().unwrap_or(0);
        if open.all >= self.most || here >= self.per_address {
            return Admission::Refuse;
        }
        // Addresses that are not shown to be their sender's would fill the table, and use up others' share.
        if !validated && open.all >= self.validate_from {
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

    fn address(n: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, n))
    }

    #[test]
    fn places_are_limited_by_address_and_altogether_and_free_again() {
        let guard = Guard::new(&Limits {
            connections: 3,
            per_address: 2,
            ..Limits::default()
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
        let guard = Guard::new(&Limits {
            validate_from: 1,
            ..Limits::default()
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
