//! State that the twins in C must share with the controls: the numbers on which a control's next
//! decisions depend. Only tests use it; nothing on the path of an ACK does.

use core::cmp::Ordering;

use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::rtt::{RoundStatistic, Rtt};
use crate::growth::Growth;

/// State as named numbers, always in the same order. A number that is not known is zero.
pub trait Snapshot {
    /// Calls `out` with every name and number.
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64));
}

/// A sign as a number: 0 for less, 1 for equal, 2 for greater.
pub(crate) fn sign(ordering: Ordering) -> u64 {
    match ordering {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}

impl Snapshot for Growth {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        let window = self.window();
        out("cwnd", window.cwnd.raw());
        out("ssthresh", window.ssthresh.raw());
        out("credit", self.credit().raw());
        out("repairing", self.is_repairing().into());
        out("step", self.step() as u64);
    }
}

impl Snapshot for Rtt {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("rtt_eighths", self.eighths().map_or(0, |rtt| rtt.get()));
    }
}

impl Snapshot for RoundStatistic {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        let (began, gathered, samples) = self.parts();
        out("round_began", began.as_nanos());
        out("round_gathered", gathered);
        out("round_samples", samples.into());
    }
}

impl Snapshot for BaseRtt {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("base", self.nanos().map_or(0, |base| base.get()));
    }
}
