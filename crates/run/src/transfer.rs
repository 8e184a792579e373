//! The payload that flows transferred, and the time that they were active: rates from exact bytes.

use dumbbell_sim::Time;

/// What a flow transferred within the span that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    /// Payload delivered in order, in bytes.
    pub(crate) delivered: u64,
    /// Payload that arrived, in bytes.
    pub(crate) arrived: u64,
    /// When the flow became active. If it was over before the span, this is after `end`.
    pub(crate) from: Time,
    /// When it was last active.
    pub(crate) end: Time,
    /// The rate of the slowest link on its path, in bit/s; `None` if that was 0.
    pub(crate) slowest: Option<f64>,
}

/// The transfers of several flows together.
#[derive(Debug, Default)]
pub(crate) struct Transfers(Vec<Transfer>);

/// What results say of transfers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    /// In bit/s.
    pub(crate) goodput: f64,
    /// In bit/s.
    pub(crate) throughput: f64,
    /// The goodput divided by the rate of the slowest link.
    pub(crate) share: Option<f64>,
}

impl Transfer {
    pub(crate) fn rates(&self) -> Rates {
        let active = self.end - self.from;
        Rates::of(self.delivered, self.arrived, active, self.slowest)
    }
}

impl Transfers {
    pub(crate) fn add(&mut self, transfer: Transfer) {
        self.0.push(transfer);
    }

    /// Their rates over the time in which at least one flow was active. The slowest link is that on
    /// the paths of all flows.
    pub(crate) fn rates(&self) -> Rates {
        let sum = |of: fn(&Transfer) -> u64| self.0.iter().map(of).sum();
        let slowest = self.0.iter().map(|it| it.slowest);
        let slowest = slowest.reduce(|one, other| Some(one?.min(other?)));
        Rates::of(
            sum(|it| it.delivered),
            sum(|it| it.arrived),
            self.active(),
            slowest.flatten(),
        )
    }

    /// How long at least one flow was active.
    fn active(&self) -> Time {
        let mut spans: Vec<(Time, Time)> = self.0.iter().map(|it| (it.from, it.end)).collect();
        spans.sort_unstable();
        let (mut sum, mut so_far) = (Time::ZERO, Time::ZERO);
        for (from, end) in spans {
            // The difference of times is never negative.
            sum += end - from.max(so_far);
            so_far = so_far.max(end);
        }
        sum
    }
}

impl Rates {
    fn of(delivered: u64, arrived: u64, active: Time, slowest: Option<f64>) -> Self {
        let goodput = rate(delivered, active);
        Self {
            goodput,
            throughput: rate(arrived, active),
            share: slowest.map(|slowest| goodput / slowest),
        }
    }
}

/// Bytes over a time, in bit/s.
fn rate(bytes: u64, time: Time) -> f64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 {
        bytes as f64 * 8.0 / seconds
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(delivered: u64, from: u64, end: u64, slowest: Option<f64>) -> Transfer {
        Transfer {
            delivered,
            arrived: 2 * delivered,
            from: Time::from_secs(from),
            end: Time::from_secs(end),
            slowest,
        }
    }

    fn rates(transfers: &[Transfer]) -> Rates {
        Transfers(transfers.to_vec()).rates()
    }

    #[test]
    fn time_in_which_several_flows_are_active_counts_once() {
        // 1 s to 4 s, one of them within another one, and 6 s to 7 s; one was over before the span.
        let together = rates(&[
            transfer(3000, 6, 7, Some(4e3)),
            transfer(2000, 2, 4, Some(8e3)),
            transfer(2000, 1, 4, Some(4e3)),
            transfer(1000, 2, 3, Some(4e3)),
            transfer(0, 5, 2, Some(4e3)),
        ]);
        let expected = Rates {
            goodput: 16e3,
            throughput: 32e3,
            share: Some(4.0),
        };
        assert_eq!(together, expected);
    }

    #[test]
    fn flows_that_are_active_together_add_up() {
        let flows = [1234, 56_789, 777].map(|bytes| transfer(bytes, 3, 10, Some(1e6)));
        let together = rates(&flows);
        let sum: f64 = flows.iter().map(|it| it.rates().goodput).sum();
        assert!((together.goodput / sum - 1.0).abs() < 1e-9);
        let alone = rates(&flows[..1]);
        assert_eq!(alone, flows[0].rates());
    }

    #[test]
    fn without_time_or_rate_there_is_none() {
        let over = rates(&[transfer(0, 5, 2, Some(1e6))]);
        assert_eq!((over.goodput, over.share), (0.0, Some(0.0)));
        let down = [transfer(1, 0, 1, None), transfer(1, 0, 1, Some(1e6))];
        assert_eq!(rates(&down).share, None);
    }
}
