//! What the two ends of a connection are told.

use dumbbell_control::units::{Bytes, Duration};

/// The configuration of a [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug)]
pub struct SenderConfig {
    /// The payload of a full packet, for pacing.
    pub payload: Bytes,
    /// The number of packets to send; `None` means unlimited. A sender that [`offer`](super::Sender::offer) tells of
    /// more starts with 0.
    pub packets: Option<u64>,
    /// Whether more will be offered.
    pub open: bool,
    /// Whether the connection opens with an exchange, which gives the first round-trip time.
    pub handshake: bool,
    /// Packets behind the largest reported one by which a packet is lost (`kPacketThreshold`).
    pub packet_threshold: u64,
    /// The round-trip time before the first sample (`kInitialRtt`).
    pub initial_rtt: Duration,
    /// The longest wait of the receiver before it acknowledges (`max_ack_delay`).
    pub max_ack_delay: Duration,
    /// Whether a window is paced. A control that sets a rate is paced anyway.
    pub pacing: bool,
    /// Whether what is in flight stays below the window, as in quinn, instead of reaching it (RFC 9002, section 7).
    pub below_window: bool,
    /// Whether the control hears of the packets that an ACK reveals as lost after all else that the ACK says, as in quinn
    /// and noq, instead of before, as in the pseudo-code of BBR and in Linux.
    pub losses_last: bool,
    /// Whether packets are ECN-capable, and whether they are L4S: ECT(1).
    pub ect: bool,
    /// See [`ect`](Self::ect).
    pub l4s: bool,
    /// Whether rates of delivery are measured and told to the control.
    pub deliveries: bool,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            payload: Bytes(1200),
            packets: None,
            open: false,
            handshake: false,
            packet_threshold: 3,
            initial_rtt: Duration::from_millis(333),
            max_ack_delay: Duration::from_millis(25),
            pacing: true,
            below_window: false,
            losses_last: false,
            ect: false,
            l4s: false,
            deliveries: false,
        }
    }
}

/// The configuration of a [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug)]
pub struct ReceiverConfig {
    /// The longest wait before an acknowledgement; `None` means that every packet is acknowledged at once.
    pub max_ack_delay: Option<Duration>,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            max_ack_delay: Some(Duration::from_millis(25)),
        }
    }
}
