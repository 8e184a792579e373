//! Classifiers that decide whether a loss is due to congestion. They run beside a control and do not
//! influence it. A host that knows the true cause, such as a simulator, can count how often each is
//! right.
//!
//! | name | a loss is congestion if |
//! |---|---|
//! | `veno` | N >= beta (Fu and Liew 2003) |
//! | `venodb` | N >= beta and the one-way delay does not fall (VenoDB, section 3.1 D) |
//! | `lded` | N has reached beta and has not fallen to alpha since (SARBE, section 2) |
//! | `vegas` | N was above beta and has not fallen below alpha since (Biaz and Vaidya 1998) |
//! | `ncpld` | the RTT is above that of the knee of the throughput (Samaraweera 1999; reconstructed) |
//! | `quicly` | the RTT is near that of a full queue, or it is the second within a round trip (h2o/quicly, pull request 687) |
//! | `flip_flop` | the RTT is above the control limit of a flip-flop filter (Barman and Matta 2002; reconstructed) |
//!
//! A classifier without enough samples to decide calls a loss random; `quicly` calls it congestion.
//!
//! ```
//! use dumbbell_control::classifier::{AnyConfig, Classifier, Verdict};
//! use dumbbell_control::event::{Loss, Path, Sample};
//! use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
//!
//! let config = AnyConfig::named("veno").expect("it is in the catalogue");
//! let mut veno = config.build(&Path::new(Bytes(1000)));
//! let (now, cwnd) = (Instant::ZERO, Segments::whole(20));
//! let ack = |ms| Sample::new(now, Segments::ONE).with_rtt(Duration::from_millis(ms));
//!
//! // Without a queue, a loss is random. With 20 segments * 40 ms / 100 ms = 8 segments in the queue, it
//! // is congestion.
//! veno.on_sample(&ack(60), cwnd);
//! assert_eq!(veno.classify(&Loss::new(now, cwnd), cwnd), Verdict::Random);
//! for _ in 0..40 {
//!     veno.on_sample(&ack(100), cwnd);
//! }
//! assert_eq!(veno.classify(&Loss::new(now, cwnd), cwnd), Verdict::Congestion);
//! ```

mod flip_flop;
mod ncpld;
mod predictor;
mod quicly;
mod veno;
mod venodb;

pub use flip_flop::FlipFlop;
pub use ncpld::Ncpld;
pub use predictor::{Lded, Vegas};
pub use quicly::Quicly;
pub use veno::Veno;
pub use venodb::VenoDb;

use crate::catalogue::catalogue;
use crate::event::{Loss, Sample, Timeout};
use crate::units::Segments;

/// The cause to which a loss is attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// A queue was full, or about to be.
    Congestion,
    /// Any other cause, such as a transmission error.
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

/// A classifier of losses. It takes the events of a control and the congestion window without
/// inflation. It uses no clock and no heap, and never panics, whatever the order of its events.
pub trait Classifier {
    /// An ACK arrived, perhaps a duplicate or one during recovery. `cwnd` is the window before the ACK
    /// changes it.
    fn on_sample(&mut self, sample: &Sample, cwnd: Segments);
    /// The verdict on a loss. `cwnd` is the window before the loss cuts it.
    fn classify(&self, loss: &Loss, cwnd: Segments) -> Verdict;
    /// A loss episode began. Returns the verdict of [`Classifier::classify`], then forgets what is
    /// reset at a loss, such as BaseRTT.
    fn on_loss(&mut self, loss: &Loss, cwnd: Segments) -> Verdict {
        self.classify(loss, cwnd)
    }
    /// The verdict on the last episode, if later losses of it may have changed that of [`Classifier::on_loss`].
    fn revised(&self) -> Option<Verdict> {
        None
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
    Quicly: Quicly,
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
    fn revised(&self) -> Option<Verdict> {
        each!(self, classifier => classifier.revised())
    }
    fn on_timeout(&mut self, timeout: &Timeout) {
        each!(self, classifier => classifier.on_timeout(timeout))
    }
}

#[cfg(test)]
mod tests;
