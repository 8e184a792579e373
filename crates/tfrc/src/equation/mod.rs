//! Throughput equations: the sending rate of a TCP at a given loss rate.
//!
//! | form | source | here |
//! |---|---|---|
//! | periods between losses, no timeouts | TFRC Veno, (4)-(14), corrected | [`Period`], [`Flow::without_timeouts`] |
//! | few losses | (15) | [`Flow::small_loss`] |
//! | complete: timeouts and a limited window | Padhye et al. 1998, with any cut | [`Flow::complete`] |
//! | approximate | (16) | [`Flow::approximate`] |
//! | the mean cut of TCP Veno | (17)-(20) | [`Cut::mean`] |
//! | the rate of TFRC and of TFRC Veno | RFC 5348, 3.1; (22), corrected | [`RateEquation`] |
//! | the loss rate that gives a rate | RFC 5348, 6.3.1 | [`inverse`] |
//! | as printed, with errata | (11)-(14), (21), (22) | [`printed`], [`Erratum`] |
//!
//! TFRC Veno: Zhou, Fu and Li, "TFRC Veno: an enhancement of TCP friendly rate control over
//! wired/wireless networks". Padhye, Firoiu, Towsley and Kurose, "Modeling TCP throughput: a
//! simple model and its empirical validation", SIGCOMM 1998.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | p | loss events per packet sent, in (0, 1] | - |
//! | R, T0 | `rtt`, `rto` | s |
//! | b | `packets_per_ack` | packets |
//! | gamma, written g | `cut`, the mean share of the window that remains after a loss | - |
//! | Wm | `max_window` | packets |
//! | S | `segment` | bytes |
//!
//! Limits of the model:
//!
//! - The window grows by one packet in b rounds. Veno's slower growth with N >= beta is not modelled (it
//!   would act as a larger b).
//! - The slow start after a timeout is left out.
//! - Losses within a round belong together; rounds lose packets independently of each other.
//! - Equation (20) assumes that the window at a loss is uniformly distributed between 0 and Wm.
//! - Rounds are real numbers. Compared with whole rounds, the model is accurate for few losses, but too
//!   fast if a period has few rounds (at p = 0.1 by a sixth with g = 1/2, by four fifths with g = 0.95).

mod cut;
mod errata;
mod flow;
mod inverse;
mod period;
pub mod printed;
mod rate;

pub use cut::Cut;
pub use errata::Erratum;
pub use flow::Flow;
pub use inverse::{LEAST_LOSS, OutOfReach, TOLERANCE, inverse};
pub use period::Period;
pub use rate::RateEquation;
