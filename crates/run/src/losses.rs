//! The data packets that never arrive, one by one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dumbbell_scenario::Duration;
use dumbbell_sim::{Cause, LinkId, Time};

use crate::time::since_start;

/// A data packet that never arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When it left the network.
    pub at: Duration,
    /// The flow, by its position among the run's flows.
    pub flow: usize,
    /// The link, by its position among the outcome's links; `None` if the packet arrived damaged.
    pub link: Option<usize>,
    /// Whether a loss model removed it; otherwise a queue dropped it.
    pub random: bool,
}

/// A list of the data packets that never arrive in a run; to be passed to [`Run::losses`](crate::Run::losses).
#[derive(Clone, Debug, Default)]
pub struct Losses {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    most: usize,
    losses: Vec<Loss>,
    more: u64,
}

impl Losses {
    /// Makes a list that holds so many losses at most; further ones are counted.
    pub fn up_to(most: usize) -> Self {
        let inner = Inner {
            most,
            ..Inner::default()
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    /// Takes the losses so far out of the list, in the order of their times, with the number of those that are not
    /// listed.
    pub fn take(&self) -> (Vec<Loss>, u64) {
        let mut inner = self.lock();
        let mut losses = std::mem::take(&mut inner.losses);
        losses.sort_by_key(|loss| (loss.at, loss.flow, loss.link));
        (losses, std::mem::take(&mut inner.more))
    }

    pub(crate) fn add(&self, flow: usize, cause: Cause, at: Time, link: Option<LinkId>) {
        let random = match cause {
            Cause::Dropped => false,
            Cause::Lost => true,
            // Only ACKs make other packets useless.
            Cause::Filtered => return,
        };
        let mut inner = self.lock();
        if inner.losses.len() >= inner.most {
            inner.more += 1;
            return;
        }
        inner.losses.push(Loss {
            at: since_start(at),
            flow,
            link: link.map(LinkId::index),
            random,
        });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
