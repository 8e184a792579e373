//! Tables in which every key has its own definition.

use crate::document::Table;
use crate::form::Form;

/// The values of a table, key by key.
pub(crate) trait Record: Sized {
    /// The keys, in the order in which they are written.
    const KEYS: &'static [&'static str];

    /// Reads all keys, so that the mistakes in each are recorded; returns `None` if there are any.
    fn read(table: &Table<'_>) -> Option<Self>;

    /// Returns the keys with their values as TOML.
    fn write(&self) -> Vec<(&'static str, String)>;

    /// Returns the keys as schemas.
    fn forms() -> Vec<(&'static str, Form)>;
}

/// Makes a struct and its [`Record`]: each entry is a key, its doc comment, the type of its value, and
/// the [`Key`](super::Key). `check(a, b) = f;` calls `f` with the table and these values after all keys
/// have been read; if `f` returns `None`, the table is rejected.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$key_meta:meta])* $key:ident: $ty:ty = $entry:expr, )+
        }
        $( check($($part:ident),+) = $check:path; )?
    ) => {
        $(#[$meta])*
        pub struct $name { $( $(#[$key_meta])* pub $key: $ty, )+ }

        impl $crate::key::record::Record for $name {
            const KEYS: &'static [&'static str] = &[$( stringify!($key) ),+];

            fn read(table: &$crate::document::Table<'_>) -> Option<Self> {
                $( let $key: Option<$ty> = $entry.read(table, stringify!($key)); )+
                $( $check(table, $($part?),+)?; )?
                Some(Self { $( $key: $key?, )+ })
            }

            fn write(&self) -> Vec<(&'static str, String)> {
                vec![$( (stringify!($key), $entry.write(&self.$key)) ),+]
            }

            fn forms() -> Vec<(&'static str, $crate::form::Form)> {
                vec![$( (stringify!($key), $entry.form()) ),+]
            }
        }
    };
}

pub(crate) use record;
