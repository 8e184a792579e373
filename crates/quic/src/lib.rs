#![doc = include_str!("../README.md")]

mod choice;
mod clock;
pub mod connection;
mod pacer;
mod packets;
mod translator;

pub use choice::{Choice, Unusable};
pub use clock::Clock;
pub use pacer::Pacer;
pub use translator::{Congestion, Translator};

pub use dumbbell_control as control;
