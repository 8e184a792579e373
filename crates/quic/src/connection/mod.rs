//! A sans-IO sender and receiver of one QUIC stream: packets and acknowledgement frames in and out, generic over the
//! control. It is QUIC as far as congestion control sees it: loss detection and probes of RFC 9002, and the policy of
//! acknowledgements of RFC 9000, section 13.2. There are no bytes on a wire, no keys and no flow control.
//!
//! | event | rule | source |
//! |---|---|---|
//! | a packet leaves | it has the next number; what is lost leaves again in a packet with another number | RFC 9000, 13.3 |
//! | an ACK reports the largest packet so far | a round-trip time: now - sent; less the ACK's delay for srtt | RFC 9002, 5 |
//! | a packet 3 numbers, or 9/8 of a round trip, behind the largest reported one is not reported | it is lost | RFC 9002, 6.1 |
//! | nothing is heard for srtt + 4 rttvar + the peer's delay, times 2 for each time in a row | two probes leave, whatever the window | RFC 9002, 6.2 |
//! | the first loss or mark of a packet that left after the last reduction | the control hears of a loss | RFC 9002, 7.3 |
//! | all packets of 3 such spans are lost | the control hears of a timeout | RFC 9002, 7.6 |
//! | a packet that left after the last reduction is reported | the control hears of an ACK | RFC 9002, 7.3 |
//! | bytes in flight are below the window, at least 2 packets | a packet may leave | RFC 9002, 7.2 |
//! | a packet may leave, and is paced | at 5/4 of a window in a round trip, or at the control's rate | RFC 9002, 7.7 |
//!
//! Units are whole packets, all of one size but the last.

mod config;
mod data;
mod frame;
mod receiver;
mod round_trip;
mod sender;
mod sent;

pub use config::{ReceiverConfig, SenderConfig};
pub use frame::{AckFrame, MOST_RANGES, Output, Packet, Range};
pub use receiver::{MOST_AHEAD, Receiver, Response};
pub use sender::{Counters, Sender};
