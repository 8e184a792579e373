#![doc = include_str!("../README.md")]

mod choice;
pub mod connection;
mod pacer;
mod packets;
mod translator;

pub use choice::{Choice, Unusable};
pub use pacer::Pacer;
pub use translator::{Congestion, Translator};

pub use dumbbell_control as control;
