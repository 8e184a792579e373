//! Losses that were recorded: how many, and how many in a row.

use super::steps;

/// The losses of packets that were sent at a regular interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// The packets sent.
    pub sent: u64,
    /// Those that were lost.
    pub lost: u64,
    /// Runs of lost packets; a run ends with a packet that arrives.
    pub runs: u64,
    /// The time from one packet to the next, in nanoseconds; 0 if it is not known.
    pub interval: u64,
}

impl Losses {
    /// Counts what became of packets, in the order in which they were sent.
    pub(super) fn of(arrived: impl IntoIterator<Item = bool>, interval: u64) -> Self {
        let mut losses = Self {
            sent: 0,
            lost: 0,
            runs: 0,
            interval,
        };
        let mut before = true;
        for arrives in arrived {
            losses.sent += 1;
            losses.lost += u64::from(!arrives);
            losses.runs += u64::from(before && !arrives);
            before = arrives;
        }
        losses
    }

    /// Returns the share of packets that were lost, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.lost as f64 / self.sent.max(1) as f64
    }

    /// Returns the loss model of a scenario, and what it says; `None` if nothing was lost.
    ///
    /// Losses that come alone are independent ones of the same share. Those that come in runs (1.5 in a
    /// row or more, on average) become good and bad times: the mean length of each is as recorded, and
    /// the lengths are random, because a state changes after half of that with a probability of 1/2.
    pub(super) fn model(&self) -> Option<(String, String)> {
        if self.lost == 0 {
            return None;
        }
        let share = self.share();
        let mean_run = self.lost as f64 / self.runs.max(1) as f64;
        let said = format!(
            "{} of {} were lost, {mean_run:.1} in a row",
            self.lost, self.sent
        );
        let time = |packets: u64| packets.saturating_mul(self.interval) / self.runs.max(1) / 2;
        let (good, bad) = (time(self.sent - self.lost), time(self.lost));
        // A period of a loss model is a microsecond at least.
        if mean_run < 1.5 || good < 1000 || bad < 1000 {
            return Some((format!("bernoulli = {}", real(share)), said));
        }
        let round = |nanoseconds: u64| steps::time(nanoseconds / 1000 * 1000);
        let model = format!(
            "two_state = {{ good = 0, good_period = \"{}\", bad = 1, bad_period = \"{}\", switch = 0.5 }}",
            round(good),
            round(bad)
        );
        Some((model, said))
    }
}

/// Formats a share with six digits, without an exponent.
fn real(share: f64) -> String {
    let text = format!("{share:.6}");
    let text = text.trim_end_matches('0');
    match text.trim_end_matches('.') {
        "0" => "0.000001".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(pattern: &str) -> Losses {
        Losses::of(pattern.chars().map(|c| c == '.'), 10_000_000)
    }

    #[test]
    fn runs_are_counted() {
        let counted = losses("x..xx.xxx.");
        assert_eq!((counted.sent, counted.lost, counted.runs), (10, 6, 3));
        assert_eq!(losses("...").model(), None);
        assert_eq!(losses("").model(), None);
    }

    #[test]
    fn losses_that_come_alone_are_independent() {
        let (model, said) = losses("x...x...").model().unwrap();
        assert_eq!(model, "bernoulli = 0.25");
        assert_eq!(said, "2 of 8 were lost, 1.0 in a row");
        let rare = Losses {
            sent: 10_000_000,
            lost: 1,
            runs: 1,
            interval: 1,
        };
        assert_eq!(rare.model().unwrap().0, "bernoulli = 0.000001");
    }

    /// 12 packets arrive and 8 are lost, in 2 runs: 6 * 10 ms and 4 * 10 ms each, halved.
    #[test]
    fn losses_in_a_row_are_bad_times() {
        let (model, said) = losses("......xxxx......xxxx").model().unwrap();
        let expected = "two_state = { good = 0, good_period = \"30 ms\", bad = 1, bad_period = \"20 ms\", switch = 0.5 }";
        assert_eq!(model, expected);
        assert_eq!(said, "8 of 20 were lost, 4.0 in a row");
    }
}
