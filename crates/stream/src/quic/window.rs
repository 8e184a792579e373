//! The congestion control of the connection: none of its own. The media's rate control decides what leaves.
//!
//! QUIC's datagrams are congestion-controlled like all that it sends (RFC 9221, section 5.4), and any control may be the
//! connection's (RFC 9002, section 7). Here it is the stream's: each packet of it has been let go by TFRC, NADA or SCReAM, whose
//! receiver reports what arrived. A second control below it would hold back what the first allows, and hide the path from
//! it. So the window never changes; it is an absolute bound of what the connection remembers for a peer that acknowledges
//! nothing.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory};

/// The most that may be in flight, in bytes: 67 Mb/s at a round-trip time of 1 s. quinn's pacer lets 1.25 windows go in a
/// round-trip time, so it does not hold back what this does not.
pub const WINDOW: u64 = 8 << 20;

/// Makes windows that stay as they are.
#[derive(Debug)]
pub(super) struct Constant;

impl ControllerFactory for Constant {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Window)
    }
}

#[derive(Clone, Debug)]
struct Window;

impl Controller for Window {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        WINDOW
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        WINDOW
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_loss_changes_the_window() {
        let now = Instant::now();
        let mut control = Arc::new(Constant).build(now, 1200);
        for persistent in [false, true] {
            control.on_congestion_event(now, now, persistent, 1 << 20);
            assert_eq!(control.window(), WINDOW);
        }
        assert_eq!(control.initial_window(), WINDOW);
    }
}
