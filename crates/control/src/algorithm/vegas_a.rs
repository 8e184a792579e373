//! Vegas-A: Vegas with thresholds that follow the throughput, so that a wrong BaseRTT or the order in
//! which flows began matters less.
//!
//! Paper: Srijith, Jacob and Ananda, "TCP Vegas-A: Improving the Performance of TCP Vegas", Computer
//! Communications 28(4), 2005. VenoDB, section 2.2, says of it that it "added the comparison of two
//! consecutive RTT's throughput on the basis of Vegas, and dynamically adjusted the threshold".
//!
//! Th = cwnd / rtt of the round that ends, Th' that of the round before; diff as in Vegas. At the end
//! of each round in congestion avoidance:
//!
//! | diff | condition | cwnd over the coming round | alpha and beta |
//! |---|---|---|---|
//! | alpha to beta | Th > Th' | + 1 | + 1 |
//! | alpha to beta | else | stays | stay |
//! | < alpha | alpha has its first value | + 1 | stay |
//! | < alpha | Th > Th' | + 1 | stay |
//! | < alpha | Th < Th' | - 1 | - 1 |
//! | < alpha | Th = Th' | stays | stay |
//! | > beta | alpha has its first value | - 1 | stay |
//! | > beta | else | - 1 | - 1 |
//!
//! Slow start, loss, timeout: as in Vegas. Initial values: alpha 1, beta 3. Other parameters: Vegas'.
//!
//! Readings
//! * This is written from what is publicly known of the paper, not from its text. What the original
//!   does at diff > beta while alpha is 1 is uncertain: here the window shrinks and alpha stays.
//! * Th is compared exactly. The first round has no round before it and counts as equal.
//! * A timeout forgets Th; alpha and beta keep their values.
//! * The segment of `+ 1` is spread over the round, as in Vegas; `- 1` is applied at once.
//!
//! Deviations: none known. Signals: RTT. Hosts: all; the usual recovery is Vegas' own.

pub(super) mod rules;

use core::cmp::Ordering;

use crate::algorithm::vegas::Vegas;
use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::throughput::{self, Throughput};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::units::Segments;
use rules::Book;

/// Vegas' parameters. `alpha` and `beta` are the first values of the thresholds.
pub use crate::algorithm::vegas::Config;

/// Vegas-A. 200 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct VegasA {
    vegas: Vegas,
    throughput: Throughput,
    mss: u32,
    /// How many segments alpha and beta are above their first values.
    raised: u32,
    /// `raised` when the last round was judged, for people.
    judged: u32,
}

const _: () = assert!(size_of::<VegasA>() <= 200);

impl VegasA {
    /// The most segments by which alpha and beta are raised.
    const MOST: u32 = 1 << 20;

    /// Whether a round is over, so that the next ACK of new data judges it.
    pub(super) fn is_round_over(&self) -> bool {
        self.vegas.mean_of_past_round().is_some()
    }

    /// Handles an ACK of new data. `agree` takes the change of Th and returns the change that the table
    /// is to use.
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
    const FACTS: Facts = Vegas::FACTS;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            vegas: Vegas::new(config, path),
            throughput: Throughput::default(),
            mss: path.mss.segment_size(),
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

    fn on_mss(&mut self, change: &MssChange) {
        self.vegas.on_mss(change);
        self.mss = change.after.segment_size();
    }

    #[inline]
    fn window(&self) -> Window {
        self.vegas.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.vegas.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.vegas.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.vegas.end_slow_start();
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
