//! Loss models: they act on packets after the link's queue, at the moment of departure.

mod bernoulli;
mod geometric;
mod gilbert_elliott;
mod recorded;
mod timed;
mod two_state;

use crate::packet::Kinds;
use crate::random::{Component, Random, stream};

/// The losses of a link, and the kinds of packets that they affect.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The loss model.
    pub model: LossModel,
    /// The kinds on which the model acts. Other packets pass, draw no random number and do not count as
    /// packets of the model.
    pub kinds: Kinds,
}

/// A loss model: its parameters. Its state on a link is a [`Process`].
pub(crate) trait Model {
    type Process: Process;

    /// Returns the share of packets lost in the long run.
    fn mean(&self) -> f64;

    /// Returns what is wrong with the parameters, if anything.
    fn fault(&self) -> Option<&'static str>;

    /// Returns the state at the start of a run.
    fn start(&self, streams: Streams) -> Self::Process;
}

/// The state of a loss model on one link.
pub(crate) trait Process {
    /// Returns whether the packet that departs at this moment is lost. Moments must not decrease.
    fn loses(&mut self, departure: u64) -> bool;
}

/// The random streams of a link's losses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams {
    seed: u64,
    link: u32,
}

impl Streams {
    /// The stream that decides about packets.
    fn draws(self) -> Random {
        stream(self.seed, Component::loss(self.link))
    }

    /// The stream that decides about the states of a channel.
    fn channel(self) -> Random {
        stream(self.seed, Component::channel(self.link))
    }
}

/// Makes the enum of all loss models, and that of their states, from one line for each model.
macro_rules! models {
    ($( $variant:ident: $module:ident, )+) => {
        $( pub use self::$module::$variant; )+

        /// The random process by which packets are lost. Probabilities are from 0 to 1.
        #[derive(Clone, Debug, PartialEq)]
        pub enum LossModel { $(
            #[doc = concat!("See [`", stringify!($variant), "`].")]
            $variant($variant),
        )+ }

        impl LossModel {
            /// Returns the share of packets lost in the long run; for `TwoState`, of packets spread
            /// evenly over time.
            pub fn mean(&self) -> f64 {
                match self { $( Self::$variant(model) => model.mean(), )+ }
            }

            /// Returns what is wrong with the parameters, if anything.
            pub(crate) fn fault(&self) -> Option<&'static str> {
                match self { $( Self::$variant(model) => model.fault(), )+ }
            }
        }

        /// The state of any loss model on one link.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a link has one, in a box")]
        pub(crate) enum LossProcess { $( $variant(<$variant as Model>::Process), )+ }

        impl LossProcess {
            pub fn new(model: &LossModel, seed: u64, link: u32) -> Self {
                let streams = Streams { seed, link };
                match model { $(
                    LossModel::$variant(model) => Self::$variant(model.start(streams)),
                )+ }
            }

            /// Returns whether the packet that departs at this moment is lost. Moments must not
            /// decrease.
            pub fn loses(&mut self, departure: u64) -> bool {
                match self { $( Self::$variant(process) => process.loses(departure), )+ }
            }
        }
    };
}

models! {
    Bernoulli: bernoulli,
    Geometric: geometric,
    TwoState: two_state,
    GilbertElliott: gilbert_elliott,
    Timed: timed,
    Recorded: recorded,
}

impl LossModel {
    /// Returns the equivalent of ns-2's error model with an exponential variable of mean 1 at this
    /// `rate`: a packet is lost if the variable is below `rate`, hence with probability 1 - exp(-rate).
    pub fn ns2_exponential(rate: f64) -> Self {
        Self::Bernoulli(Bernoulli {
            probability: -libm::expm1(-rate),
        })
    }
}

/// Returns the fault of parameters that are not all probabilities.
fn improbable<const N: usize>(parameters: [f64; N]) -> Option<&'static str> {
    let all = parameters.iter().all(|p| (0.0..=1.0).contains(p));
    (!all).then_some("a loss probability must be from 0 to 1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-6 * b, "{a} is not {b}");
    }

    /// Good for 8 s, bad for 4 s: two thirds of the time at 1e-5, one third at p_b.
    #[test]
    fn mean_of_two_states() {
        let mean = |bad_loss| {
            let model = TwoState {
                good_loss: 1e-5,
                good_period: Time::from_secs(8),
                bad_loss,
                bad_period: Time::from_secs(4),
                switch: 0.95,
            };
            LossModel::TwoState(model).mean()
        };
        assert!((mean(0.1) - 0.033_34).abs() < 5e-7);
        assert!((mean(0.01) - 0.003_34).abs() < 5e-7);
    }

    #[test]
    fn ns2_exponential_variable() {
        close(LossModel::ns2_exponential(0.1).mean(), 0.095_162_6);
        close(LossModel::ns2_exponential(0.01).mean(), 0.009_950_17);
    }

    #[test]
    fn faulty_parameters_are_found() {
        let bernoulli = |probability| LossModel::Bernoulli(Bernoulli { probability });
        assert!(bernoulli(0.0).fault().is_none());
        assert!(bernoulli(1.0).fault().is_none());
        assert!(bernoulli(-0.1).fault().is_some());
        assert!(bernoulli(1.1).fault().is_some());
        assert!(bernoulli(f64::NAN).fault().is_some());
        let period = |ns| {
            LossModel::TwoState(TwoState {
                good_loss: 0.0,
                good_period: Time::from_secs(1),
                bad_loss: 1.0,
                bad_period: Time::from_nanos(ns),
                switch: 1.0,
            })
        };
        assert!(period(1_000).fault().is_none());
        assert!(period(999).fault().is_some());
    }
}
