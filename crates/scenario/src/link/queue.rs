//! The queue of a link, as a key of it.

use dumbbell_sim::Kinds;
use serde_json::json;

use super::key::{At, LinkKey, Usual};
use crate::document::Node;
use crate::form::Form;
use crate::queue::{self, Queue};

/// The key `queue` of a link.
pub(super) struct QueueKey;

impl LinkKey for QueueKey {
    type Value = Queue;

    const NAME: &'static str = "queue";
    const AT_ROUTER: bool = true;
    const NEEDED: Option<&'static str> = None;

    fn read(node: &Node<'_>) -> Option<Queue> {
        queue::read(node)
    }

    fn stand_in() -> Queue {
        Queue::Unlimited
    }

    fn forward(set: Option<Queue>, usual: &Usual) -> Option<Queue> {
        Some(set.unwrap_or(usual.queue))
    }

    fn reverse(set: Option<Queue>, _: Option<&Queue>, forward: &Queue, _: &Usual) -> Queue {
        set.unwrap_or(*forward)
    }

    fn write(queue: &Queue) -> String {
        queue.write()
    }

    fn form(at: At) -> Form {
        let queue = queue::form();
        match at {
            At::Link => queue
                .means("the queue in front of each direction")
                .needed()
                .such_as([
                    json!({ "droptail": 60 }),
                    json!("unlimited"),
                    json!({ "red": { "limit": 60 } }),
                ]),
            At::GraphLink => queue
                .means("the queue in front of each direction")
                .usually("unlimited"),
            At::Reverse | At::AccessReverse => queue
                .means("the queue of the other direction")
                .otherwise("as the first direction's")
                .such_as([json!({ "droptail": 10 })]),
            At::Access | At::AccessEnd => queue
                .means("a router's queue towards a host")
                .otherwise("as long as the bottleneck's queue from left to right; in a parking lot, as long as the longest queue of the hops")
                .such_as([json!({ "droptail": 60 })]),
        }
    }

    fn hand_over(queue: &Queue, _: Kinds, link: &mut dumbbell_sim::Link) {
        link.queue = queue.simulated();
    }
}
