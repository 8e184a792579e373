//! Controllers of the stacks that count loss episodes, whatever they are told: an episode begins with the loss of a
//! packet that left after the last episode began (RFC 9002, section 7.3.1).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The episodes of a connection, counted as it goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct Episodes(Arc<AtomicU64>);

impl Episodes {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What an episode needs to be told from the next.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    episodes: Episodes,
    began: Option<Instant>,
}

impl Counter {
    pub fn new(episodes: &Episodes) -> Self {
        Self {
            episodes: episodes.clone(),
            began: None,
        }
    }

    /// The newest of the packets that are lost at `now` left at `sent`.
    pub fn on_loss(&mut self, now: Instant, sent: Instant) {
        if self.began.is_none_or(|began| sent > began) {
            self.began = Some(now);
            self.episodes.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn losses_of_packets_that_left_before_an_episode_belong_to_it() {
        let episodes = Episodes::default();
        let mut counter = Counter::new(&episodes);
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        counter.on_loss(at(60), at(0));
        counter.on_loss(at(70), at(60));
        assert_eq!(episodes.count(), 1);
        counter.on_loss(at(130), at(61));
        assert_eq!(episodes.count(), 2);
    }
}
