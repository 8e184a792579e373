//! What there is to say of a key of a link.

use dumbbell_sim::Kinds;

use crate::document::Node;
use crate::form::Form;
use crate::queue::Queue;

/// A key of a link, in one place.
pub(super) trait LinkKey {
    /// What a file says.
    type Value: Clone;

    /// The name in files.
    const NAME: &'static str;
    /// Whether it is a matter of the router in front of the link. At an access link there is one, so
    /// that `reverse` has no such key there.
    const AT_ROUTER: bool;
    /// What one might write, if it must be set.
    const NEEDED: Option<&'static str>;

    /// Reads the value; a wrong one is noted, and nothing comes of it.
    fn read(node: &Node<'_>) -> Option<Self::Value>;

    /// What stands in for a wrong value. It has been noted, so the scenario is refused whatever it is;
    /// a stand-in keeps it from being called missing as well.
    fn stand_in() -> Self::Value;

    /// The value of the first direction; nothing if it must be set, and is not.
    fn forward(set: Option<Self::Value>, usual: &Usual) -> Option<Self::Value>;

    /// The value of the other direction, where `reverse` says this, the link says `first`, and the first
    /// direction has the value `forward`.
    fn reverse(
        set: Option<Self::Value>,
        first: Option<&Self::Value>,
        forward: &Self::Value,
        usual: &Usual,
    ) -> Self::Value;

    /// The value as TOML.
    fn write(value: &Self::Value) -> String;

    /// The key as a schema, in such a table.
    fn form(place: At) -> Form;

    /// Tells the simulator's link, to which these are the kinds of packets that carry data.
    fn hand_over(value: &Self::Value, data: Kinds, link: &mut dumbbell_sim::Link);
}

/// What holds where a link says nothing.
#[derive(Clone, Copy)]
pub(crate) struct Usual {
    /// The queue.
    pub(crate) queue: Queue,
    /// Whether the routers at both ends add queueing times.
    pub(crate) aqt: [bool; 2],
}

/// The tables in which a key of a link may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// A bottleneck, or a hop.
    Link,
    /// A link of a graph.
    GraphLink,
    /// `reverse` of these.
    Reverse,
    /// Both access links of a flow, or of all flows.
    Access,
    /// One of them.
    AccessEnd,
    /// `reverse` of these.
    AccessReverse,
}

impl At {
    /// Which access links.
    pub(super) fn which(self) -> &'static str {
        if self == Self::AccessEnd {
            "this access link"
        } else {
            "both access links"
        }
    }
}
