//! The definition of a key of a link.

use dumbbell_sim::Kinds;

use crate::document::Node;
use crate::form::Form;
use crate::queue::Queue;

/// The complete definition of a key of a link.
pub(super) trait LinkKey {
    /// The type of the value in a file.
    type Value: Clone;

    /// The name in files.
    const NAME: &'static str;
    /// Whether it concerns the router in front of the link. An access link has only one router, so
    /// `reverse` does not have such a key there.
    const AT_ROUTER: bool;
    /// An example for messages, if the key must be set.
    const NEEDED: Option<&'static str>;

    /// Reads the value; a wrong value is recorded as a mistake and gives `None`.
    fn read(node: &Node<'_>) -> Option<Self::Value>;

    /// Returns a replacement for a wrong value. The mistake has been recorded, so the scenario is
    /// rejected in any case; the replacement prevents a second message that the key is missing.
    fn stand_in() -> Self::Value;

    /// Returns the value of the first direction; `None` if it must be set and is not.
    fn forward(set: Option<Self::Value>, usual: &Usual) -> Option<Self::Value>;

    /// Returns the value of the other direction. `set` is the value in `reverse`, `first` the value set
    /// for the link, and `forward` the resulting value of the first direction.
    fn reverse(
        set: Option<Self::Value>,
        first: Option<&Self::Value>,
        forward: &Self::Value,
        usual: &Usual,
    ) -> Self::Value;

    /// Returns whether a file in canonical form has the key. Only a key that is not inherited may be left out.
    fn is_written(_: &Self::Value) -> bool {
        true
    }

    /// Returns the value as TOML.
    fn write(value: &Self::Value) -> String;

    /// Returns the key as a schema, in a table of this kind.
    fn form(place: At) -> Form;

    /// Configures the simulator's link; `data` are the kinds of packets that carry data.
    fn hand_over(value: &Self::Value, data: Kinds, link: &mut dumbbell_sim::Link);
}

/// The defaults of a link.
#[derive(Clone, Copy)]
pub(crate) struct Usual {
    /// The queue.
    pub(crate) queue: Queue,
    /// Whether the routers at both ends add queueing times.
    pub(crate) aqt: [bool; 2],
}

/// The tables in which a key of a link may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// A bottleneck, or a hop.
    Link,
    /// A link of a graph.
    GraphLink,
    /// The table `reverse` of one of these links.
    Reverse,
    /// Both access links of a flow, or of all flows.
    Access,
    /// One access link of a flow, or of all flows.
    AccessEnd,
    /// The table `reverse` of access links.
    AccessReverse,
}

impl At {
    /// Names the access links that the table describes.
    pub(super) fn which(self) -> &'static str {
        if self == Self::AccessEnd {
            "this access link"
        } else {
            "both access links"
        }
    }
}
