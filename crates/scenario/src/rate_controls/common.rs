//! The parameters that all rate controls have.

use dumbbell_control::parameter::Kind;
use dumbbell_tfrc::receiver::{Causes, DiscountMean, Discounting, ReceiverConfig};
use dumbbell_tfrc::sender::SenderConfig;

use super::group::{group, words};

words! {
    /// The specification that a sender and a receiver follow.
    pub enum Profile {
        /// RFC 5348.
        Rfc5348 = "rfc5348",
        /// ns-2.35.
        Ns2 = "ns2",
    }
}

words! {
    /// A switch whose default depends on the profile.
    pub enum Min1 {
        /// The default of the profile.
        Profile = "profile",
        /// Off.
        Off = "off",
        /// On.
        On = "on",
    }
}

words! {
    /// A switch that is on by default.
    pub enum Switch {
        /// On.
        On = "on",
        /// Off.
        Off = "off",
    }
}

words! {
    /// The mean with which the open loss interval is compared for history discounting.
    pub enum Mean {
        /// The mean of the closed intervals.
        Closed = "closed",
        /// The average that includes the open interval.
        WithOpen = "with_open",
    }
}

words! {
    /// How congestion is distinguished from loss on the link.
    pub enum Cause {
        /// Not at all.
        Ignored = "ignored",
        /// By ECN marks (ECN-TFRC).
        Ecn = "ecn",
        /// By agents at the lossy link (AED-TFRC).
        Agent = "agent",
        /// By the access point (WM-TFRC).
        AccessPoint = "access_point",
    }
}

group! {
    /// The parameters that all rate controls have.
    pub struct Common {
        profile: Profile = Profile::Rfc5348, Kind::Choice(Profile::WORDS),
            "The specification that both ends follow: RFC 5348 or ns-2.35.";
        b: u32 = 1, Kind::Count(1, 16),
            "The number of packets that an ACK covers, in the equation (RFC 5348, section 3.1: 1).";
        min1: Min1 = Min1::Profile, Kind::Choice(Min1::WORDS),
            "Whether the equation's probability of a timeout is limited to 1 (ns-2), which has an effect above a loss event rate of 0.3.";
        smoothing: Switch = Switch::On, Kind::Choice(Switch::WORDS),
            "Whether a round-trip time above the average slows the sender down immediately (RFC 5348, section 4.5).";
        discounting: Switch = Switch::On, Kind::Choice(Switch::WORDS),
            "Whether a long time without loss makes older losses count less (RFC 5348, section 5.5).";
        discount_mean: Mean = Mean::Closed, Kind::Choice(Mean::WORDS),
            "The mean with which the open loss interval is compared: that of the closed intervals, or the average that includes it.";
        causes: Cause = Cause::Ignored, Kind::Choice(Cause::WORDS),
            "How congestion is distinguished from loss on the link: not at all; by marks, so that losses do not count (ECN-TFRC); by agents at the lossy link, whose losses do not count (AED-TFRC); by the access point, whose loss event rate the sender subtracts (WM-TFRC).";
    }
}

impl Common {
    /// Returns the configuration of a sender of segments of this size, in bytes.
    pub(super) fn sender(&self, segment: u32) -> SenderConfig {
        let base = match self.profile {
            Profile::Rfc5348 => SenderConfig::rfc5348(segment),
            Profile::Ns2 => SenderConfig::ns2(segment),
        };
        SenderConfig {
            oscillation_prevention: self.smoothing == Switch::On,
            min1: self.min1(base.min1),
            packets_per_ack: f64::from(self.b),
            ..base
        }
    }

    /// Returns the configuration of a receiver of segments of this size, in bytes.
    pub(super) fn receiver(&self, segment: u32) -> ReceiverConfig {
        let base = match self.profile {
            Profile::Rfc5348 => ReceiverConfig::rfc5348(segment),
            Profile::Ns2 => ReceiverConfig::ns2(segment),
        };
        let mean = match self.discount_mean {
            Mean::Closed => DiscountMean::Closed,
            Mean::WithOpen => DiscountMean::WithOpen,
        };
        let discounting = match self.discounting {
            Switch::On => base.discounting,
            Switch::Off => None,
        };
        ReceiverConfig {
            discounting: discounting.map(|usual| Discounting { mean, ..usual }),
            min1: self.min1(base.min1),
            causes: match self.causes {
                Cause::Ignored => Causes::Ignored,
                Cause::Ecn => Causes::Ecn,
                Cause::Agent => Causes::Agent,
                Cause::AccessPoint => Causes::AccessPoint,
            },
            ..base
        }
    }

    fn min1(&self, profile: bool) -> bool {
        match self.min1 {
            Min1::Profile => profile,
            Min1::Off => false,
            Min1::On => true,
        }
    }
}
