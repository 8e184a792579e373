//! Windows: the initial one, the receiver's, the slow-start threshold, how slow start ends, and whether unused windows shrink.

use std::ops::RangeInclusive;

use dumbbell_control::units::Segments;
use dumbbell_tcp::config::InitialWindow;
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, range, value};
use crate::key::{Flag, Key, Shape};
use crate::text::{limit, quote};

const MOST_SEGMENTS: u64 = 1 << 20;

/// The key `initial_window`.
pub(super) struct Initial;

impl TcpKey for Initial {
    type Shape = AnyInitial;

    fn key() -> Key<AnyInitial> {
        AnyInitial.usually(InitialWindow::Segments(2), |form| {
            form.means("a number of segments, or `\"rfc3390\"` for min(4 payloads, max(2 payloads, 4380 B))")
                .ranging(range::of_numbers(&INITIAL))
                .such_as([json!(10), json!("rfc3390")])
        })
    }

    /// Does nothing: the initial window is a part of the control's [`path`](Tcp::path).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// A number of segments, or the initial window of RFC 3390.
pub(super) struct AnyInitial;

const INITIAL: RangeInclusive<u64> = 1..=MOST_SEGMENTS;
const RFC3390: &str = "rfc3390";

impl Shape for AnyInitial {
    type Value = InitialWindow;

    fn read(&self, node: &Node<'_>) -> Option<InitialWindow> {
        match node.as_text() {
            Some(RFC3390) => Some(InitialWindow::Rfc3390),
            Some(_) => {
                node.wrong(
                    "`initial_window` is a number of segments or \"rfc3390\"",
                    "write for example initial_window = 2",
                );
                None
            }
            None => node
                .whole(INITIAL)
                .map(|n| InitialWindow::Segments(n as u32)),
        }
    }

    fn write(&self, window: &InitialWindow) -> String {
        match window {
            InitialWindow::Segments(segments) => segments.to_string(),
            InitialWindow::Rfc3390 => quote(RFC3390),
        }
    }

    fn form(&self) -> Form {
        value::whole(INITIAL).or_word(RFC3390)
    }
}

/// The key `window_validation`.
pub(super) struct Validation;

impl TcpKey for Validation {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether a window that is not used does not grow, and shrinks: towards what is used, and when the sender was idle (RFC 2861, as in Linux)")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.window_validation = tcp.window_validation;
    }
}

/// The key `hystart`.
pub(super) struct SlowStart;

impl TcpKey for SlowStart {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether slow start ends when ACKs come in a long train or round-trip times grow (HyStart, as in Linux' CUBIC)")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.hystart = tcp.hystart;
    }
}

/// The key `receiver_window`.
pub(super) struct Receiver;

impl TcpKey for Receiver {
    type Shape = Limit;

    fn key() -> Key<Limit> {
        Limit(1..=MOST_SEGMENTS).usually(None, |form| {
            form.means("the receiver's window").such_as([json!(64)])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.receiver_window = tcp.receiver_window.map_or(Segments::MAX, Segments::whole);
    }
}

/// The key `ssthresh`.
pub(super) struct Ssthresh;

impl TcpKey for Ssthresh {
    type Shape = Limit;

    fn key() -> Key<Limit> {
        Limit(2..=MOST_SEGMENTS).usually(None, |form| {
            form.means("initial slow-start threshold")
                .such_as([json!(32)])
        })
    }

    /// Does nothing: the threshold is a part of the control's [`path`](Tcp::path).
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// A number of segments within a range, or unlimited.
pub(super) struct Limit(RangeInclusive<u64>);

const UNLIMITED: &str = "unlimited";

impl Shape for Limit {
    type Value = Option<u32>;

    fn read(&self, node: &Node<'_>) -> Option<Option<u32>> {
        match node.as_text() {
            Some(UNLIMITED) => Some(None),
            Some(_) => {
                let message = format!("`{}` is a number of segments or \"unlimited\"", node.name());
                node.wrong(message, format!("write for example {} = 64", node.name()));
                None
            }
            None => node.whole(self.0.clone()).map(|n| Some(n as u32)),
        }
    }

    fn write(&self, segments: &Option<u32>) -> String {
        limit(*segments)
    }

    fn form(&self) -> Form {
        let range = range::of_numbers(&self.0);
        value::whole(self.0.clone())
            .or_word(UNLIMITED)
            .ranging(format!("segments, {range}, or `\"unlimited\"`"))
    }
}
