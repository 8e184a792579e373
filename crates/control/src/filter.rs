//! Low-pass filters of bandwidth samples. Each step is the exact floor of its expression.
//!
//! ```
//! use dumbbell_control::filter::ewma;
//! use dumbbell_control::units::{Rate, Ratio};
//!
//! let [estimate, sample] = [1_000, 2_000].map(Rate::from_raw);
//! let tenth = Ratio::from_millionths(100_000);
//! assert_eq!(ewma::step(estimate, sample, tenth), Rate::from_raw(1_100));
//! ```

pub mod ewma;
pub mod stability;
pub mod tustin;
pub mod windowed_max;
