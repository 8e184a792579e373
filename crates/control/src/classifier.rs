//! Classifiers of losses side by side: whether each would call a loss congestion. A host that knows
//! better, as a simulator does, can say how often each is right; they change nothing.
//!
//! | name | a loss is congestion if |
//! |---|---|
//! | `veno` | N >= beta (Fu and Liew 2003) |
//! | `venodb` | N >= beta and the one-way delay does not fall (VenoDB, section 3.1 D) |
//! | `lded` | N was beta and has not fallen to alpha since (SARBE, section 2) |
//! | `vegas` | N was above beta and has not fallen below alpha since (Biaz and Vaidya 1998) |
//! | `ncpld` | the RTT is above that of the knee of the throughput (Samaraweera 1999; reconstructed) |
//! | `flip_flop` | the RTT is above the control limit of a flip-flop filter (Barman and Matta 2002; reconstructed) |
//!
//! A classifier that has not seen enough to tell says random: none has found congestion.

mod flip_flop;
mod ncpld;
mod predictor;
mod veno;
mod venodb;

pub use flip_flop::FlipFlop;
pub use ncpld::Ncpld;
pub use predictor::{Lded, Vegas};
pub use veno::Veno;
pub use venodb::VenoDb;

use crate::catalogue::catalogue;
use crate::event::{Loss, Sample, Timeout};
use crate::units::Segments;

/// What a loss is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A queue was full, or about to be.
    Congestion,
    /// Anything else.
    Random,
}

impl Verdict {
    /// `congestion` or `random`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Congestion => "congestion",
            Self::Random => "random",
        }
    }

    fn of(congested: bool) -> Self {
        if congested {
            Self::Congestion
        } else {
            Self::Random
        }
    }
}

/// A classifier of losses. It is told what a control is told and, where that counts, the congestion
/// window without inflation. It reads no clock and no heap, and never panics whatever the order of its
/// events.
pub trait Classifier {
    /// Every ACK, duplicates and recovery included, with the window that it finds.
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments);
    /// What this loss is, which came at a window of `cwnd`, before any cut.
    fn classify(&self, loss: &Loss, cwnd: Segments) -> Verdict;
    /// A loss episode began: [`Classifier::classify`], and then what a loss makes it forget.
    fn on_loss(&mut self, loss: &Loss, cwnd: Segments) -> Verdict {
        self.classify(loss, cwnd)
    }
    /// The retransmission timer fired.
    fn on_timeout(&mut self, timeout: &Timeout) {
        let _ = timeout;
    }
}

catalogue! { $ each; crate::catalogue::Entry;
    Veno: Veno,
    VenoDb: VenoDb,
    Lded: Lded,
    Vegas: Vegas,
    Ncpld: Ncpld,
    FlipFlop: FlipFlop,
}

impl Classifier for Any {
    #[inline]
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments) {
        each!(self, classifier => classifier.on_sample(sample, cwnd))
    }
    fn classify(&self, loss: &Loss, cwnd: Segments) -> Verdict {
        each!(self, classifier => classifier.classify(loss, cwnd))
    }
    fn on_loss(&mut self, loss: &Loss, cwnd: Segments) -> Verdict {
        each!(self, classifier => classifier.on_loss(loss, cwnd))
    }
    fn on_timeout(&mut self, timeout: &Timeout) {
        each!(self, classifier => classifier.on_timeout(timeout))
    }
}

#[cfg(test)]
mod tests;
