//! Proportional rate reduction (RFC 6937): in a loss episode, segments leave one by one as ACKs report
//! deliveries, and the flight arrives at the target window within about a round trip. RFC 6675 stops
//! until the flight is down at the target, or sends all that is missing below it in one burst.
//!
//! | pipe | segments that the ACK allows |
//! |---|---|
//! | above the target | `ceil(delivered * target / flight) - out` |
//! | at most the target | `min(target - pipe, limit)` |
//!
//! `delivered` and `out` count since the episode began, the ACK that began it included; `limit` is by
//! [`Bound`]. An episode begins with one retransmission in any case.
//!
//! Readings: the target is the controller's window after its cut. `flight` is what was outstanding and
//! not SACKed before the first ACK of the episode. RFC 6937 says the flight size, which counts the first
//! two SACKed segments and with limited transmit those that replaced them: the reduction would end above
//! the target. Its own examples (section 3.1) count as here, and so does Linux, which takes the window.

/// How many segments an ACK allows at most while the flight is below the target window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// What was delivered since the episode began and not yet replaced (PRR-CRB).
    Conservative,
    /// That or what this ACK reports, whichever is more, and one (PRR-SSRB).
    SlowStart,
    /// That or what this ACK reports, whichever is more; one more if the cumulative ACK advances and no
    /// further loss shows: Linux since 4.3.
    Safe,
}

/// What an ACK of an episode reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// Segments newly acknowledged or SACKed.
    pub delivered: u64,
    /// Segments in the network.
    pub pipe: u64,
    /// The target window.
    pub target: u64,
    /// Segments sent so far on the connection.
    pub sent: u64,
    /// Whether the cumulative ACK advances and no further loss shows.
    pub safe: bool,
}

/// The counts of an episode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prr {
    bound: Bound,
    flight: u64,
    delivered: u64,
    /// Segments sent on the connection before the episode.
    sent_before: u64,
}

impl Prr {
    pub(super) fn new(bound: Bound) -> Self {
        Self {
            bound,
            flight: 1,
            delivered: 0,
            sent_before: 0,
        }
    }

    /// An episode begins. `flight` segments were outstanding and not SACKed before, `sent` had been sent.
    pub(super) fn begin(&mut self, flight: u64, sent: u64) {
        self.flight = flight.max(1);
        self.delivered = 0;
        self.sent_before = sent;
    }

    /// How many segments may be sent on an ACK.
    pub(super) fn allowance(&mut self, report: &Report) -> u64 {
        let Report {
            delivered,
            pipe,
            target,
            sent,
            safe,
        } = *report;
        self.delivered += delivered;
        let out = sent - self.sent_before;
        let banked = self.delivered.saturating_sub(out);
        let allowed = if pipe > target {
            let due = self.delivered.saturating_mul(target).div_ceil(self.flight);
            due.saturating_sub(out)
        } else {
            let limit = match self.bound {
                Bound::Conservative => banked,
                Bound::SlowStart => banked.max(delivered) + 1,
                Bound::Safe => banked.max(delivered) + u64::from(safe),
            };
            limit.min(target - pipe)
        };
        allowed.max(u64::from(out == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments sent on each of `acks` ACKs of one segment each, if all that is allowed is sent.
    fn sent(bound: Bound, flight: u64, mut pipe: u64, target: u64, acks: u64) -> Vec<u64> {
        let mut prr = Prr::new(bound);
        prr.begin(flight, 100);
        let mut sent = 100;
        (0..acks)
            .map(|ack| {
                pipe -= u64::from(ack > 0);
                let allowed = prr.allowance(&Report {
                    delivered: 1,
                    pipe,
                    target,
                    sent,
                    safe: false,
                });
                sent += allowed;
                pipe += allowed;
                allowed
            })
            .collect()
    }

    /// RFC 6937, section 3.1, the first example: 20 segments, a target of 10. Every second ACK sends one.
    #[test]
    fn a_single_loss_halves_the_flight_over_a_round() {
        for bound in [Bound::Conservative, Bound::SlowStart, Bound::Safe] {
            let found = sent(bound, 20, 18, 10, 15);
            assert_eq!(found, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        }
    }

    /// A cut to 0.7: ceil(0.7), ceil(1.4), ceil(2.1), ...: 1, 2, 3, 3, 4, 5, 5, 6, 7, 7.
    #[test]
    fn a_cut_to_seven_tenths_sends_seven_segments_on_ten_acks() {
        let found = sent(Bound::Safe, 20, 30, 14, 10);
        assert_eq!(found, [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]);
    }

    /// RFC 6937, section 3.1, the second example: 15 of 20 segments are lost, and pipe falls to 4.
    #[test]
    fn after_a_burst_of_losses_the_bound_decides() {
        assert_eq!(sent(Bound::Conservative, 20, 4, 10, 3), [1, 1, 1]);
        assert_eq!(sent(Bound::SlowStart, 20, 4, 10, 3), [2, 2, 2]);
        assert_eq!(sent(Bound::Safe, 20, 4, 10, 3), [1, 1, 1]);
    }
}
