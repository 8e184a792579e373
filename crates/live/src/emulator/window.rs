//! What others may see of a running network: its loop tells it when it is asked, and never waits for anybody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dumbbell_run::LinkCounts;

use super::judged::Judged;

/// The counters of a network at one moment, from its beginning.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The time since the beginning.
    pub elapsed: Duration,
    /// The links, or the first of many.
    pub links: Vec<LinkCounts>,
    /// Bytes of packets that came from the sender's and from the receiver's host.
    pub entered_bytes: [u64; 2],
    /// Bytes of packets that the sender's and the receiver's host got.
    pub left_bytes: [u64; 2],
    /// How late packets are, and what is wrong.
    pub judged: Judged,
}

/// Between the loop and those who look.
#[derive(Debug)]
pub(crate) struct Window {
    wanted: AtomicBool,
    told: Mutex<Receiver<Snapshot>>,
}

/// The loop's side of a window.
#[derive(Debug)]
pub(super) struct Sill {
    window: Arc<Window>,
    tell: SyncSender<Snapshot>,
}

/// The loop looks at least once in a millisecond.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most links of a snapshot: the bottlenecks come first, and ten thousand flows have forty thousand links.
pub(super) const MOST_LINKS: usize = 64;

impl Window {
    pub(super) fn new() -> (Arc<Self>, Sill) {
        let (tell, told) = sync_channel(1);
        let window = Arc::new(Self {
            wanted: AtomicBool::new(false),
            told: Mutex::new(told),
        });
        let sill = Sill {
            window: Arc::clone(&window),
            tell,
        };
        (window, sill)
    }

    /// Asks the loop; `None` if it does not run.
    pub(crate) fn look(&self) -> Option<Snapshot> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // One that came too late for an earlier question.
        while told.try_recv().is_ok() {}
        self.wanted.store(true, Ordering::Relaxed);
        told.recv_timeout(PATIENCE).ok()
    }
}

impl Sill {
    /// Returns whether somebody asks.
    pub(super) fn is_asked(&self) -> bool {
        self.window.wanted.load(Ordering::Relaxed)
    }

    pub(super) fn tell(&self, snapshot: Snapshot) {
        self.window.wanted.store(false, Ordering::Relaxed);
        // If there is no room, nobody has taken the last one.
        let _ = self.tell.try_send(snapshot);
    }
}
