//! The parameters of VenoDB's table, which Veno+ shares.

use crate::estimate::base_rtt::BaseReset;
use crate::estimate::relative_delay::DelayMode;
use crate::estimate::rtt::RttMode;
use crate::parameter::{Kind, choice, parameters};
use crate::units::{Duration, Ratio, Segments};

choice! {
    /// What happens where the printed states overlap.
    pub enum Precedence {
        /// The first that matches, in the printed order.
        Ordered = "ordered",
        /// The state of the sign of D minus the sign of the bandwidth's change: S1 below zero, S2 at zero,
        /// S3 above zero.
        Score = "score",
        /// All that match; their gains add up.
        Literal = "literal",
    }
}

parameters! {
    /// The parameters of the table of VenoDB, section 3.1 D, and of its signals. Gains are in quarters
    /// of a segment per RTT.
    pub struct Table {
        /// Backlog from which the path is full, in segments (VenoDB, 2.1: 3).
        beta: Segments = Segments::whole(3), Kind::Segments(Segments::ZERO, Segments::CAP);
        /// Fraction of the window that remains after a random loss, N < beta (VenoDB, 3.1 D: 4/5).
        factor_random: Ratio = Ratio::from_millionths(800_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that remains after a loss at N >= beta and D < 0 (VenoDB, 3.1 D: 4/5).
        factor_easing: Ratio = Ratio::from_millionths(800_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Fraction of the window that remains after a loss at N >= beta and D >= 0, or a timeout (VenoDB, 3.1 D: 1/2).
        factor_congestion: Ratio = Ratio::from_millionths(500_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Quarters per RTT at N < beta and dD < 0 (VenoDB, 3.1 D: 2 segments).
        gain_free_easing: u8 = 8, Kind::Count(0, 64);
        /// Quarters per RTT at N < beta and dD >= 0 (VenoDB, 3.1 D: 1 segment).
        gain_free: u8 = 4, Kind::Count(0, 64);
        /// Quarters per RTT in state 1, decreasing congestion (VenoDB, 3.1 D: 1 segment).
        gain_s1: u8 = 4, Kind::Count(0, 64);
        /// Quarters per RTT in state 2, stable, at dD < 0 (VenoDB, 3.1 D: 1 segment).
        gain_s2_easing: u8 = 4, Kind::Count(0, 64);
        /// Quarters per RTT in state 2, stable, at dD >= 0 (VenoDB, 3.1 D: 1/2 segment).
        gain_s2: u8 = 2, Kind::Count(0, 64);
        /// Quarters per RTT in state 3, increasing congestion, at dD <= 0 (VenoDB, 3.1 D: 1/4 segment).
        gain_s3_easing: u8 = 1, Kind::Count(0, 64);
        /// Quarters per RTT in state 3, increasing congestion, at dD > 0 (VenoDB, 3.1 D: none).
        gain_s3: u8 = 0, Kind::Count(0, 64);
        /// What happens where the printed states overlap: `ordered`, `score` or `literal` (ours: ordered).
        precedence: Precedence = Precedence::Ordered, Kind::Choice(Precedence::WORDS);
        /// Packets that D compares: `packet`, consecutive ones (VenoDB, 3.1 A); `ewma`, the same smoothed by 1/8; `round`, those that end rounds.
        d_mode: DelayMode = DelayMode::Packet, Kind::Choice(DelayMode::WORDS);
        /// D and dD up to this count as zero; at least the resolution of the stamps (ours: 1 us).
        eps_d: Duration = Duration::from_micros(1), Kind::Duration(Duration::ZERO, Duration::from_secs(1));
        /// Bandwidths that differ by up to this fraction count as equal (ours: 1 %).
        eps_bw: Ratio = Ratio::from_millionths(10_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// The history of the bandwidth is stored in steps of max(1 ms, RTT / this) (ours: 16).
        history_parts: u8 = 16, Kind::Count(1, 30);
        /// Whether D and dD count; if not, both are taken as zero for states and losses (VenoDB: yes; no: an ablation).
        use_delay: bool = true, Kind::Flag;
        /// Whether the bandwidth's change counts; if not, it is taken as zero (VenoDB: yes; no: an ablation).
        use_bandwidth: bool = true, Kind::Flag;
        /// The RTT in N: `srtt` smoothed (Veno 2003), `last` sample, `round_mean`, `round_min`.
        rtt_mode: RttMode = RttMode::Srtt, Kind::Choice(RttMode::WORDS);
        /// When BaseRTT is forgotten: `on_loss`, at every loss and timeout (Veno 2003), or `never` (Linux).
        base_reset: BaseReset = BaseReset::OnLoss, Kind::Choice(BaseReset::WORDS);
    }
}
