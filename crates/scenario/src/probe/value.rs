//! The values that can be sampled.
//!
//! To add a probe value: add its line to the table below, and the code that takes the sample to the
//! probes of `run`, which identify the value by its variant. The reader, the canonical form and the
//! schema then follow. A test requires an explanation in `docs/scenario.md`.

/// Makes the probe values from one line for each: its doc comment, its variant, its name in files, and
/// its description for users.
macro_rules! values {
    ($( $(#[$meta:meta])* $variant:ident = $name:literal, $meaning:literal; )+) => {
        /// A value that can be sampled.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProbeValue { $( $(#[$meta])* $variant, )+ }

        impl ProbeValue {
            /// All values.
            pub const ALL: [Self; [$( $name ),+].len()] = [$( Self::$variant ),+];

            /// Returns its name in files.
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            /// Returns a short description.
            pub fn meaning(self) -> &'static str {
                match self { $( Self::$variant => $meaning, )+ }
            }
        }
    };
}

values! {
    /// Congestion window of each TCP flow, without inflation.
    Cwnd = "cwnd", "congestion window of each TCP flow, without inflation";
    /// Window inflation of each TCP flow in recovery.
    Inflation = "inflation", "what recovery adds to the congestion window";
    /// Slow-start threshold of each TCP flow.
    Ssthresh = "ssthresh", "slow-start threshold";
    /// Newest round-trip time of each TCP flow.
    Rtt = "rtt", "newest round-trip time";
    /// Smoothed round-trip time of each TCP flow, by which its timer runs.
    Srtt = "srtt", "smoothed round-trip time, by which the timer runs";
    /// The values that each congestion control reports about itself.
    Explain = "explain", "what the control reports about itself";
    /// Packets in each queue between routers.
    Queue = "queue", "packets in each queue between routers";
    /// Rate of each flow at its receiver since the last sample.
    Rate = "rate", "rate of each flow at its receiver since the last sample";
    /// Highest segment sent, and highest segment received in order, for each TCP flow.
    Sequence = "sequence", "highest segment sent, and highest segment received in order";
    /// Loss episodes and timeouts of each TCP flow so far, and loss events of each media flow so far.
    Losses = "losses",
        "loss episodes and timeouts of each TCP flow, and loss events of each media flow, so far";
    /// Packets that each flow has sent since the last sample.
    Sending = "sending", "packets that each flow has sent since the last sample";
}
