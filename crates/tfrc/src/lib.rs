//! TCP-friendly rate control without sockets, clocks or buffers: packets and timers in, packets out.
//!
//! [`sender::Sender`] and [`receiver::Receiver`] are the two ends of TFRC (RFC 5348); the sender's
//! configuration makes it TFRC Veno or AIO-TFRC, the receiver's ECN-, WM- or AED-TFRC. [`multfrc`] has
//! the same two ends of a bundle of connections. Presets follow RFC 5348 or ns-2.35.
//!
//! ```
//! use dumbbell_control::units::Instant;
//! use dumbbell_tfrc::packet::{Arrival, Data};
//! use dumbbell_tfrc::receiver::{Receiver, ReceiverConfig};
//! use dumbbell_tfrc::sender::{Sender, SenderConfig};
//!
//! let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
//! let mut sender = Sender::backlogged(SenderConfig::rfc5348(1000));
//! let mut receiver = Receiver::new(0, ReceiverConfig::rfc5348(1000));
//!
//! // A packet leaves, arrives 40 ms later, and its feedback 40 ms after that.
//! let mut sent: Vec<Data> = Vec::new();
//! sender.start(at(0), &mut sent);
//! let arrival = Arrival { data: sent[0], bytes: 1000, marked: false };
//! let feedback = receiver.on_data(at(40), &arrival).expect("the first packet is answered");
//! sender.on_feedback(at(80), &feedback, &mut sent);
//!
//! // Four packets in a round-trip time of 80 ms.
//! assert_eq!(sender.state().rtt, Some(0.08));
//! assert_eq!(sender.state().x, 50_000.0);
//! assert_eq!(sender.deadline(), Some(at(100)));
//! ```
//!
//! Nothing here reads a clock or draws a random number, and in steady state nothing allocates.
#![forbid(unsafe_code)]

pub mod equation;
pub mod multfrc;
pub mod packet;
pub mod parallel;
pub mod receiver;
mod seconds;
pub mod sender;
pub mod wire;
