//! Keys of a link that add something to it: a table, or `"none"`.

use std::marker::PhantomData;

use dumbbell_sim::{Flight, Kinds, Steps, Transmission};

use super::key::{At, LinkKey, Usual};
use crate::document::{Node, Table};
use crate::form::{Form, value};
use crate::key::record::Record;
use crate::text;

/// Something that a link may have, beside what all links have. It concerns one direction: the other one has it only if
/// `reverse` says so.
pub(crate) trait Part: Record + Clone {
    /// The name of the key.
    const NAME: &'static str;
    /// An example of the value.
    const EXAMPLE: &'static str;
    /// What it is, in a few words.
    const MEANING: &'static str;
    /// The entry of the catalogue: the notation in files, and a one-line summary.
    const ENTRY: (&'static str, &'static str);

    /// Adds it to the simulator's link.
    fn hand_over(&self, link: &mut dumbbell_sim::Link);
}

/// The key of a part.
pub(super) struct PartKey<T>(PhantomData<T>);

const NONE: &str = "none";

impl<T: Part> LinkKey for PartKey<T> {
    type Value = Option<T>;

    const NAME: &'static str = T::NAME;
    const AT_ROUTER: bool = false;
    const NEEDED: Option<&'static str> = None;

    fn read(node: &Node<'_>) -> Option<Option<T>> {
        if node.as_text() == Some(NONE) {
            return Some(None);
        }
        let table: Table<'_> = node.table(T::KEYS, &[], T::EXAMPLE)?;
        T::read(&table).map(Some)
    }

    fn stand_in() -> Option<T> {
        None
    }

    fn forward(set: Option<Option<T>>, _: &Usual) -> Option<Option<T>> {
        Some(set.flatten())
    }

    fn reverse(
        set: Option<Option<T>>,
        _: Option<&Option<T>>,
        _: &Option<T>,
        _: &Usual,
    ) -> Option<T> {
        set.flatten()
    }

    fn is_written(part: &Option<T>) -> bool {
        part.is_some()
    }

    fn write(part: &Option<T>) -> String {
        part.as_ref()
            .map_or_else(|| text::quote(NONE), |part| text::table(&part.write()))
    }

    fn form(_: At) -> Form {
        Form::defined(T::NAME)
    }

    fn hand_over(part: &Option<T>, _: Kinds, link: &mut dumbbell_sim::Link) {
        if let Some(part) = part {
            part.hand_over(link);
        }
    }
}

/// Returns the definition to which the key refers in a schema.
pub(super) fn definition<T: Part>() -> (&'static str, Form) {
    let form = value::table(&T::forms())
        .or_word(NONE)
        .means(T::MEANING)
        .ranging(format!("a table, or `\"{NONE}\"`"))
        .usually(NONE);
    (T::NAME, form)
}

/// Returns the flight of packets on a link, to be completed.
pub(super) fn flight(link: &mut dumbbell_sim::Link) -> &mut Flight {
    let delay = Steps::constant(link.delay.as_nanos());
    link.flight
        .get_or_insert_with(|| Box::new(Flight::new(delay)))
}

/// Returns how a link transmits, to be completed.
pub(super) fn transmission(link: &mut dumbbell_sim::Link) -> &mut Transmission {
    link.transmission.get_or_insert_default()
}
