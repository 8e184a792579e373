//! Parameters of algorithms, described as data: a scenario file, a command line or another
//! language sets them by name, within their ranges, without knowing the algorithm.

use crate::units::{Duration, Ratio, Segments};

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A number of segments, fractions allowed.
    Segments(Segments),
    /// A span of time.
    Duration(Duration),
    /// A whole number.
    Count(u32),
    /// A gain or a factor.
    Ratio(Ratio),
    /// Yes or no.
    Flag(bool),
    /// One of the words of [`Kind::Choice`].
    Choice(&'static str),
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Segments from the first to the second value.
    Segments(Segments, Segments),
    /// A span from the first to the second value.
    Duration(Duration, Duration),
    /// A whole number from the first to the second value.
    Count(u32, u32),
    /// A ratio from the first to the second value.
    Ratio(Ratio, Ratio),
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// Whether a value is of this kind and within its range.
    pub fn admits(self, value: Setting) -> bool {
        match (self, value) {
            (Self::Segments(least, most), Setting::Segments(v)) => least <= v && v <= most,
            (Self::Duration(least, most), Setting::Duration(v)) => least <= v && v <= most,
            (Self::Count(least, most), Setting::Count(v)) => least <= v && v <= most,
            (Self::Ratio(least, most), Setting::Ratio(v)) => least <= v && v <= most,
            (Self::Flag, Setting::Flag(_)) => true,
            (Self::Choice(words), Setting::Choice(v)) => words.contains(&v),
            _ => false,
        }
    }
}

/// A parameter: its name, its range and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in files.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it does, in one line, with the source of its default.
    pub doc: &'static str,
}

/// Why a parameter was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The algorithm has no parameter of that name.
    Unknown,
    /// The value is of another kind than the parameter's, or outside its range.
    Impossible(Kind),
}

/// The parameters of an algorithm.
pub trait Config: Clone + Default {
    /// All of them.
    const PARAMETERS: &'static [Parameter];
    /// The value of a parameter; `None` if there is no such parameter.
    fn get(&self, name: &str) -> Option<Setting>;
    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or the value is not within its range.
    fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused>;
}

/// A type that a parameter may have.
pub(crate) trait Typed: Copy {
    /// The value as data.
    fn setting(self) -> Setting;
    /// The value from data; `None` if the data is of another kind or does not fit.
    fn from_setting(value: Setting) -> Option<Self>;
}

macro_rules! typed {
    ($($ty:ty => $variant:ident;)*) => { $(
        impl Typed for $ty {
            fn setting(self) -> Setting {
                Setting::$variant(self.into())
            }
            fn from_setting(value: Setting) -> Option<Self> {
                match value {
                    Setting::$variant(v) => v.try_into().ok(),
                    _ => None,
                }
            }
        }
    )* };
}

typed! {
    Segments => Segments;
    Duration => Duration;
    Ratio => Ratio;
    u32 => Count;
    u8 => Count;
    bool => Flag;
}

/// All parameters of several tables in one.
pub(crate) const fn join<const N: usize>(tables: &[&[Parameter]]) -> [Parameter; N] {
    let mut all = [Parameter {
        name: "",
        kind: Kind::Flag,
        doc: "",
    }; N];
    let (mut table, mut next) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[next] = tables[table][row];
            next += 1;
            row += 1;
        }
        table += 1;
    }
    all
}

/// An enum whose variants are the words of a [`Kind::Choice`].
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[$variant_meta])* $variant, )+ }

        impl $name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl $crate::parameter::Typed for $name {
            fn setting(self) -> $crate::parameter::Setting {
                $crate::parameter::Setting::Choice(match self { $( Self::$variant => $word, )+ })
            }
            fn from_setting(value: $crate::parameter::Setting) -> Option<Self> {
                match value {
                    $( $crate::parameter::Setting::Choice($word) => Some(Self::$variant), )+
                    _ => None,
                }
            }
        }
    };
}

/// A [`Config`]: first the groups that it shares with other algorithms, then its own
/// parameters, each with its line of documentation, its default and what it may be.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( use $group:ident: $group_ty:ty; )*
            $( $(#[doc = $doc:literal])+ $field:ident: $ty:ty = $default:expr, $kind:expr; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $name {
            $( pub(crate) $group: $group_ty, )*
            $( pub(crate) $field: $ty, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $group: <$group_ty>::default(), )* $( $field: $default, )* }
            }
        }

        impl $crate::parameter::Config for $name {
            const PARAMETERS: &'static [$crate::parameter::Parameter] = {
                const OWN: &[$crate::parameter::Parameter] = &[ $( $crate::parameter::Parameter {
                    name: stringify!($field),
                    kind: $kind,
                    doc: concat!($($doc),+).trim_ascii(),
                }, )* ];
                const COUNT: usize = OWN.len()
                    $( + <$group_ty as $crate::parameter::Config>::PARAMETERS.len() )*;
                &$crate::parameter::join::<COUNT>(&[
                    OWN,
                    $( <$group_ty as $crate::parameter::Config>::PARAMETERS, )*
                ])
            };

            fn get(&self, name: &str) -> Option<$crate::parameter::Setting> {
                $( if name == stringify!($field) {
                    return Some($crate::parameter::Typed::setting(self.$field));
                } )*
                $( if let Some(value) = self.$group.get(name) {
                    return Some(value);
                } )*
                None
            }

            fn set(
                &mut self,
                name: &str,
                value: $crate::parameter::Setting,
            ) -> Result<(), $crate::parameter::Refused> {
                use $crate::parameter::Refused;
                $( if name == stringify!($field) {
                    let kind: $crate::parameter::Kind = $kind;
                    let admitted = if kind.admits(value) {
                        $crate::parameter::Typed::from_setting(value)
                    } else {
                        None
                    };
                    self.$field = admitted.ok_or(Refused::Impossible(kind))?;
                    return Ok(());
                } )*
                $( if self.$group.get(name).is_some() {
                    return self.$group.set(name, value);
                } )*
                Err(Refused::Unknown)
            }
        }
    };
}

pub(crate) use {choice, parameters};

#[cfg(test)]
mod tests {
    use super::*;

    choice! {
        /// Two words.
        enum Word { Good = "good", Bad = "bad", }
    }

    parameters! {
        /// A group.
        struct Shared {
            /// The width.
            width: u8 = 2, Kind::Count(1, 255);
        }
    }

    parameters! {
        /// An algorithm's.
        struct Whole {
            use shared: Shared;
            /// A factor,
            /// in two lines.
            factor: Ratio = Ratio::ONE, Kind::Ratio(Ratio::ZERO, Ratio::ONE);
            /// A word.
            word: Word = Word::Good, Kind::Choice(Word::WORDS);
        }
    }

    #[test]
    fn the_table_lists_own_and_shared_parameters() {
        let names = Whole::PARAMETERS.iter().map(|p| (p.name, p.doc));
        let wanted = [
            ("factor", "A factor, in two lines."),
            ("word", "A word."),
            ("width", "The width."),
        ];
        assert!(names.eq(wanted));
    }

    #[test]
    fn what_is_set_is_read_back_and_kept_within_its_range() {
        let mut config = Whole::default();
        assert_eq!(config.set("width", Setting::Count(9)), Ok(()));
        assert_eq!(config.get("width"), Some(Setting::Count(9)));
        assert_eq!(config.set("word", Setting::Choice("bad")), Ok(()));
        assert_eq!(config.get("word"), Some(Setting::Choice("bad")));
        let ratio = Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        let above = Setting::Ratio(Ratio::from_millionths(1_000_001));
        assert_eq!(config.set("factor", above), Err(Refused::Impossible(ratio)));
        assert_eq!(
            config.set("factor", Setting::Count(1)),
            Err(Refused::Impossible(ratio))
        );
        assert_eq!(config.get("factor"), Some(Setting::Ratio(Ratio::ONE)));
        assert_eq!(
            config.set("none", Setting::Flag(true)),
            Err(Refused::Unknown)
        );
        assert_eq!(config.get("none"), None);
    }
}
