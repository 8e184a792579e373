//! A media source: an encoder whose frames follow a target rate, and the queue of their packets at the sender.
//!
//! | part | rule | after |
//! |---|---|---|
//! | time | frame n is made n / fps after the start | |
//! | rate | that of the target `lag` ago, within floor and ceiling | RFC 8867, section 4.1, "responsiveness" |
//! | size | rate / fps, times a factor for key frames, times a draw of the law | RFC 8867, "output variation" |
//! | key frames | the first, every nth, and those that the player asks for | |
//! | packets | as few as possible, of equal size to a byte | |
//!
//! Key frames that come every n frames do not change the mean rate: the others are smaller. The first key frame, if
//! there are no regular ones, and those that are asked for are in addition to it.

mod encoder;
mod fragment;
mod queue;
mod sizes;

pub use encoder::{Encoder, EncoderConfig, Keys, Pause};
pub use fragment::{Fragment, Frame, MOST_PACKETS};
pub use queue::{Discarded, Passed, Queue};
pub use sizes::{Recorded, RecordedFrame, Sizes, Uniform};
