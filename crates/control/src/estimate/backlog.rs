//! The backlog N: segments of this connection that wait in queues,
//! `N = cwnd / RTT * (RTT - BaseRTT)` (Fu and Liew 2003, eq. 2).

use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::rtt::Rtt;
use crate::units::Segments;
use crate::wide::{product_above, product_at_least};

/// Whether `N >= beta`, without a division:
/// `RTT > BaseRTT` and `cwnd * (RTT - BaseRTT) >= beta * RTT`.
/// `false` while the RTT or BaseRTT is unknown.
#[inline]
pub fn reaches(beta: Segments, cwnd: Segments, rtt: &Rtt, base: &BaseRtt) -> bool {
    let (Some(rtt), Some(base)) = (rtt.eighths(), base.nanos()) else {
        return false;
    };
    let (rtt, base) = (rtt.get(), base.get() << 3);
    rtt > base && product_at_least(cwnd.raw(), rtt - base, beta.raw(), rtt)
}

/// Whether `N > bound`, without a division. `false` if RTT <= BaseRTT, or while either is unknown.
#[inline]
pub fn exceeds(bound: Segments, cwnd: Segments, rtt: &Rtt, base: &BaseRtt) -> bool {
    let (Some(rtt), Some(base)) = (rtt.eighths(), base.nanos()) else {
        return false;
    };
    let (rtt, base) = (rtt.get(), base.get() << 3);
    rtt > base && product_above(cwnd.raw(), rtt - base, bound.raw(), rtt)
}

/// The backlog N in segments, as a number for people; `None` while the RTT or BaseRTT is unknown.
pub fn estimate(cwnd: Segments, rtt: &Rtt, base: &BaseRtt) -> Option<f64> {
    let (rtt, base) = (
        rtt.eighths()?.get() as f64,
        base.nanos()?.get() as f64 * 8.0,
    );
    Some(cwnd.as_f64() * (rtt - base) / rtt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    fn rtt_and_base(rtt_us: u64, base_us: u64) -> (Rtt, BaseRtt) {
        let (mut rtt, mut base) = (Rtt::default(), BaseRtt::default());
        rtt.replace(Duration::from_micros(rtt_us));
        base.observe(Duration::from_micros(base_us));
        (rtt, base)
    }

    #[test]
    fn a_backlog_equal_to_beta_reaches_it() {
        // cwnd 20, base 60 ms, RTT 75 ms: N = 20 * 15 / 75 = 4 exactly.
        let (rtt, base) = rtt_and_base(75_000, 60_000);
        let cwnd = Segments::whole(20);
        assert!(reaches(Segments::whole(4), cwnd, &rtt, &base));
        assert!(!reaches(
            Segments::from_raw((4 << 32) + 1),
            cwnd,
            &rtt,
            &base
        ));
        assert_eq!(estimate(cwnd, &rtt, &base), Some(4.0));
    }

    #[test]
    fn without_queueing_no_threshold_is_reached() {
        let (rtt, base) = rtt_and_base(60_000, 60_000);
        assert!(!reaches(Segments::ZERO, Segments::whole(20), &rtt, &base));
        let (rtt, base) = rtt_and_base(50_000, 60_000);
        assert!(!reaches(Segments::ZERO, Segments::whole(20), &rtt, &base));
    }

    #[test]
    fn without_an_rtt_or_base_rtt_no_threshold_is_reached() {
        let (rtt, base) = rtt_and_base(75_000, 60_000);
        let cwnd = Segments::whole(20);
        assert!(!reaches(Segments::ONE, cwnd, &Rtt::default(), &base));
        assert!(!reaches(Segments::ONE, cwnd, &rtt, &BaseRtt::default()));
        assert_eq!(estimate(cwnd, &Rtt::default(), &base), None);
    }
}
