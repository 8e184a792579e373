#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod control;
pub mod feedback;
#[cfg(feature = "gcc")]
pub mod gcc;
pub mod nada;
pub mod player;
pub mod scream;
pub mod sender;
pub mod source;
pub mod wire;
