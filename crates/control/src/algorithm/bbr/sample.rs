//! What an ACK says (the draft's RS), in whole segments.

use crate::estimate::path;
use crate::event::Delivery;
use crate::units::{Rate, Ratio};

/// The sample of an ACK. Without a rate, which then is zero, the rest is zero as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// RS.delivery_rate.
    pub rate: Rate,
    /// RS.delivered.
    pub delivered: u64,
    /// RS.prior_delivered; `None` without a rate: no round ends on such an ACK.
    pub prior_delivered: Option<u64>,
    /// RS.tx_in_flight.
    pub tx_in_flight: u64,
    /// RS.lost.
    pub lost: u64,
    /// RS.is_app_limited.
    pub app_limited: bool,
}

impl Sample {
    pub fn of(delivery: &Delivery, mss: u32) -> Self {
        let Some(rate) = delivery.rate else {
            return Self {
                rate: Rate::ZERO,
                delivered: 0,
                prior_delivered: None,
                tx_in_flight: 0,
                lost: 0,
                app_limited: false,
            };
        };
        Self {
            rate: path::rate(rate.delivered, mss, rate.interval),
            delivered: rate.delivered,
            prior_delivered: Some(rate.prior_delivered),
            tx_in_flight: rate.tx_in_flight,
            lost: rate.lost,
            app_limited: rate.app_limited,
        }
    }
}

/// Whether a loss rate is above the threshold: IsInflightTooHigh() of a connection with selective ACKs.
pub(super) fn is_too_high(lost: u64, tx_in_flight: u64, threshold: Ratio) -> bool {
    u128::from(lost) * 1_000_000 > u128::from(tx_in_flight) * u128::from(threshold.millionths())
}

/// `floor(count * ratio)`; [`UNLIMITED`] stays that.
pub(super) fn part(count: u64, ratio: Ratio) -> u64 {
    if count == UNLIMITED {
        return UNLIMITED;
    }
    let product = u128::from(count) * u128::from(ratio.millionths()) / 1_000_000;
    u64::try_from(product).unwrap_or(UNLIMITED)
}

/// No bound.
pub(super) const UNLIMITED: u64 = u64::MAX;
