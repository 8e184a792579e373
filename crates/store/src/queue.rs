//! The queue of rows to be written to disk: many threads push, one writes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Row, Store, StoreError};

/// How long a finished run waits so that others can be written together with it.
pub const PAUSE: Duration = Duration::from_millis(200);
/// The number of bytes that are written without waiting for more.
const ENOUGH: usize = 8 << 20;
/// The number of bytes that may wait. Beyond it, a finished run waits for the disk, so that memory
/// does not fill up.
const MOST: usize = 256 << 20;

/// Rows that wait to be written.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    pushed: Condvar,
    taken: Condvar,
}

#[derive(Default)]
struct State {
    rows: Vec<Row>,
    bytes: usize,
    since: Option<Instant>,
    closed: bool,
    abandoned: bool,
}

/// Closes the queue when dropped, so that the writer ends whatever happens to the workers.
pub(super) struct Closing<'a>(pub(super) &'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.pushed.notify_all();
    }
}

impl Queue {
    /// Adds a row for the writer.
    pub(super) fn push(&self, row: Row) {
        let mut state = self
            .taken
            .wait_while(self.state(), |state| state.bytes > MOST && !state.abandoned)
            .unwrap_or_else(PoisonError::into_inner);
        if state.abandoned {
            return;
        }
        let first = state.rows.is_empty();
        if first {
            state.since = Some(Instant::now());
        }
        state.bytes += row.size();
        state.rows.push(row);
        if first || state.bytes >= ENOUGH {
            self.pushed.notify_all();
        }
    }

    /// Writes rows until the queue is closed. Returns how many rows were stored, and the error if
    /// there was one; after an error nothing more is written.
    pub(super) fn write(&self, store: &Store) -> (usize, Option<StoreError>) {
        let mut kept = 0;
        while let Some(rows) = self.take() {
            if let Err(error) = store.put_all(&rows) {
                let mut state = self.state();
                state.abandoned = true;
                state.rows.clear();
                self.taken.notify_all();
                return (kept, Some(error));
            }
            kept += rows.len();
        }
        (kept, None)
    }

    /// Waits for rows, and then briefly for more. Returns `None` when the queue is closed and
    /// empty.
    fn take(&self) -> Option<Vec<Row>> {
        let mut state = self
            .pushed
            .wait_while(self.state(), |state| state.rows.is_empty() && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        while !state.closed && state.bytes < ENOUGH {
            let left = PAUSE.saturating_sub(state.since.map_or(PAUSE, |since| since.elapsed()));
            if left.is_zero() {
                break;
            }
            state = self
                .pushed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.bytes = 0;
        state.since = None;
        self.taken.notify_all();
        let rows = std::mem::take(&mut state.rows);
        (!rows.is_empty()).then_some(rows)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    #[test]
    fn a_run_waits_for_the_disk_only_if_memory_would_fill_up() {
        let text = "
            duration = \"1 s\"
            [dumbbell]
            access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
            bottleneck = { rate = \"1 Mb/s\", delay = \"20 ms\", queue = \"unlimited\" }
            [[flow]]
            control = \"veno\"";
        let scenario = Scenario::parse("test", text, &Controls::builtin()).unwrap();
        let key = Key::of(&scenario, 1, None).unwrap();
        let row = |bytes| Row {
            key: key.clone(),
            name: [0; 32],
            words: Vec::new(),
            outcome: vec![0; bytes],
            series: None,
        };
        let queue = Queue::default();
        for _ in 0..1000 {
            queue.push(row(1000));
        }
        assert_eq!(queue.take().map(|rows| rows.len()), Some(1000));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for bytes in [MOST, 1, 1] {
                    queue.push(row(bytes));
                }
            });
            while queue.state().rows.len() < 2 {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            assert_eq!(queue.state().rows.len(), 2);
            assert_eq!(queue.take().map(|rows| rows.len()), Some(2));
        });
        assert_eq!(queue.take().map(|rows| rows.len()), Some(1));
        drop(Closing(&queue));
        assert!(queue.take().is_none());
    }
}
