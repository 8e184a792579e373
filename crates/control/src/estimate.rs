//! What a controller infers from its samples. An estimator returns `None` until its first estimate.
//!
//! ```
//! use dumbbell_control::estimate::{backlog, base_rtt::BaseRtt, rtt::Rtt};
//! use dumbbell_control::units::{Duration, Segments};
//!
//! let (mut rtt, mut base, cwnd) = (Rtt::default(), BaseRtt::default(), Segments::whole(20));
//! assert_eq!(backlog::estimate(cwnd, &rtt, &base), None);
//! for ms in [60, 100] {
//!     base.observe(Duration::from_millis(ms));
//!     rtt.replace(Duration::from_millis(ms));
//! }
//! // N = 20 segments / 100 ms * 40 ms of queueing delay.
//! assert_eq!(backlog::estimate(cwnd, &rtt, &base), Some(8.0));
//! assert!(backlog::reaches(Segments::whole(3), cwnd, &rtt, &base));
//! ```

pub mod backlog;
pub mod bandwidth;
pub mod base_rtt;
pub mod history;
pub mod incipient;
pub mod marked;
pub(crate) mod path;
pub mod per_round;
pub mod relative_delay;
pub mod round;
pub mod rtt;
pub mod sarbe;
pub mod throughput;
