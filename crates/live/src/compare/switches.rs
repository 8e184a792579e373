//! The switches of the simulated Linux: its keys and parameters, each with the value that is not that of Linux.

/// A switch, turned the other way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    /// What is changed, for readers: keys with their values.
    pub name: &'static str,
    /// Keys of the flow, one a line.
    pub keys: &'static str,
    /// Parameters of the control, as in a table.
    pub parameters: &'static str,
}

const fn key(name: &'static str) -> Switch {
    Switch {
        name,
        keys: name,
        parameters: "",
    }
}

const fn parameter(name: &'static str) -> Switch {
    Switch {
        name,
        keys: "",
        parameters: name,
    }
}

/// All switches. Those that a control does not have, or that it has the other way already, are left out.
pub(super) const SWITCHES: [Switch; 22] = [
    key("initial_window = 2"),
    key("quick_acks = 0"),
    Switch {
        name: "delayed_ack = false",
        keys: "delayed_ack = false\nquick_acks = 0",
        parameters: "",
    },
    key("ack_samples = false"),
    key("min_rto_variance = false"),
    key("timer_tick = \"none\""),
    key("prr = \"off\""),
    key("rack = false"),
    key("tlp = false"),
    key("undo = false"),
    key("frto = false"),
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
