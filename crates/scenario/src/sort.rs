//! Sorts of queues, losses and sources. Each sort has its own file, and a line in a table.

use crate::document::Node;
use crate::form::Form;

/// The complete definition of one sort.
pub(crate) trait Sort {
    /// The type of the value in a file.
    type Value;
    /// What else the simulator needs to know.
    type Given;
    /// The simulator's type for this sort.
    type Simulated;

    /// The key in files.
    const KEY: &'static str;
    /// The entry of the catalogue: the notation in files, and a one-line summary.
    const ENTRY: (&'static str, &'static str);

    /// Reads the value of the key; a wrong value is recorded as a mistake and gives `None`.
    fn read(node: &Node<'_>) -> Option<Self::Value>;

    /// Returns the value of the key as TOML.
    fn write(value: &Self::Value) -> String;

    /// Returns the key as a schema.
    fn form() -> Form;

    /// Converts the value to the simulator's type.
    fn simulated(value: &Self::Value, given: Self::Given) -> Self::Simulated;
}

/// Makes an enum of sorts, in which each variant holds the value of one sort. The lines are in the order
/// of files and of the catalogue. The simulator's type is either one type for all sorts, or a different
/// iterator for each sort, which an enum with the same variants holds.
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
            /// Converts the value to the simulator's type.
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
            /// Converts the value to the simulator's type.
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

            /// Returns the key of the sort in files.
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

            /// Returns the value of the key as TOML.
            fn write_sort(&self) -> String {
                match self { $(
                    Self::$variant(value) => <$sort as $crate::sort::Sort>::write(value),
                )+ }
            }

            /// Returns the keys as schemas.
            fn forms() -> Vec<(&'static str, $crate::form::Form)> {
                vec![$( (
                    <$sort as $crate::sort::Sort>::KEY,
                    <$sort as $crate::sort::Sort>::form(),
                ) ),+]
            }

            /// Returns the entries of the catalogue: the notation in files, and a summary.
            pub(crate) fn entries() -> Vec<(&'static str, &'static str)> {
                vec![$( <$sort as $crate::sort::Sort>::ENTRY ),+]
            }
        }
    };
}

pub(crate) use sorts;
