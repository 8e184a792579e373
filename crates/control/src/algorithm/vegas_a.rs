//! Vegas-A: Vegas whose thresholds move, so that a wrong BaseRTT or an old flow's place matters less.
//!
//! Paper: Srijith, Jacob and Ananda, "TCP Vegas-A: Improving the Performance of TCP Vegas", Computer
//! Communications 28(4), 2005. VenoDB, section 2.2, says of it that it "added the comparison of two
//! consecutive RTT's throughput on the basis of Vegas, and dynamically adjusted the threshold".
//!
//! Th = cwnd / rtt of the round that ends, Th' that of the round before; diff as Vegas'. Once a round
//! in congestion avoidance:
//!
//! | diff | condition | cwnd over the coming round | alpha and beta |
//! |---|---|---|---|
//! | alpha to beta | Th > Th' | + 1 | + 1 |
//! | alpha to beta | else | stays | stay |
//! | < alpha | alpha as at first | + 1 | stay |
//! | < alpha | Th > Th' | + 1 | stay |
//! | < alpha | Th < Th' | - 1 | - 1 |
//! | < alpha | Th = Th' | stays | stay |
//! | > beta | alpha as at first | - 1 | stay |
//! | > beta | else | - 1 | - 1 |
//!
//! Slow start, loss, timeout: as Vegas. Initial values: alpha 1, beta 3. No other parameters.
//!
//! Readings
//! * This is written from what is publicly known of the paper, not from its text. What the original
//!   does at diff > beta while alpha is 1 is uncertain: here the window shrinks and alpha stays.
//! * Th is compared exactly; the first round has nothing to be compared with and counts as equal.
//! * A timeout forgets Th; alpha and beta stay as they are.
//! * + 1 is spread over the round, as Vegas' growth is; - 1 is taken at once.
//!
//! Deviations: none known. Signals: RTT. Hosts: all; the usual recovery is Vegas' own.

pub(super) mod rules;

use core::cmp::Ordering;

use crate::algorithm::vegas::Vegas;
use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::estimate::bandwidth::segment_size;
use crate::estimate::throughput::{self, Throughput};
use crate::event::{Ack, Loss, Path, Sample, Timeout};
use crate::units::Segments;
use rules::Book;

/// Vegas' parameters; its `alpha` and `beta` are those to begin with.
pub use crate::algorithm::vegas::Config;

/// Vegas-A. 200 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct VegasA {
    vegas: Vegas,
    throughput: Throughput,
    mss: u32,
    /// By how many segments alpha and beta exceed their first values.
    raised: u32,
    /// The same when the last round was judged, for people.
    judged: u32,
}

const _: () = assert!(size_of::<VegasA>() <= 200);

impl VegasA {
    /// The most that alpha and beta are raised by.
    const MOST: u32 = 1 << 20;

    /// Whether the next ACK of new data has a round to judge.
    pub(super) fn is_round_over(&self) -> bool {
        self.vegas.mean_of_past_round().is_some()
    }

    /// An ACK of new data. `agree` makes what counts as Th's change of what it is.
    #[inline]
    pub(super) fn take(
        &mut self,
        ack: &Ack,
        book: &'static Book,
        agree: impl FnOnce(Ordering) -> Ordering,
    ) {
        let Self {
            vegas,
            throughput,
            mss,
            raised,
            judged,
        } = self;
        if let Some(rtt) = vegas.mean_of_past_round() {
            *judged = *raised;
            throughput.observe(throughput::rate(vegas.window().cwnd, *mss, rtt));
        }
        let change = throughput.change();
        vegas.take(ack, |vegas, diff| {
            let more = Segments::whole(*raised);
            let Config { alpha, beta, .. } = *vegas.config();
            if diff.is_above(beta + more) {
                vegas.lower(if *raised > 0 {
                    &book.retreat
                } else {
                    &book.lower
                });
                *raised = raised.saturating_sub(1);
            } else if diff.is_below(alpha + more) {
                match agree(change) {
                    _ if *raised == 0 => vegas.raise(&book.raise),
                    Ordering::Greater => vegas.raise(&book.raise_rising),
                    Ordering::Less => {
                        vegas.lower(&book.lower_falling);
                        *raised -= 1;
                    }
                    Ordering::Equal => vegas.keep(&book.keep_below),
                }
            } else if agree(change) == Ordering::Greater {
                vegas.raise(&book.probe);
                *raised = (*raised + 1).min(Self::MOST);
            } else {
                vegas.keep(&book.keep);
            }
        });
    }
}

impl Algorithm for VegasA {
    const NAME: &'static str = "vegas-a";
    const ALIASES: &'static [&'static str] = &["vegasa", "vegas_a"];
    const SUMMARY: &'static str = "Vegas whose thresholds follow the throughput (Srijith, Jacob and Ananda 2005, from public \
         knowledge)";
    const NEEDS: Signals = Vegas::NEEDS;
    const RECOVERIES: &'static [&'static str] = Vegas::RECOVERIES;
    type Config = Config;

    fn new(config: &Config, path: &Path) -> Self {
        Self {
            vegas: Vegas::new(config, path),
            throughput: Throughput::default(),
            mss: segment_size(path.mss),
            raised: 0,
            judged: 0,
        }
    }
}

impl Controller for VegasA {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        self.vegas.on_sample(sample);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.take(ack, &rules::VEGAS_A, |change| change);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.vegas.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.vegas.on_timeout(timeout);
        self.throughput = Throughput::default();
    }

    #[inline]
    fn window(&self) -> Window {
        self.vegas.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.vegas.restrict(cwnd);
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let more = Segments::whole(self.judged);
        let Config { alpha, beta, .. } = *self.vegas.config();
        out("alpha", Value::Segments((alpha + more).as_f64()));
        out("beta", Value::Segments((beta + more).as_f64()));
        if let Some(rate) = self.throughput.rate() {
            out("throughput", Value::BitRate(rate.as_bits_per_second()));
        }
        out("throughput_trend", Value::trend(self.throughput.change()));
        self.vegas.explain(out);
    }
}

#[cfg(test)]
pub(super) mod tests;
