//! Groups of parameters: typed values that are read and set by name.

use dumbbell_control::parameter::{Parameter, Setting};
use dumbbell_control::units::{Duration, Ratio};

/// A group of parameters.
pub(super) trait Group {
    /// The descriptions of the parameters.
    const PARAMETERS: &'static [Parameter];

    /// Returns the value of a parameter; `None` if there is no parameter with this name.
    fn get(&self, name: &str) -> Option<Setting>;

    /// Sets a parameter to a permitted value; returns whether a parameter of this name and type exists.
    fn put(&mut self, name: &str, value: Setting) -> bool;
}

/// A type that a parameter may have.
pub(super) trait Typed: Copy {
    /// Returns the value as a [`Setting`].
    fn setting(self) -> Setting;

    /// Converts a [`Setting`] to the value; `None` if it has another type.
    fn of(setting: Setting) -> Option<Self>;
}

macro_rules! typed {
    ($( $ty:ty => $variant:ident; )+) => { $(
        impl Typed for $ty {
            fn setting(self) -> Setting {
                Setting::$variant(self)
            }

            fn of(setting: Setting) -> Option<Self> {
                if let Setting::$variant(value) = setting {
                    Some(value)
                } else {
                    None
                }
            }
        }
    )+ };
}

typed! {
    Ratio => Ratio;
    u32 => Count;
    Duration => Duration;
}

/// Makes the type of a parameter whose value is one of a few words. The first word is the default.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$word_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[$word_meta])* $variant, )+ }

        impl $name {
            pub(crate) const WORDS: &'static [&'static str] = &[$( $word ),+];
        }

        impl $crate::rate_controls::group::Typed for $name {
            fn setting(self) -> dumbbell_control::parameter::Setting {
                dumbbell_control::parameter::Setting::Choice(match self {
                    $( Self::$variant => $word, )+
                })
            }

            fn of(setting: dumbbell_control::parameter::Setting) -> Option<Self> {
                let mut all = [$( Self::$variant ),+].into_iter();
                all.find(|word| word.setting() == setting)
            }
        }
    };
}

/// Makes a group of parameters: each with its name, its type, its default, its kind, and its
/// description.
macro_rules! group {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $key:ident: $ty:ty = $default:expr, $kind:expr, $doc:literal; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name { $( #[doc = $doc] pub $key: $ty, )+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $key: $default, )+ }
            }
        }

        impl $crate::rate_controls::group::Group for $name {
            const PARAMETERS: &'static [dumbbell_control::parameter::Parameter] = &[$(
                dumbbell_control::parameter::Parameter {
                    name: stringify!($key),
                    kind: $kind,
                    doc: $doc,
                }
            ),+];

            fn get(&self, name: &str) -> Option<dumbbell_control::parameter::Setting> {
                $( if name == stringify!($key) {
                    return Some($crate::rate_controls::group::Typed::setting(self.$key));
                } )+
                None
            }

            fn put(&mut self, name: &str, value: dumbbell_control::parameter::Setting) -> bool {
                $( if name == stringify!($key) {
                    let typed = $crate::rate_controls::group::Typed::of(value);
                    return typed.map(|typed| self.$key = typed).is_some();
                } )+
                false
            }
        }
    };
}

pub(super) use {group, words};

/// Returns a ratio of this many millionths.
pub(super) const fn ratio(millionths: u32) -> Ratio {
    Ratio::from_millionths(millionths)
}
