//! The processor time that the kernel grants real-time threads (`sched_rt_runtime_us` in each
//! `sched_rt_period_us`, sched(7)). A thread that uses it up is paused to the end of the period, some 50 ms by
//! the kernel's defaults, so the loop leaves the class before.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The use of the budget in the last period.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    /// What all real-time threads of a core may use in a period.
    runtime: Duration,
    /// A part of the period.
    slot: Duration,
    used: [Duration; SLOTS],
    next: usize,
    /// The time of the last check, and the processor time until then.
    checked: (Duration, Duration),
}

/// What the loop should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advice {
    /// Nothing.
    Continue,
    /// Wait without spinning, and handle events together.
    Save,
    /// Leave the real-time class at once.
    Leave,
}

const SLOTS: usize = 20;
/// The part of the budget from which on the loop should save.
const SAVE: f64 = 0.6;
/// The part of the budget that is never exceeded, even if the loop uses the whole of the next slot.
const LEAVE: f64 = 0.9;

impl Budget {
    /// Returns the machine's; `None` if it has no limit, or does not tell.
    pub(super) fn of_this_machine() -> Option<Self> {
        let read = |name| {
            let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
            // -1 is no limit.
            let micros: i64 = text.trim().parse().ok()?;
            Some(Duration::from_micros(u64::try_from(micros).ok()?))
        };
        Some(Self::new(
            read("sched_rt_runtime_us")?,
            read("sched_rt_period_us")?,
        ))
    }

    fn new(runtime: Duration, period: Duration) -> Self {
        Self {
            runtime,
            slot: period / SLOTS as u32,
            used: [Duration::ZERO; SLOTS],
            next: 0,
            checked: (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Returns whether a slot is over at this time since the loop's start.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        now.saturating_sub(self.checked.0) >= self.slot
    }

    /// Takes the processor time that the thread has used until now, at the end of a slot. `sharing` is the
    /// number of threads that share the budget of the same core.
    pub(super) fn check(&mut self, now: Duration, used: Duration, sharing: f64) -> Advice {
        self.used[self.next] = used.saturating_sub(self.checked.1);
        self.next = (self.next + 1) % SLOTS;
        self.checked = (now, used);
        let used: Duration = self.used.iter().sum();
        let part = |used: Duration| used.as_secs_f64() * sharing / self.runtime.as_secs_f64();
        if part(used + self.slot) > LEAVE {
            Advice::Leave
        } else if part(used) > SAVE {
            Advice::Save
        } else {
            Advice::Continue
        }
    }
}

/// A loop of this process in the real-time class, until it is dropped.
#[derive(Debug)]
pub(super) struct Sharer(());

static SHARERS: AtomicUsize = AtomicUsize::new(0);

impl Sharer {
    pub(super) fn new() -> Self {
        SHARERS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }

    /// Returns how many of them share a core, on average, and at least 1. The kernel spreads real-time threads
    /// over the cores.
    pub(super) fn per_core(&self) -> f64 {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        (SHARERS.load(Ordering::Relaxed) as f64 / cores as f64).max(1.0)
    }
}

impl Drop for Sharer {
    fn drop(&mut self) {
        SHARERS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// The kernel's usual 950 ms of a second.
    fn budget() -> Budget {
        Budget::new(950 * MS, 1000 * MS)
    }

    /// Returns what is advised at the end of each slot of 50 ms, if the loop uses `used` of it.
    fn advised(budget: &mut Budget, used: impl Fn(u32) -> Duration, sharing: f64) -> Vec<Advice> {
        let mut sum = Duration::ZERO;
        let slots = 0..60;
        let advise = |slot| {
            sum += used(slot);
            budget.check(50 * (slot + 1) * MS, sum, sharing)
        };
        slots.map(advise).collect()
    }

    #[test]
    fn a_loop_that_needs_half_a_core_stays() {
        let found = advised(&mut budget(), |_| 25 * MS, 1.0);
        assert!(found.iter().all(|one| *one == Advice::Continue));
    }

    #[test]
    fn a_loop_that_needs_a_whole_core_leaves_before_the_kernel_pauses_it() {
        let found = advised(&mut budget(), |_| 50 * MS, 1.0);
        let left = found.iter().position(|one| *one == Advice::Leave);
        // It has used all 950 ms at the end of 19 slots.
        let left = left.expect("it is told to leave") + 1;
        assert!(left < 18, "{left}");
        assert!(found.contains(&Advice::Save));
    }

    /// A second that is idle at its ends and busy for 950 ms in between: two halves, each of which is below
    /// the limit if it is judged by its own second.
    #[test]
    fn a_burst_across_the_borders_of_seconds_counts_whole() {
        let burst = |slot| match slot {
            10..29 => 50 * MS,
            _ => Duration::ZERO,
        };
        let found = advised(&mut budget(), burst, 1.0);
        assert!(found[..28].contains(&Advice::Leave), "{found:?}");
    }

    #[test]
    fn two_loops_on_a_core_have_half_of_the_budget_each() {
        let found = advised(&mut budget(), |_| 25 * MS, 2.0);
        assert!(found.contains(&Advice::Leave));
    }
}
