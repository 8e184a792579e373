//! Rules of the host, for changes of a window that its control does not make.

use dumbbell_control::rule::Rule;

/// NewReno limits the window when it leaves a recovery, to avoid a burst.
pub(super) static RECOVERY_ENDS: Rule = Rule {
    branch: "recovery ends",
    condition: "all that was outstanding at the loss is acknowledged",
    action: "cwnd at most what is outstanding + 1",
    source: "RFC 6582, section 3.2, step 3, option 1",
};

/// Nothing was lost, and the window is what it was before it was cut.
pub(super) static UNDONE: Rule = Rule {
    branch: "undo",
    condition: "the last loss or timeout was none: segments were late",
    action: "cwnd and ssthresh at least as before it",
    source: "Linux; RFC 4015, section 3.2",
};

/// The window has reached the receiver's window.
pub(super) static RECEIVER: Rule = Rule {
    branch: "receiver's window",
    condition: "the receiver takes {receiver_window}",
    action: "cwnd at most {receiver_window}",
    source: "RFC 5681, section 3.1; cwnd kept as in ns-2",
};

/// The application has less to send than the window allows.
pub(super) static APPLICATION: Rule = Rule {
    branch: "nothing to send",
    condition: "there is less to send than cwnd allows",
    action: "cwnd stays",
    source: "RFC 7661, section 1",
};

/// From here on the window is in congestion avoidance.
pub(super) static SLOW_START_ENDS: Rule = Rule {
    branch: "slow start ends",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "congestion avoidance from here on",
    source: "RFC 5681, section 3.1",
};

/// The application sent less than the window allows, or nothing.
pub(super) static UNUSED: Rule = Rule {
    branch: "unused window",
    condition: "less was sent for a retransmission timeout than cwnd = {cwnd} allows",
    action: "cwnd towards what is used, ssthresh at least 3/4 of cwnd",
    source: "RFC 2861, section 3; Linux",
};

/// Slow start is about to overflow a queue.
pub(super) static HYSTART: Rule = Rule {
    branch: "HyStart",
    condition: "a long train of ACKs, or a longer delay",
    action: "ssthresh = cwnd = {cwnd}",
    source: "Linux, tcp_cubic.c: hystart_update",
};

/// The control reports no rule.
pub(super) static UNEXPLAINED: Rule = Rule {
    branch: "unexplained",
    condition: "",
    action: "the control reports no rule",
    source: "",
};
