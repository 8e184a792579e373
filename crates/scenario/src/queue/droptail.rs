//! First in, first out, with a limit: a packet that finds the queue full is dropped.

use serde_json::json;

use super::Discipline;
use super::limit::{LIMIT, Room};
use crate::document::Node;
use crate::form::Form;
use crate::key::Shape;
use crate::sort::Sort;

/// A queue that limits the number of packets in the system, including the one in transmission.
pub(super) struct DropTail;

/// The key in files.
pub(super) const KEY: &str = "droptail";
/// An example for messages.
pub(super) const EXAMPLE: &str = "droptail = 60, the most packets it holds";
/// An example for messages about disciplines with a separate key for the limit.
pub(super) const LIMIT_EXAMPLE: &str = "limit = 60, the most packets it holds";

impl Sort for DropTail {
    type Value = u32;
    type Given = ();
    type Simulated = dumbbell_sim::Queue;

    const KEY: &'static str = KEY;
    const ENTRY: (&'static str, &'static str) = (
        "droptail = N",
        "first in, first out, at most N packets, a size or a time, what is in transmission included",
    );

    fn read(node: &Node<'_>) -> Option<u32> {
        node.whole(LIMIT).map(|limit| limit as u32)
    }

    fn write(limit: &u32) -> String {
        limit.to_string()
    }

    fn form() -> Form {
        Room.form()
            .means("how much the queue holds at most, including the packet in transmission: packets, bytes, or what the link sends in a time at its rate of the moment")
            .such_as([json!(60), json!("64 kB"), json!("50 ms")])
    }

    fn simulated(limit: &u32, (): ()) -> dumbbell_sim::Queue {
        dumbbell_sim::Queue::DropTail { limit: *limit }
    }
}

impl Discipline for DropTail {
    fn limit(limit: &u32) -> Option<u32> {
        Some(*limit)
    }
}
