//! Estimators of bandwidth that run beside a control, to compare their estimates on the same ACKs. A
//! host may run any number of them; they do not influence the connection.
//!
//! | name | samples | filter |
//! |---|---|---|
//! | `sarbe` | one per ACK, from the spacing of data at the receiver | stability (SARBE, section 3.1) |
//! | `tustin` | one per ACK, from the spacing of ACKs | Tustin's (Mascolo et al. 2001) |
//! | `constant` | one per ACK, from the spacing of ACKs | Tustin's with a constant gain |
//! | `ewma` | one per ACK, from the spacing of ACKs | a moving average of constant gain |
//! | `westwood_plus` | one per round | a moving average (Grieco and Mascolo 2004) |
//!
//! ```
//! use dumbbell_control::estimator::{AnyConfig, Estimator};
//! use dumbbell_control::event::{Path, Sample};
//! use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
//!
//! let config = AnyConfig::named("tustin").expect("it is in the catalogue");
//! let mut tustin = config.build(&Path::new(Bytes(1000)));
//! assert_eq!(tustin.rate(), None);
//!
//! // An ACK of 1000 bytes every 10 ms means 800 kb/s.
//! for n in 1..=500 {
//!     let now = Instant::ZERO + Duration::from_millis(10 * n);
//!     tustin.on_sample(&Sample::new(now, Segments::ONE));
//! }
//! let rate = tustin.rate().expect("it has seen samples").as_bits_per_second();
//! assert!((rate / 800e3 - 1.0).abs() < 1e-3);
//! ```

mod acks;
mod rounds;
mod sarbe;

pub use acks::{Constant, Ewma, Tustin};
pub use rounds::WestwoodPlus;
pub use sarbe::Sarbe;

use crate::catalogue::catalogue;
use crate::event::{MssChange, Sample, Timeout};
use crate::units::Rate;

/// An estimator of bandwidth: the samples of a control in, a rate out. It uses no clock and no heap,
/// and never panics, whatever the order of its events.
pub trait Estimator {
    /// An ACK arrived, perhaps a duplicate or one during recovery: the same sample as for a control.
    fn on_sample(&mut self, sample: &Sample);
    /// The retransmission timer fired. An estimator that counts idle time as samples of zero adds the
    /// samples that are due.
    fn on_timeout(&mut self, timeout: &Timeout) {
        let _ = timeout;
    }
    /// The payload of a full segment changed.
    fn on_mss(&mut self, change: &MssChange);
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
    fn on_mss(&mut self, change: &MssChange) {
        each!(self, estimator => estimator.on_mss(change))
    }
    fn rate(&self) -> Option<Rate> {
        each!(self, estimator => estimator.rate())
    }
}

#[cfg(test)]
mod tests;
