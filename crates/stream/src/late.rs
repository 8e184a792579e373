//! How late a session's host handles its timers: on a machine with other work, the ends are not what a simulation has.

use dumbbell_control::units::{Duration, Instant};

/// What is known of the lateness of an end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    timers: u64,
    sum: Duration,
    /// The latest that a timer was handled after its time.
    pub most: Duration,
}

impl Lateness {
    /// Notes that a timer is handled now, if it is due.
    pub(crate) fn on_timer(&mut self, due: Option<Instant>, now: Instant) {
        if let Some(due) = due.filter(|due| *due <= now) {
            let late = now.since(due);
            self.timers += 1;
            self.sum = self.sum + late;
            self.most = self.most.max(late);
        }
    }

    /// Returns how late timers were on average; zero if there was none.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.sum.as_nanos() / self.timers.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_that_are_due_count() {
        let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
        let mut late = Lateness::default();
        assert_eq!(late.mean(), Duration::ZERO);
        late.on_timer(Some(at(10)), at(10));
        late.on_timer(Some(at(20)), at(26));
        late.on_timer(Some(at(40)), at(30));
        late.on_timer(None, at(50));
        assert_eq!(late.mean(), Duration::from_millis(3));
        assert_eq!(late.most, Duration::from_millis(6));
    }
}
