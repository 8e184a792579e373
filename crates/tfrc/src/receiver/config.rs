//! What a receiver is set to.

/// What a receiver makes of those who know why packets are lost. Variants of TFRC that the network
/// supports differ here only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Causes {
    /// Every loss and every mark counts (RFC 5348).
    #[default]
    Ignored,
    /// ECN-TFRC: marks count, losses do not.
    Ecn,
    /// AED-TFRC: agents around the wireless link tell its losses, which do not count. A loss counts
    /// until its cause is told.
    Agent,
    /// WM-TFRC: every loss counts, and the rate of loss events on the wireless link is reported beside.
    AccessPoint,
}

/// When feedback is sent if nothing happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// A round-trip time after the last one, or else with the next packet (RFC 5348, section 6.2).
    #[default]
    Timer,
    /// With the first packet that arrives a round-trip time or more after the last one; by a timer
    /// after one and a half (ns-2).
    Arrivals,
}

/// By whose clock losses are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossClock {
    /// By times of arrival (RFC 5348, section 5.2).
    #[default]
    Arrival,
    /// By times of sending (ns-2).
    Sending,
}

/// The rate that the first loss interval stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTarget {
    /// The largest receive rate reported so far: in slow start about half of the sending rate.
    #[default]
    LargestReported,
    /// The receive rate at the moment (ns-2).
    Current,
}

/// Which mean decides whether the open loss interval is long enough for older ones to be discounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiscountMean {
    /// That of the closed intervals (RFC 5348, section 5.5).
    #[default]
    Closed,
    /// The average loss interval of section 5.4, which takes the open one in if it is long.
    WithOpen,
}

/// History discounting (RFC 5348, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discounting {
    /// The least factor, 0 to 1.
    pub threshold: f64,
    /// What the open interval is held against.
    pub mean: DiscountMean,
}

/// A receiver's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// The segment size s in bytes; zero counts as one.
    pub segment: u32,
    /// Packets that arrive after a missing one until it counts as lost (NDUPACK), 1 to
    /// [`MAX_TOLERANCE`](Self::MAX_TOLERANCE); others count as the nearest of these.
    pub reordering_tolerance: u32,
    /// The number of the connection's first packet, where it is known: then its loss is noticed.
    pub first: Option<u64>,
    /// History discounting, if any.
    pub discounting: Option<Discounting>,
    /// When to send feedback.
    pub timing: Timing,
    /// By whose clock losses are told apart.
    pub loss_clock: LossClock,
    /// A new loss event must also be in a later round of the sender's.
    pub round_test: bool,
    /// What the first loss interval is made of.
    pub first_target: FirstTarget,
    /// The equation, turned round for the first loss interval, has the timeout's probability limited
    /// to 1.
    pub min1: bool,
    /// What is made of causes.
    pub causes: Causes,
}

impl ReceiverConfig {
    /// The largest tolerance of reordering.
    pub const MAX_TOLERANCE: u32 = 16;

    /// As RFC 5348 has it, history discounting included.
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

    /// As the receiver of ns-2.35 does it by default.
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
