//! How transfers are summarised: by classes of size, or one by one.

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::size::SIZE;
use crate::document::Node;
use crate::form::Form;
use crate::form::value::{array, size as size_form};
use crate::key::{Flag, Key, Shape};
use crate::text::size;

/// Classes of sizes: below the first bound, from each bound up to the next one, and from the last on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeClasses(Vec<Bytes>);

/// The largest number of bounds.
const MOST: usize = 16;

impl SizeClasses {
    /// Makes classes with these bounds, which must ascend; at most 16, and possibly none.
    pub fn new(bounds: Vec<Bytes>) -> Option<Self> {
        let ascending = bounds.windows(2).all(|pair| pair[0] < pair[1]);
        (ascending && bounds.len() <= MOST).then_some(Self(bounds))
    }

    /// Returns the bounds, ascending.
    pub fn bounds(&self) -> &[Bytes] {
        &self.0
    }

    /// Returns the class of a size, counted from 0 for the smallest.
    pub fn of(&self, bytes: u64) -> usize {
        self.0.partition_point(|bound| bound.0 <= bytes)
    }
}

/// The key `classes`.
pub(super) fn classes() -> Key<Bounds> {
    let usual = [10_000, 100_000, 1_000_000].map(Bytes).to_vec();
    Bounds.usually(SizeClasses(usual), |form| {
        form.means("the bounds of the classes of size by which completion times are summarised")
            .such_as([json!(["10 kB", "100 kB", "1 MB"])])
    })
}

/// The key `list`.
pub(super) fn listed() -> Key<Flag> {
    Flag.usually(false, |form| {
        form.means("whether results list each transfer, and not only the classes")
    })
}

/// Bounds of classes.
pub(super) struct Bounds;

impl Shape for Bounds {
    type Value = SizeClasses;

    fn read(&self, node: &Node<'_>) -> Option<SizeClasses> {
        let elements = node.array("[\"10 kB\", \"100 kB\"]")?;
        let bounds: Vec<Option<Bytes>> = elements.iter().map(|it| it.size(SIZE)).collect();
        let classes = SizeClasses::new(bounds.into_iter().collect::<Option<_>>()?);
        if classes.is_none() {
            node.wrong(
                "`classes` are no ascending bounds",
                format!("write at most {MOST} sizes, each larger than the one before it"),
            );
        }
        classes
    }

    fn write(&self, classes: &SizeClasses) -> String {
        let bounds: Vec<String> = classes.0.iter().map(|bound| size(bound.0)).collect();
        format!("[{}]", bounds.join(", "))
    }

    fn form(&self) -> Form {
        array(&size_form(SIZE), 0..=MOST).ranging(format!("up to {MOST} ascending sizes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_the_class_above_it() {
        let classes = SizeClasses::new(vec![Bytes(100), Bytes(1000)]).unwrap();
        let of = [1, 99, 100, 999, 1000, 5000].map(|bytes| classes.of(bytes));
        assert_eq!(of, [0, 0, 1, 1, 2, 2]);
        assert!(SizeClasses::new(vec![Bytes(5), Bytes(5)]).is_none());
    }
}
