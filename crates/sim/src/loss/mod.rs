//! Loss models: they act on packets after the link's queue, at the moment of departure.

mod bernoulli;
mod geometric;
mod gilbert_elliott;
mod two_state;

use crate::packet::Kinds;
use crate::random::{Component, stream};
use crate::time::Time;

pub(crate) use self::bernoulli::Bernoulli;
pub(crate) use self::geometric::Geometric;
pub(crate) use self::gilbert_elliott::GilbertElliott;
pub(crate) use self::two_state::TwoState;

/// The losses of a link, and the kinds of packets that they affect.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The loss model.
    pub model: LossModel,
    /// The kinds on which the model acts. Other packets pass, draw no random number and do not count as
    /// packets of the model.
    pub kinds: Kinds,
}

/// The random process by which packets are lost. Probabilities are from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Every packet has the same loss probability, independently of the others.
    Bernoulli {
        /// Probability that a packet is lost.
        probability: f64,
    },
    /// The number of packets up to and including the next lost one is geometrically distributed. The
    /// losses are distributed as with `Bernoulli`, with one random number per loss instead of one per
    /// packet.
    Geometric {
        /// Probability that a packet is lost.
        probability: f64,
    },
    /// A channel that is good or bad for fixed periods. At the end of a period it changes its state with
    /// a given probability; otherwise it stays in its state for one more period of the same length. It
    /// starts in the good state at time zero. Its states depend only on the seed, not on the traffic.
    TwoState {
        /// Probability that a packet is lost in the good state.
        good_loss: f64,
        /// Length of a good period, at least 1 microsecond.
        good_period: Time,
        /// Probability that a packet is lost in the bad state.
        bad_loss: f64,
        /// Length of a bad period, at least 1 microsecond.
        bad_period: Time,
        /// Probability that the state changes at the end of a period.
        switch: f64,
    },
    /// A channel that may change its state after every packet (Gilbert 1960, Elliott 1963). It starts in
    /// the good state. Whether a packet is lost depends on the state after the packet before it.
    GilbertElliott {
        /// Probability of going from good to bad after a packet.
        to_bad: f64,
        /// Probability of going from bad to good after a packet.
        to_good: f64,
        /// Probability that a packet is lost in the good state.
        good_loss: f64,
        /// Probability that a packet is lost in the bad state.
        bad_loss: f64,
    },
}

impl LossModel {
    /// Returns the equivalent of ns-2's error model with an exponential variable of mean 1 at this
    /// `rate`: a packet is lost if the variable is below `rate`, hence with probability 1 - exp(-rate).
    pub fn ns2_exponential(rate: f64) -> Self {
        Self::Bernoulli {
            probability: -libm::expm1(-rate),
        }
    }

    /// Returns the share of packets lost in the long run; for `TwoState`, of packets spread evenly over
    /// time.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Bernoulli { probability } | Self::Geometric { probability } => probability,
            Self::TwoState {
                good_loss,
                good_period,
                bad_loss,
                bad_period,
                switch,
            } => {
                if switch == 0.0 {
                    return good_loss;
                }
                let (good, bad) = (good_period.as_secs_f64(), bad_period.as_secs_f64());
                (good * good_loss + bad * bad_loss) / (good + bad)
            }
            Self::GilbertElliott {
                to_bad,
                to_good,
                good_loss,
                bad_loss,
            } => {
                if to_bad == 0.0 {
                    return good_loss;
                }
                (to_good * good_loss + to_bad * bad_loss) / (to_good + to_bad)
            }
        }
    }

    /// Returns what is wrong with the parameters, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let probabilities = match *self {
            Self::Bernoulli { probability } | Self::Geometric { probability } => [probability; 4],
            Self::TwoState {
                good_loss,
                bad_loss,
                switch,
                ..
            } => [good_loss, bad_loss, switch, switch],
            Self::GilbertElliott {
                to_bad,
                to_good,
                good_loss,
                bad_loss,
            } => [to_bad, to_good, good_loss, bad_loss],
        };
        if !probabilities.iter().all(|p| (0.0..=1.0).contains(p)) {
            return Some("a loss probability must be from 0 to 1");
        }
        if let Self::TwoState {
            good_period,
            bad_period,
            ..
        } = *self
            && good_period.min(bad_period) < SHORTEST_PERIOD
        {
            return Some("a period of a two-state channel must be at least 1 microsecond");
        }
        None
    }
}

/// With shorter periods a simulation would spend its time on counting periods instead of packets.
const SHORTEST_PERIOD: Time = Time::from_micros(1);

/// The state of a loss model on one link.
#[derive(Clone, Debug)]
pub(crate) enum LossProcess {
    Bernoulli(Bernoulli),
    Geometric(Geometric),
    TwoState(Box<TwoState>),
    GilbertElliott(GilbertElliott),
}

impl LossProcess {
    pub fn new(model: &LossModel, seed: u64, link: u32) -> Self {
        let draws = stream(seed, Component::loss(link));
        match *model {
            LossModel::Bernoulli { probability } => {
                Self::Bernoulli(Bernoulli::new(probability, draws))
            }
            LossModel::Geometric { probability } => {
                Self::Geometric(Geometric::new(probability, draws))
            }
            LossModel::TwoState {
                good_loss,
                good_period,
                bad_loss,
                bad_period,
                switch,
            } => Self::TwoState(Box::new(TwoState::new(
                [good_loss, bad_loss],
                [good_period.as_nanos(), bad_period.as_nanos()],
                switch,
                draws,
                stream(seed, Component::channel(link)),
            ))),
            LossModel::GilbertElliott {
                to_bad,
                to_good,
                good_loss,
                bad_loss,
            } => Self::GilbertElliott(GilbertElliott::new(
                [to_bad, to_good],
                [good_loss, bad_loss],
                draws,
            )),
        }
    }

    /// Returns whether the packet that departs at this moment is lost. Moments must not decrease.
    pub fn loses(&mut self, departure: u64) -> bool {
        match self {
            Self::Bernoulli(process) => process.loses(),
            Self::Geometric(process) => process.loses(),
            Self::TwoState(process) => process.loses(departure),
            Self::GilbertElliott(process) => process.loses(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-6 * b, "{a} is not {b}");
    }

    /// Good for 8 s, bad for 4 s: two thirds of the time at 1e-5, one third at p_b.
    #[test]
    fn mean_of_two_states() {
        let mean = |bad_loss| {
            LossModel::TwoState {
                good_loss: 1e-5,
                good_period: Time::from_secs(8),
                bad_loss,
                bad_period: Time::from_secs(4),
                switch: 0.95,
            }
            .mean()
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
        let bernoulli = |probability| LossModel::Bernoulli { probability };
        assert!(bernoulli(0.0).fault().is_none());
        assert!(bernoulli(1.0).fault().is_none());
        assert!(bernoulli(-0.1).fault().is_some());
        assert!(bernoulli(1.1).fault().is_some());
        assert!(bernoulli(f64::NAN).fault().is_some());
        let period = |ns| LossModel::TwoState {
            good_loss: 0.0,
            good_period: Time::from_secs(1),
            bad_loss: 1.0,
            bad_period: Time::from_nanos(ns),
            switch: 1.0,
        };
        assert!(period(1_000).fault().is_none());
        assert!(period(999).fault().is_some());
    }
}
