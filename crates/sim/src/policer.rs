//! A policer: a token bucket that packets do not wait for (single rate, as RFC 2697 without its second bucket).
//!
//! A packet that finds enough tokens when it arrives at the link takes them and goes on to the queue. Any other packet
//! is dropped, and takes none. Therefore at most `burst` bytes and those that `rate` allows pass in any span of time.

use crate::token_bucket::Bucket;

/// The parameters of a policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policer {
    /// The rate at which tokens come, in bits per second, at least 1.
    pub rate: u64,
    /// The size of the bucket in bytes, at least 1. It is full at first. A packet that is larger never passes.
    pub burst: u64,
}

impl Policer {
    /// Returns what is wrong with the parameters, if anything.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let unfit = self.rate == 0 || self.burst == 0;
        unfit.then_some("a policer must have a rate and a size")
    }

    /// Returns the bucket at the start of a run.
    pub(crate) fn bucket(&self) -> Bucket {
        Bucket::new(self.rate, self.burst)
    }
}
