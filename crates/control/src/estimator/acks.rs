//! Westwood's estimate: bandwidth from the spacing of ACKs, through one of three filters.

use super::Estimator;
use crate::catalogue::Entry;
use crate::controller::Signals;
use crate::estimate::bandwidth::{
    self, Bandwidth, ConstantConfig, EwmaConfig, Filter, Tuning, TustinConfig,
};
use crate::event::{MssChange, Path, Sample, Timeout};
use crate::parameter::{Kind, parameters};
use crate::units::{Rate, Segments};

parameters! {
    /// How many segments an ACK counts for.
    pub struct Credit {
        /// Segments that one ACK may add to a bandwidth sample (WestwoodNR in ns-2: 2).
        credit_cap: Segments = Segments::whole(2), Kind::Segments(Segments::ONE, Segments::CAP);
    }
}

/// Westwood's estimate with any of the filters. 80 bytes.
#[derive(Clone, Debug)]
struct Spacing {
    bandwidth: Bandwidth,
    tuning: Tuning,
    credit_cap: Segments,
    mss: u32,
}

impl Spacing {
    fn new(config: &bandwidth::Config, credit: &Credit, path: &Path) -> Self {
        Self {
            bandwidth: Bandwidth::default(),
            tuning: Tuning::new(config),
            credit_cap: credit.credit_cap,
            mss: path.mss.segment_size(),
        }
    }
}

/// Defines the estimator with a filter: its name, its summary and its parameters.
macro_rules! spacing {
    ($(#[$meta:meta])* $name:ident, $word:literal, $summary:literal, $config:ident, $filter:ident: $table:ty) => {
        parameters! {
            /// The parameters of the estimator of this name.
            pub struct $config {
                use filter: $table;
                use credit: Credit;
            }
        }

        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name(Spacing);

        impl Entry for $name {
            const NAME: &'static str = $word;
            const SUMMARY: &'static str = $summary;
            const NEEDS: Signals = Signals::NONE;
            type Config = $config;

            fn create(config: &$config, path: &Path) -> Self {
                let estimate = bandwidth::Config {
                    filter: Filter::$name,
                    $filter: config.filter,
                    ..Default::default()
                };
                Self(Spacing::new(&estimate, &config.credit, path))
            }
        }

        impl Estimator for $name {
            #[inline]
            fn on_sample(&mut self, sample: &Sample) {
                let Spacing { bandwidth, tuning, credit_cap, mss } = &mut self.0;
                let bytes = bandwidth::bytes(sample.credited.min(*credit_cap), *mss);
                bandwidth.observe(tuning, sample.now, bytes);
            }

            fn on_mss(&mut self, change: &MssChange) {
                self.0.mss = change.after.segment_size();
            }

            fn on_timeout(&mut self, timeout: &Timeout) {
                self.0.bandwidth.pass_silence(&self.0.tuning, timeout.now);
            }

            fn rate(&self) -> Option<Rate> {
                self.0.bandwidth.rate()
            }
        }
    };
}

spacing! {
    /// Bandwidth from the spacing of ACKs through Tustin's filter, as in Westwood.
    Tustin, "tustin", "spacing of ACKs, Tustin's filter (Mascolo et al. 2001)", TustinParameters,
    tustin: TustinConfig
}

spacing! {
    /// Bandwidth from the spacing of ACKs through Tustin's filter with a constant gain.
    Constant, "constant", "spacing of ACKs, Tustin's filter with a constant gain (ns-2's Westwood)",
    ConstantParameters, constant: ConstantConfig
}

spacing! {
    /// Bandwidth from the spacing of ACKs through a moving average of constant gain.
    Ewma, "ewma", "spacing of ACKs, a moving average of constant gain (ns-2's Westwood)", EwmaParameters,
    ewma: EwmaConfig
}
