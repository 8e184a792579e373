//! What all rate controls have.

use dumbbell_control::parameter::Kind;
use dumbbell_tfrc::receiver::{Causes, DiscountMean, Discounting, ReceiverConfig};
use dumbbell_tfrc::sender::SenderConfig;

use super::group::{group, words};

words! {
    /// Whose rules.
    pub enum Profile {
        /// Those of RFC 5348.
        Rfc5348 = "rfc5348",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

words! {
    /// Something that the profile decides, or not.
    pub enum Min1 {
        /// As the profile has it.
        Profile = "profile",
        /// No.
        Off = "off",
        /// Yes.
        On = "on",
    }
}

words! {
    /// Something that is usually so.
    pub enum Switch {
        /// It is so.
        On = "on",
        /// It is not.
        Off = "off",
    }
}

words! {
    /// What the open loss interval is held against.
    pub enum Mean {
        /// The mean of the closed ones.
        Closed = "closed",
        /// The average that takes it in.
        WithOpen = "with_open",
    }
}

words! {
    /// Who tells congestion from loss.
    pub enum Cause {
        /// Nobody.
        Ignored = "ignored",
        /// Marks (ECN-TFRC).
        Ecn = "ecn",
        /// Agents at the lossy link (AED-TFRC).
        Agent = "agent",
        /// The access point (WM-TFRC).
        AccessPoint = "access_point",
    }
}

group! {
    /// What all rate controls have.
    pub struct Common {
        profile: Profile = Profile::Rfc5348, Kind::Choice(Profile::WORDS),
            "Whose rules: those of RFC 5348, or those of ns-2.35.";
        b: u32 = 1, Kind::Count(1, 16),
            "Packets that an ACK covers, in the equation (RFC 5348, section 3.1: 1).";
        min1: Min1 = Min1::Profile, Kind::Choice(Min1::WORDS),
            "Whether the equation's probability of a timeout is limited to 1 (ns-2), which counts above a loss event rate of 0.3.";
        smoothing: Switch = Switch::On, Kind::Choice(Switch::WORDS),
            "Whether a round-trip time above the average slows the sender down at once (RFC 5348, section 4.5).";
        discounting: Switch = Switch::On, Kind::Choice(Switch::WORDS),
            "Whether a long time without loss makes older losses count less (RFC 5348, section 5.5).";
        discount_mean: Mean = Mean::Closed, Kind::Choice(Mean::WORDS),
            "What the open loss interval is held against: the mean of the closed ones, or the average that takes it in.";
        causes: Cause = Cause::Ignored, Kind::Choice(Cause::WORDS),
            "Who tells congestion from loss: nobody; marks, and losses do not count (ECN-TFRC); agents at the lossy link, whose losses do not count (AED-TFRC); the access point, whose loss event rate the sender subtracts (WM-TFRC).";
    }
}

impl Common {
    /// What a sender of such segments is told.
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

    /// What a receiver of such segments is told.
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
