//! Sizes drawn from a list, such as one of transfers that were measured.

use std::sync::Arc;

use dumbbell_sim::random::Random;
use serde_json::json;

use super::SIZE;
use crate::document::Node;
use crate::form::Form;
use crate::form::value::{array, whole};
use crate::sort::Sort;
use crate::workload::lines;

/// Sizes of which each is drawn with the same probability. Clones share them.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeList(Arc<[u64]>);

/// The largest number of sizes.
const MOST: usize = 1_000_000;
const HELP: &str = "each line is a size in whole bytes, from 1 to 1000000000000, such as 20000";

impl SizeList {
    /// Makes a list of sizes in bytes, each from 1 B to 1 TB; `None` without a size, or with one out of
    /// range.
    pub fn new(sizes: Vec<u64>) -> Option<Self> {
        let valid = !sizes.is_empty() && sizes.iter().all(|size| SIZE.contains(size));
        valid.then(|| Self(sizes.into()))
    }

    /// Returns the sizes in bytes.
    pub fn sizes(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn mean(&self) -> f64 {
        self.0.iter().map(|&size| size as f64).sum::<f64>() / self.0.len() as f64
    }
}

/// Draws sizes of a list.
pub(crate) struct Draws {
    sizes: Arc<[u64]>,
    random: Random,
}

impl Iterator for Draws {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let place = self.random.uniform() * self.sizes.len() as f64;
        Some(self.sizes[place as usize])
    }
}

impl Sort for SizeList {
    type Value = Self;
    type Given = Random;
    type Simulated = Draws;

    const KEY: &'static str = "list";
    const ENTRY: (&'static str, &'static str) = (
        "list = \"sizes.txt\"",
        "drawn from a list, in a file or as an array",
    );

    fn read(node: &Node<'_>) -> Option<Self> {
        let sizes = if node.is_array() {
            let elements = node.array("[1200, 64000]")?;
            if elements.len() > MOST {
                node.wrong(
                    "`list` has too many sizes",
                    format!("it has at most {MOST}"),
                );
                return None;
            }
            // All are read, so that the mistakes in each are recorded.
            let sizes: Vec<Option<u64>> = elements.iter().map(|it| it.whole(SIZE)).collect();
            sizes.into_iter().collect::<Option<Vec<u64>>>()?
        } else {
            lines::read(node, "\"sizes.txt\"", MOST, HELP, |line| {
                let size = line.parse().ok().filter(|size| SIZE.contains(size));
                size.filter(|_| line.bytes().all(|byte| byte.is_ascii_digit()))
            })?
        };
        let list = Self::new(sizes);
        if list.is_none() {
            node.wrong("`list` has no size", "give at least one");
        }
        list
    }

    fn write(list: &Self) -> String {
        let sizes: Vec<String> = list.0.iter().map(u64::to_string).collect();
        format!("[{}]", sizes.join(", "))
    }

    fn form() -> Form {
        array(&whole(SIZE), 1..=MOST)
            .or(Form::text("[^\\u0000]+", "the name of a file"))
            .means("sizes in bytes of which each is drawn with the same probability: an array, or a file with one size per line")
            .ranging("1 to 1,000,000 whole numbers, each 1 to 1,000,000,000,000, or the name of a file, relative to the scenario's folder")
            .such_as([json!([1200, 64000])])
    }

    fn simulated(list: &Self, random: Random) -> Draws {
        Draws {
            sizes: Arc::clone(&list.0),
            random,
        }
    }
}
