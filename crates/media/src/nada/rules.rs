//! The rules of NADA as data, from which a host explains why the rate changed.

use dumbbell_control::rule::Rule;

/// What every gradual update tests, and what it does: x and its parts, and the x at which the rate would rest.
macro_rules! gradual {
    ($branch:literal, $why:literal) => {
        Rule {
            branch: $branch,
            condition: concat!(
                $why,
                ": x from {signal} to {after.signal} (queue {after.from_delay}, losses {after.from_loss}, marks \
                 {after.from_mark}), at rest at {aim}"
            ),
            action: "r -= {kappa} (delta/{tau} (x - rest) + {eta} (x - x before))/{tau} r",
            source: "RFC 8698, section 4.3, equations 5 to 7",
        }
    };
}

/// The rate fell, and most of the signal is the delay of the queue.
pub(super) static QUEUE: Rule = gradual!("queueing delay", "the queue is most of the signal");
/// The same with the penalty for losses.
pub(super) static LOSSES: Rule = gradual!("losses", "losses are most of the signal");
/// The same with the penalty for marks.
pub(super) static MARKS: Rule = gradual!("marks", "marks are most of the signal");
/// The rate did not fall.
pub(super) static ROOM: Rule = gradual!("room", "the signal leaves room");

/// The accelerated ramp-up.
pub(super) static RAMP_UP: Rule = Rule {
    branch: "accelerated ramp-up",
    condition: "no loss and no queueing delay of {qeps} in the last {logwin}",
    action: "r at least (1 + gamma) r_recv, r_recv = {after.received}",
    source: "RFC 8698, section 4.3, equations 3 and 4",
};

/// Reports stay away.
pub(super) static SILENCE: Rule = Rule {
    branch: "no report",
    condition: "packets are in flight, and no report came for 5 x {delta} + 2 x {rtt}",
    action: "r/2, at least {rmin}",
    source: "RFC 8888, section 5; the factor is ours",
};

/// Nothing has been reported yet.
pub(super) static START: Rule = Rule {
    branch: "none",
    condition: "nothing has been reported yet",
    action: "r = RMIN",
    source: "RFC 8698, section 4.3",
};
