//! The rules of the algorithms as data, from which a host can explain a window to people.
//!
//! A controller remembers which rule it applied last, and [`Controller::explain`] reports that rule
//! and the values that decided it. This crate writes no sentences: the host that shows a rule fills
//! in its templates.
//!
//! ```
//! use dumbbell_control::controller::{Controller, Value};
//! use dumbbell_control::event::{Loss, Path};
//! use dumbbell_control::registry::AnyConfig;
//! use dumbbell_control::units::{Bytes, Instant, Segments};
//!
//! let mut veno = AnyConfig::named("veno").expect("veno").build(&Path::new(Bytes(1000)));
//! veno.on_loss(&Loss::new(Instant::ZERO, Segments::whole(10)));
//! let mut applied = None;
//! veno.explain(&mut |name, value| {
//!     if let ("rule", Value::Rule(rule)) = (name, value) {
//!         applied = Some((rule.branch, rule.condition));
//!     }
//! });
//! assert_eq!(applied, Some(("random loss", "N = {backlog} < {beta}")));
//! ```
//!
//! [`Controller::explain`]: crate::controller::Controller::explain

/// One branch of an algorithm: when it is taken, what it does to the window, and its source.
///
/// Condition and action are templates. `{name}` is replaced by the first of these that exists:
/// 1. the value of that name that the controller explained *before* the event,
/// 2. what the host knows of the event: `cwnd` and `ssthresh` before it, `in_flight`,
///    `transmissions` of the lost segment, `consecutive` timeouts, `payload`,
/// 3. the parameter of that name.
///
/// `{after.name}` is replaced by the value that is explained after the rule was applied, for an
/// estimate that the event itself moves. `{name:+}` shows the sign of a positive value, too, and
/// `{name:/4}` a number of quarters. A comparison directly follows the name that it compares:
/// `{n} < {beta}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The branch in one to three words. No two rules of an algorithm share it, except variants of one
    /// branch that differ in `counting`.
    pub branch: &'static str,
    /// When the branch is taken: a condition that holds for the values that it names.
    pub condition: &'static str,
    /// What it does to the window.
    pub action: &'static str,
    /// Its source: paper or RFC, and section.
    pub source: &'static str,
}

/// No event has occurred yet.
pub static NONE: Rule = Rule {
    branch: "none",
    condition: "nothing has happened yet",
    action: "cwnd is the initial window",
    source: "RFC 5681, section 3.1",
};

/// Slow start; an ACK counts as one segment.
pub static SLOW_START: Rule = Rule {
    branch: "slow start",
    condition: "cwnd = {cwnd} < ssthresh = {ssthresh}",
    action: "cwnd + 1 per ACK",
    source: "RFC 5681, section 3.1",
};

/// Slow start; an ACK counts as what it covers, at most one segment.
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

/// Congestion avoidance, with an increase at each ACK.
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
