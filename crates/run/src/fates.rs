//! The data packets of each flow that never arrive, by cause.

use dumbbell_sim::{Cause, LinkId, Time};

use crate::losses::Losses;

/// How many data packets of a flow never arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// A queue dropped them.
    pub(crate) dropped: u64,
    /// A loss model removed them.
    pub(crate) lost: u64,
}

/// The missing packets of all flows.
///
/// The simulator may tell of a packet's fate before its time. Fates after the warm-up of which it
/// tells during the warm-up are therefore counted apart.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    flows: Vec<Missing>,
    /// Fates after the warm-up, until it is over; empty without a warm-up.
    later: Vec<Missing>,
    warmup: Time,
    /// Where they are listed, if they are.
    pub(crate) list: Option<Losses>,
}

impl Fates {
    /// Starts with no packet missing.
    pub(crate) fn new(flows: usize, warmup: Time) -> Self {
        let warms_up = warmup > Time::ZERO;
        Self {
            flows: vec![Missing::default(); flows],
            later: vec![Missing::default(); if warms_up { flows } else { 0 }],
            warmup,
            list: None,
        }
    }

    /// Counts a packet that leaves the network.
    pub(crate) fn count(&mut self, flow: usize, cause: Cause, at: Time, link: Option<LinkId>) {
        if let Some(list) = &self.list {
            list.add(flow, cause, at, link);
        }
        if let Some(missing) = self.flows.get_mut(flow) {
            missing.count(cause);
        }
        if at > self.warmup
            && let Some(missing) = self.later.get_mut(flow)
        {
            missing.count(cause);
        }
    }

    /// Forgets what went missing during the warm-up, which is over.
    pub(crate) fn restart(&mut self) {
        self.flows = std::mem::take(&mut self.later);
    }

    /// The missing packets of a flow.
    pub(crate) fn of(&self, flow: usize) -> Missing {
        self.flows.get(flow).copied().unwrap_or_default()
    }
}

impl Missing {
    fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Dropped => self.dropped += 1,
            Cause::Lost => self.lost += 1,
            // Only ACKs make other packets useless.
            Cause::Filtered => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_counts_at_its_time() {
        let second = Time::from_secs(1);
        let mut fates = Fates::new(2, second);
        let link = Some(LinkId::from_index(0));
        fates.count(0, Cause::Dropped, second, link);
        fates.count(0, Cause::Lost, second + Time::from_nanos(1), link);
        fates.count(0, Cause::Filtered, second + second, link);
        let found = |dropped, lost| Missing { dropped, lost };
        assert_eq!((fates.of(0), fates.of(1)), (found(1, 1), found(0, 0)));
        fates.restart();
        assert_eq!(fates.of(0), found(0, 1));
        fates.count(1, Cause::Dropped, second + second, link);
        assert_eq!(fates.of(1), found(1, 0));
    }
}
