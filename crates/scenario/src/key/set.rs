//! Arrays of names, in which each name may occur once.

use super::Shape;
use crate::document::Node;
use crate::form::Form;
use crate::form::value::{array, words};
use crate::suggest;
use crate::text;

/// A subset of a few names. The values are returned in the order of `known`, whatever the order of the
/// file.
pub(crate) struct Set<T> {
    /// The permitted names, each with its value.
    pub(crate) known: Vec<(&'static str, T)>,
    /// The words that introduce the list of names in messages: "the values are".
    pub(crate) help: &'static str,
    /// A description of one element, in words.
    pub(crate) each: &'static str,
    /// Returns the description of a value.
    pub(crate) explain: fn(T) -> &'static str,
    /// An example for messages.
    pub(crate) example: &'static str,
}

impl<T: Copy + PartialEq> Shape for Set<T> {
    type Value = Vec<T>;

    fn read(&self, node: &Node<'_>) -> Option<Vec<T>> {
        let places: Vec<(&'static str, usize)> = (0..)
            .zip(&self.known)
            .map(|(place, (name, _))| (*name, place))
            .collect();
        let mut chosen = Vec::new();
        let mut complete = true;
        for element in node.array(self.example)? {
            match element.word(&places) {
                Some(place) if chosen.contains(&place) => {
                    let names: Vec<&str> = self.known.iter().map(|(name, _)| *name).collect();
                    element.wrong(
                        format!("`{}` stands here twice", places[place].0),
                        format!("{} {}", self.help, suggest::list(&names)),
                    );
                }
                Some(place) => chosen.push(place),
                None => complete = false,
            }
        }
        chosen.sort_unstable();
        complete.then(|| chosen.iter().map(|&place| self.known[place].1).collect())
    }

    fn write(&self, chosen: &Vec<T>) -> String {
        let name = |value| self.known.iter().find(|(_, known)| known == value);
        text::words(chosen.iter().filter_map(name).map(|(name, _)| *name))
    }

    fn form(&self) -> Form {
        let each = words(&self.known, |value| (self.explain)(value).to_owned()).means(self.each);
        array(&each, 0..=self.known.len()).rule("uniqueItems", true)
    }
}
