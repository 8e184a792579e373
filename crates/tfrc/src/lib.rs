//! TCP-friendly rate control without sockets, clocks or buffers: packets and timers in, packets out.
#![forbid(unsafe_code)]

pub mod equation;
pub mod packet;
pub mod receiver;
mod seconds;
