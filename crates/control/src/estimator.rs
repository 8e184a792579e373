//! Estimators of bandwidth side by side: what each would say of the ACKs of one connection. A host
//! that is asked to runs as many as it likes beside a control; they change nothing.
//!
//! | name | samples | filter |
//! |---|---|---|
//! | `sarbe` | each ACK, by the arrivals at the receiver | stability (SARBE, section 3.1) |
//! | `tustin` | each ACK, by the arrivals of ACKs | Tustin's (Mascolo et al. 2001) |
//! | `constant` | the same | Tustin's with a constant gain |
//! | `ewma` | the same | a moving average of constant gain |
//! | `westwood_plus` | each round | a moving average (Grieco and Mascolo 2004) |

mod acks;
mod rounds;
mod sarbe;

pub use acks::{Constant, Ewma, Tustin};
pub use rounds::WestwoodPlus;
pub use sarbe::Sarbe;

use crate::catalogue::catalogue;
use crate::event::{Sample, Timeout};
use crate::units::Rate;

/// An estimator of bandwidth: a control's samples in, a rate out. It reads no clock and no heap, and
/// never panics whatever the order of its events.
pub trait Estimator {
    /// Every ACK, duplicates and recovery included, as a control is told of it.
    fn on_sample(&mut self, sample: &Sample);
    /// The retransmission timer fired: a silence counts up to here, where silences count.
    fn on_timeout(&mut self, timeout: &Timeout) {
        let _ = timeout;
    }
    /// The estimate; `None` until the first sample of bandwidth.
    fn rate(&self) -> Option<Rate>;
}

catalogue! { $ each; crate::catalogue::Entry;
    Sarbe: Sarbe,
    Tustin: Tustin,
    Constant: Constant,
    Ewma: Ewma,
    WestwoodPlus: WestwoodPlus,
}

impl Estimator for Any {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        each!(self, estimator => estimator.on_sample(sample))
    }
    fn on_timeout(&mut self, timeout: &Timeout) {
        each!(self, estimator => estimator.on_timeout(timeout))
    }
    fn rate(&self) -> Option<Rate> {
        each!(self, estimator => estimator.rate())
    }
}

#[cfg(test)]
mod tests;
