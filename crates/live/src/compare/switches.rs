//! The switches of the simulated stacks: keys and parameters, each with the value that is not that of the stack.

/// A switch, turned the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switch {
    /// What is changed, for readers: keys with their values.
    pub name: &'static str,
    /// Keys of the flow, one a line.
    pub keys: &'static str,
    /// Parameters of the control, as in a table.
    pub parameters: &'static str,
    /// See [`Variant`](super::prediction::Variant::late_us).
    pub late_us: u64,
}

const fn key(name: &'static str) -> Switch {
    Switch {
        name,
        keys: name,
        parameters: "",
        late_us: 0,
    }
}

const fn parameter(name: &'static str) -> Switch {
    Switch {
        name,
        keys: "",
        parameters: name,
        late_us: 0,
    }
}

#[cfg_attr(not(feature = "quic"), allow(dead_code))]
const fn late(name: &'static str, late_us: u64) -> Switch {
    Switch {
        name,
        keys: "",
        parameters: "",
        late_us,
    }
}

/// The switches of the simulated Linux. Those that a control does not have, or that it has the other way already, are
/// left out.
pub(crate) const LINUX: [Switch; 31] = [
    key("initial_window = 2"),
    key("quick_acks = 0"),
    Switch {
        name: "delayed_ack = false",
        keys: "delayed_ack = false\nquick_acks = 0\nautotuning = false\nadaptive_delay = false\npush = false",
        parameters: "",
        late_us: 0,
    },
    key("ack_samples = false"),
    key("repair_samples = false"),
    key("min_rto_variance = false"),
    key("timer_tick = \"none\""),
    key("prr = \"off\""),
    key("rack = false"),
    key("tlp = false"),
    key("undo = false"),
    key("frto = false"),
    key("exit_growth = false"),
    key("rack_last = false"),
    key("handshake_rtt = false"),
    key("sack_compression = false"),
    key("autotuning = false"),
    key("adaptive_delay = false"),
    key("push = false"),
    key("push_pieces = false"),
    key("tso = false"),
    key("pacing = true"),
    key("pacing_credit = false"),
    key("window_validation = false"),
    key("hystart = true"),
    key("hystart = false"),
    key("receiver_window = 45"),
    parameter("raise_alpha = true"),
    parameter("whole_segments = false"),
    parameter("counting = \"ack\""),
    parameter("aggregation = false"),
];

/// The switches of the simulated quinn and noq, and what their hosts do.
#[cfg_attr(not(feature = "quic"), allow(dead_code))]
pub(crate) const QUINN: [Switch; 14] = [
    late("both ends 0.1 ms late", 100),
    late("both ends 0.5 ms late", 500),
    key("below_window = false"),
    key("below_window = true"),
    key("losses_last = false"),
    key("pacing = false"),
    key("delayed_ack = false"),
    key("delayed_ack = \"40 ms\""),
    key("handshake = false"),
    key("initial_window = 2"),
    parameter("stamp_source = \"receiver\""),
    parameter("counting = \"ack\""),
    parameter("abc_limit = 2"),
    parameter("whole_segments = true"),
];
