//! Groups of parameters: typed values that are set and read by name.

use dumbbell_control::parameter::{Parameter, Setting};
use dumbbell_control::units::{Duration, Ratio};

/// A group of parameters.
pub(super) trait Group {
    /// What they are.
    const PARAMETERS: &'static [Parameter];

    /// The value of a parameter; nothing if there is none of this name.
    fn get(&self, name: &str) -> Option<Setting>;

    /// Sets a parameter, to a value that it admits; whether there is one of this name and type.
    fn put(&mut self, name: &str, value: Setting) -> bool;
}

/// A type that a parameter may have.
pub(super) trait Typed: Copy {
    /// The value as data.
    fn setting(self) -> Setting;

    /// The value from data; nothing if it is of another type.
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

/// A parameter that is one of a few words. The first is the default.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$word_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[$word_meta])* $variant, )+ }

        impl $name {
            const WORDS: &'static [&'static str] = &[$( $word ),+];
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

/// A group of parameters: each with its name, its type, its default, what it may be, and what it does.
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

/// So many millionths.
pub(super) const fn ratio(millionths: u32) -> Ratio {
    Ratio::from_millionths(millionths)
}
