//! The configuration of a receiver.

/// How a receiver uses the known causes of losses. The variants of TFRC that need support by the network
/// differ only here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Causes {
    /// Every loss and every mark counts (RFC 5348).
    #[default]
    Ignored,
    /// ECN-TFRC: marks count, losses do not.
    Ecn,
    /// AED-TFRC: agents around the wireless link report its losses, which do not count. A loss counts
    /// until its cause is reported.
    Agent,
    /// WM-TFRC: every loss counts, and the rate of loss events on the wireless link is reported in
    /// addition.
    AccessPoint,
}

/// When feedback is sent if no loss event requires it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// A round-trip time after the last feedback if packets have arrived, or else with the next packet
    /// (RFC 5348, section 6.2).
    #[default]
    Timer,
    /// With the first packet that arrives a round-trip time or more after the last feedback; a timer
    /// expires after one and a half round-trip times (ns-2).
    Arrivals,
}

/// The clock that separates loss events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossClock {
    /// Times of arrival (RFC 5348, section 5.2).
    #[default]
    Arrival,
    /// Times of sending (ns-2).
    Sending,
}

/// The rate from which the first loss interval is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTarget {
    /// The largest receive rate reported so far: in slow start, about half of the sending rate.
    #[default]
    LargestReported,
    /// The current receive rate (ns-2).
    Current,
}

/// The mean that decides whether the open loss interval is so long that older ones are discounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiscountMean {
    /// The mean of the closed intervals (RFC 5348, section 5.5).
    #[default]
    Closed,
    /// The average loss interval of section 5.4, which includes the open interval if that is long.
    WithOpen,
}

/// History discounting (RFC 5348, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discounting {
    /// The smallest discount factor, 0 to 1.
    pub threshold: f64,
    /// The mean with which the open interval is compared.
    pub mean: DiscountMean,
}

/// The configuration of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// The segment size s in bytes; zero counts as one.
    pub segment: u32,
    /// The number of later packets after which a missing packet counts as lost (NDUPACK), 1 to
    /// [`MAX_TOLERANCE`](Self::MAX_TOLERANCE); values out of range are set to the nearest limit.
    pub reordering_tolerance: u32,
    /// The number of the connection's first packet, if it is known; then the loss of that packet is
    /// detected.
    pub first: Option<u64>,
    /// History discounting; `None` switches it off.
    pub discounting: Option<Discounting>,
    /// When feedback is sent.
    pub timing: Timing,
    /// The clock that separates loss events.
    pub loss_clock: LossClock,
    /// Whether a new loss event must also be in a later round of the sender.
    pub round_test: bool,
    /// The rate from which the first loss interval is computed.
    pub first_target: FirstTarget,
    /// Whether the probability of a timeout is limited to 1 in the equation that gives the first loss
    /// interval.
    pub min1: bool,
    /// How the causes of losses are used.
    pub causes: Causes,
}

impl ReceiverConfig {
    /// The largest reordering tolerance.
    pub const MAX_TOLERANCE: u32 = 16;

    /// Returns the configuration of RFC 5348, with history discounting.
    pub const fn rfc5348(segment: u32) -> Self {
        Self {
            segment,
            reordering_tolerance: 3,
            first: Some(0),
            discounting: Some(Discounting {
                threshold: 0.25,
                mean: DiscountMean::Closed,
            }),
            timing: Timing::Timer,
            loss_clock: LossClock::Arrival,
            round_test: false,
            first_target: FirstTarget::LargestReported,
            min1: false,
            causes: Causes::Ignored,
        }
    }

    /// Returns the default configuration of the receiver in ns-2.35.
    pub const fn ns2(segment: u32) -> Self {
        Self {
            reordering_tolerance: 1,
            first: None,
            discounting: Some(Discounting {
                threshold: 0.5,
                mean: DiscountMean::Closed,
            }),
            timing: Timing::Arrivals,
            loss_clock: LossClock::Sending,
            round_test: true,
            first_target: FirstTarget::Current,
            min1: true,
            ..Self::rfc5348(segment)
        }
    }
}
