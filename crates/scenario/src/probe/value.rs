//! What can be sampled.
//!
//! To add a probe value: add its line to the table below, and what takes the sample to the probes of
//! `run`, which look the value up by its variant. The reader, the canonical form and the schema follow;
//! a test wants it explained in `docs/scenario.md`.

/// Makes the values of a line for each: what it is in the program, its variant, its name in files, and
/// what a file's reader is told of it.
macro_rules! values {
    ($( $(#[$meta:meta])* $variant:ident = $name:literal, $meaning:literal; )+) => {
        /// Something to sample.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProbeValue { $( $(#[$meta])* $variant, )+ }

        impl ProbeValue {
            /// Every value.
            pub const ALL: [Self; [$( $name ),+].len()] = [$( Self::$variant ),+];

            /// Its name in files.
            pub fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            /// What it is, in a few words.
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
    Inflation = "inflation", "what recovery adds to it";
    /// Slow-start threshold of each TCP flow.
    Ssthresh = "ssthresh", "slow-start threshold";
    /// Newest round-trip time of each TCP flow.
    Rtt = "rtt", "newest round-trip time";
    /// What each congestion control reports of itself.
    Explain = "explain", "what the control reports of itself";
    /// Packets in each queue between routers.
    Queue = "queue", "packets in each queue between routers";
    /// Rate of each flow at its receiver since the last sample.
    Rate = "rate", "rate of each flow at its receiver since the last sample";
    /// Highest segment sent by, and highest in order at the receiver of, each TCP flow.
    Sequence = "sequence", "highest segment sent, and highest in order at the receiver";
    /// Loss episodes and timeouts of each TCP flow, and loss events of each flow of media, so far.
    Losses = "losses",
        "loss episodes and timeouts of each TCP flow, loss events of each flow of media, so far";
    /// Packets that each flow has sent since the last sample.
    Sending = "sending", "packets that each flow has sent since the last sample";
}
