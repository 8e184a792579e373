//! Why a window is what it is: the rules of the algorithms as data for people.
//!
//! A controller remembers which rule it applied last, and [`Controller::explain`] reports it with
//! the values that it was judged by. Nothing is put into words here: whoever tells people fills
//! in the templates.
//!
//! [`Controller::explain`]: crate::controller::Controller::explain

/// One branch of an algorithm: when it is taken, what it does to the window, and where it is
/// printed.
///
/// Condition and action are templates. `{name}` stands for
/// 1. the value of that name that the controller explained *before* the event, or else
/// 2. what the host knows of the event: `cwnd` and `ssthresh` before it, `in_flight`,
///    `transmissions` of the lost segment, `consecutive` timeouts, `payload`, or else
/// 3. the parameter of that name.
///
/// `{after.name}` stands for the explained value once the rule was applied: for an estimate that
/// the event itself moves. `{name:+}` shows the sign of a positive value, too, and `{name:/4}` a
/// number of quarters. A comparison stands right behind the name that it compares: `{n} < {beta}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The branch in one to three words; no two rules of an algorithm share it, but for the same
    /// branch under another counting.
    pub branch: &'static str,
    /// When it is taken: true of the values that it names.
    pub condition: &'static str,
    /// What it does to the window.
    pub action: &'static str,
    /// Where it is printed: paper or RFC, and section.
    pub source: &'static str,
}

/// Nothing has happened yet.
pub static NONE: Rule = Rule {
    branch: "none",
    condition: "nothing has happened yet",
    action: "cwnd is the initial window",
    source: "RFC 5681, section 3.1",
};

/// Slow start, an ACK worth one segment.
pub static SLOW_START: Rule = Rule {
    branch: "slow start",
    condition: "cwnd = {cwnd} < ssthresh = {ssthresh}",
    action: "cwnd + 1 per ACK",
    source: "RFC 5681, section 3.1",
};

/// Slow start, an ACK worth what it covers, at most one segment.
pub static SLOW_START_SEGMENT: Rule = Rule {
    branch: "slow start",
    condition: "cwnd = {cwnd} < ssthresh = {ssthresh}",
    action: "cwnd + what an ACK covers, at most 1",
    source: "RFC 5681, section 3.1, eq. 2",
};

/// Slow start by appropriate byte counting.
pub static SLOW_START_ABC: Rule = Rule {
    branch: "slow start",
    condition: "cwnd = {cwnd} < ssthresh = {ssthresh}",
    action: "cwnd + what an ACK covers, at most {abc_limit} (1 after a timeout)",
    source: "RFC 3465, sections 2.2 and 2.3",
};

/// Congestion avoidance, an ACK at a time.
pub static AVOIDANCE: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd + 1/cwnd per ACK",
    source: "RFC 5681, section 3.1, eq. 3",
};

/// Congestion avoidance by appropriate byte counting.
pub static AVOIDANCE_ABC: Rule = Rule {
    branch: "congestion avoidance",
    condition: "cwnd = {cwnd} >= ssthresh = {ssthresh}",
    action: "cwnd + 1 once cwnd is acknowledged",
    source: "RFC 3465, section 2.1",
};

/// The second and later timeouts of the same segment.
pub static REPEATED_TIMEOUT: Rule = Rule {
    branch: "repeated timeout",
    condition: "timeout {consecutive} of the same segment",
    action: "cwnd = 1, ssthresh stays",
    source: "RFC 5681, section 3.1",
};
