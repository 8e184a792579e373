//! The largest sample of a window that slides, in three samples: the largest, and the largest after each
//! (Nichols; `lib/win_minmax.c` in Linux). It never misses the maximum by more than the window's last quarter.

/// A sample and when it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamped {
    at: u64,
    value: u64,
}

/// The maximum over a window of times, which the caller counts: rounds, for example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowedMax {
    best: [Stamped; 3],
}

impl WindowedMax {
    /// The maximum; zero before the first sample.
    pub fn get(&self) -> u64 {
        self.best[0].value
    }

    /// Forgets all samples but one.
    pub fn reset(&mut self, at: u64, value: u64) {
        self.best = [Stamped { at, value }; 3];
    }

    /// Takes a sample at a time that is not before the last one's. A maximum counts for `window` units of
    /// time after its own.
    pub fn update(&mut self, window: u64, at: u64, value: u64) {
        let sample = Stamped { at, value };
        if value >= self.best[0].value || at - self.best[2].at > window {
            return self.reset(at, value);
        }
        if value >= self.best[1].value {
            self.best = [self.best[0], sample, sample];
        } else if value >= self.best[2].value {
            self.best[2] = sample;
        }
        self.slide(window, sample);
    }

    fn slide(&mut self, window: u64, sample: Stamped) {
        let age = sample.at - self.best[0].at;
        if age > window {
            self.best = [self.best[1], self.best[2], sample];
            if sample.at - self.best[0].at > window {
                self.best = [self.best[1], self.best[2], sample];
            }
        } else if self.best[1].at == self.best[0].at && age > window / 4 {
            // A quarter has passed without a second best: take one of the second quarter.
            self.best = [self.best[0], sample, sample];
        } else if self.best[2].at == self.best[1].at && age > window / 2 {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_leaves_when_the_window_has_passed_it() {
        let mut filter = WindowedMax::default();
        for (at, value, expected) in [
            (0, 50, 50),
            (1, 40, 50),
            (4, 30, 50),
            (7, 20, 50),
            (10, 10, 50),
            (11, 10, 30),
            (14, 10, 30),
            (15, 10, 20),
            (16, 60, 60),
        ] {
            filter.update(10, at, value);
            assert_eq!(filter.get(), expected, "at {at}");
        }
    }

    /// Beside a list of all samples: never above the true maximum, and at least that of the window's last
    /// three quarters.
    #[test]
    fn it_is_near_the_true_maximum() {
        let (mut filter, mut all) = (WindowedMax::default(), [0; 5_000]);
        let mut state = 1_u64;
        for at in 0..all.len() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let value = state >> 44;
            filter.update(40, at as u64, value);
            all[at] = value;
            let last = |n: usize| all[(at + 1).saturating_sub(n)..=at].iter().max().copied();
            assert!(Some(filter.get()) <= last(41), "at {at}");
            assert!(Some(filter.get()) >= last(10), "at {at}");
        }
    }
}
