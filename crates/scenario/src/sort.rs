//! Sorts of one thing: queues, losses, sources. Each sort is a file, and a line of its kind's table.

use crate::document::Node;
use crate::form::Form;

/// Everything about one sort.
pub(crate) trait Sort {
    /// What a file says of one.
    type Value;
    /// What the simulator needs to know besides.
    type Given;
    /// What the simulator is given.
    type Simulated;

    /// The key in files.
    const KEY: &'static str;
    /// The entry of the catalogue: how a file has it, in short, and what it is, in one line.
    const ENTRY: (&'static str, &'static str);

    /// Reads the value of the key; a wrong one is noted, and nothing comes of it.
    fn read(node: &Node<'_>) -> Option<Self::Value>;

    /// The value of the key as TOML.
    fn write(value: &Self::Value) -> String;

    /// The key as a schema.
    fn form() -> Form;

    /// The same for the simulator.
    fn simulated(value: &Self::Value, given: Self::Given) -> Self::Simulated;
}

/// Makes an enum of sorts, each variant with the value of one. The lines stand in the order of files
/// and of the catalogue. What the simulator is given is one type for all of them, or an iterator of each,
/// which an enum of the same variants holds.
macro_rules! sorts {
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $given:ty => $simulated:ty {
            $( $(#[$sort_meta:meta])* $variant:ident($value:ty) = $sort:ty, )+
        }
    ) => {
        $crate::sort::sorts! { @common
            $(#[$meta])* $name { $( $(#[$sort_meta])* $variant($value) = $sort, )+ }
        }

        impl $name {
            /// The same for the simulator.
            pub fn simulated(&self, given: $given) -> $simulated {
                match self { $(
                    Self::$variant(value) => <$sort as $crate::sort::Sort>::simulated(value, given),
                )+ }
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident: $given:ty,
        $(#[$iterator_meta:meta])*
        struct $iterator:ident($each:ident) of $item:ty {
            $( $(#[$sort_meta:meta])* $variant:ident($value:ty) = $sort:ty, )+
        }
    ) => {
        $crate::sort::sorts! { @common
            $(#[$meta])* $name { $( $(#[$sort_meta])* $variant($value) = $sort, )+ }
        }

        $(#[$iterator_meta])*
        pub struct $iterator($each);

        enum $each { $( $variant(<$sort as $crate::sort::Sort>::Simulated), )+ }

        impl Iterator for $iterator {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                match &mut self.0 { $( $each::$variant(each) => each.next(), )+ }
            }
        }

        impl $name {
            /// The same for the simulator.
            pub fn simulated(&self, given: $given) -> $iterator {
                $iterator(match self { $( Self::$variant(value) => {
                    $each::$variant(<$sort as $crate::sort::Sort>::simulated(value, given))
                } )+ })
            }
        }
    };
    (
        @common $(#[$meta:meta])* $name:ident {
            $( $(#[$sort_meta:meta])* $variant:ident($value:ty) = $sort:ty, )+
        }
    ) => {
        $(#[$meta])*
        pub enum $name { $( $(#[$sort_meta])* $variant($value), )+ }

        impl $name {
            /// The keys of the sorts.
            pub(crate) const KEYS: &'static [&'static str] =
                &[$( <$sort as $crate::sort::Sort>::KEY ),+];

            /// The key of the sort in files.
            pub fn key(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$sort as $crate::sort::Sort>::KEY, )+ }
            }

            /// Reads the value of one of these keys.
            fn read_sort(key: &str, node: &$crate::document::Node<'_>) -> Option<Self> {
                $( if key == <$sort as $crate::sort::Sort>::KEY {
                    return <$sort as $crate::sort::Sort>::read(node).map(Self::$variant);
                } )+
                None
            }

            /// The value of the key as TOML.
            fn write_sort(&self) -> String {
                match self { $(
                    Self::$variant(value) => <$sort as $crate::sort::Sort>::write(value),
                )+ }
            }

            /// The keys as schemas.
            fn forms() -> Vec<(&'static str, $crate::form::Form)> {
                vec![$( (
                    <$sort as $crate::sort::Sort>::KEY,
                    <$sort as $crate::sort::Sort>::form(),
                ) ),+]
            }

            /// The entries of the catalogue: how a file has each, and what it is.
            pub(crate) fn entries() -> Vec<(&'static str, &'static str)> {
                vec![$( <$sort as $crate::sort::Sort>::ENTRY ),+]
            }
        }
    };
}

pub(crate) use sorts;
