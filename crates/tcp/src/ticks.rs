//! The tick of an operating system's timers. A timer never fires early: it fires at the first tick that is later than
//! the end of its wait, which is counted from the last tick in whole ticks. Long waits end at every 8th tick, longer
//! ones at every 64th, and so on, since they lie in coarser parts of the timer wheel.
//!
//! Source: Linux, `calc_index` in `kernel/time/timer.c`, `usecs_to_jiffies`.

use dumbbell_control::units::{Duration, Instant};

use crate::config::Tick;

/// Waits of fewer ticks end at any tick; those of fewer than 8 times as many at every 8th, and so on.
const FINE: u64 = 63;

/// What Linux adds to the wait for a loss probe and to the reordering window (`TCP_TIMEOUT_MIN_US`).
pub(crate) const LEAST: Duration = Duration::from_millis(2);

/// When a timer fires that is set now, with this tick.
#[cold]
pub(crate) fn firing(now: Instant, wait: Duration, tick: Tick) -> Instant {
    let tick = tick.length().as_nanos();
    let wait = wait.as_nanos().div_ceil(tick);
    let (mut coarseness, mut most) = (1, FINE);
    while wait >= most && most < u64::MAX {
        coarseness *= 8;
        most = most.saturating_mul(8);
    }
    let end = (now.as_nanos() / tick).saturating_add(wait);
    let at = (end / coarseness + 1).saturating_mul(coarseness);
    Instant::from_nanos(at.saturating_mul(tick))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In ticks of 4 ms. 12 ms from 101 ms on: 3 ticks after that of 100 ms, and one more: 116 ms. 12.1 ms take 4 ticks.
    /// 252 ms are 63 ticks, which end at every 8th: 25 + 63 = 88, so at the 96th, 384 ms.
    #[test]
    fn a_timer_fires_at_a_tick_after_its_wait() {
        let fires = |now: u64, wait_us: u64| {
            let now = Instant::ZERO + Duration::from_millis(now);
            let tick = Tick::new(Duration::from_millis(4));
            firing(now, Duration::from_micros(wait_us), tick).as_nanos() / 1_000_000
        };
        assert_eq!(fires(101, 12_000), 116);
        assert_eq!(fires(101, 12_100), 120);
        assert_eq!(fires(100, 40_000), 144);
        assert_eq!(fires(103, 40_000), 144);
        assert_eq!(fires(101, 248_000), 352);
        assert_eq!(fires(101, 252_000), 384);
    }
}
