//! Parameters of algorithms, described as data: a scenario file, a command line or another
//! language sets them by name, within their ranges, without knowing the algorithm. In Rust they are
//! public fields.
//!
//! ```
//! use dumbbell_control::algorithm::veno;
//! use dumbbell_control::parameter::{Config, Setting};
//! use dumbbell_control::units::Segments;
//!
//! let mut config = veno::Config::default();
//! config.beta = Segments::whole(4);
//! assert_eq!(config.get("beta"), Some(Setting::Segments(Segments::whole(4))));
//! assert!(config.set("betta", Setting::Flag(true)).is_err());
//! ```

use core::error::Error;
use core::fmt;

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
    /// True or false.
    Flag(bool),
    /// One of the words of [`Kind::Choice`].
    Choice(&'static str),
}

/// The type and range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Segments from the first to the second value.
    Segments(Segments, Segments),
    /// A span from the first to the second value.
    Duration(Duration, Duration),
    /// A whole number from the first to the second value.
    Count(u32, u32),
    /// A rate from the first to the second value, in bit/s; the setting is a count.
    Rate(u32, u32),
    /// A ratio from the first to the second value.
    Ratio(Ratio, Ratio),
    /// True or false.
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
            (Self::Count(least, most) | Self::Rate(least, most), Setting::Count(v)) => {
                least <= v && v <= most
            }
            (Self::Ratio(least, most), Setting::Ratio(v)) => least <= v && v <= most,
            (Self::Flag, Setting::Flag(_)) => true,
            (Self::Choice(words), Setting::Choice(v)) => words.contains(&v),
            _ => false,
        }
    }

    /// The nearest value within the range. A value of another kind is returned unchanged.
    pub fn nearest(self, value: Setting) -> Setting {
        match (self, value) {
            (Self::Segments(least, most), Setting::Segments(v)) => {
                Setting::Segments(v.clamp(least, most))
            }
            (Self::Duration(least, most), Setting::Duration(v)) => {
                Setting::Duration(v.clamp(least, most))
            }
            (Self::Count(least, most) | Self::Rate(least, most), Setting::Count(v)) => {
                Setting::Count(v.clamp(least, most))
            }
            (Self::Ratio(least, most), Setting::Ratio(v)) => Setting::Ratio(v.clamp(least, most)),
            _ => value,
        }
    }
}

/// The range in words, such as `a whole number from 1 to 255`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Segments(least, most) => {
                write!(f, "segments from {} to {}", least.as_f64(), most.as_f64())
            }
            Self::Duration(least, most) => {
                let [least, most] = [least, most].map(Duration::as_secs_f64);
                write!(f, "a time from {least} s to {most} s")
            }
            Self::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Rate(least, most) => write!(f, "a rate from {least} b/s to {most} b/s"),
            Self::Ratio(least, most) => {
                write!(f, "a number from {} to {}", least.as_f64(), most.as_f64())
            }
            Self::Flag => write!(f, "true or false"),
            Self::Choice(words) => {
                write!(f, "one of")?;
                for (i, word) in words.iter().enumerate() {
                    write!(f, "{} {word}", if i > 0 { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// A parameter: its name, its range and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in files.
    pub name: &'static str,
    /// Its type and range.
    pub kind: Kind,
    /// What it does, in one line, with the source of its default.
    pub doc: &'static str,
}

/// Why a setting was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The algorithm has no parameter of that name.
    Unknown,
    /// The value has the wrong type, or is outside the parameter's range.
    Impossible(Kind),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => write!(f, "there is no such parameter"),
            Self::Impossible(kind) => write!(f, "the value must be {kind}"),
        }
    }
}

impl Error for Refused {}

/// The parameters of an algorithm.
pub trait Config: Clone + Default {
    /// All of them.
    const PARAMETERS: &'static [Parameter];
    /// The value of a parameter; `None` if there is no such parameter.
    fn get(&self, name: &str) -> Option<Setting>;
    /// Sets a parameter.
    ///
    /// # Errors
    /// [`Refused`] if there is no such parameter, or if the value has the wrong type or is out of range.
    fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused>;
    /// The same parameters, with each value outside its range replaced by the nearest value within.
    fn within_ranges(&self) -> Self {
        let mut config = self.clone();
        for Parameter { name, kind, .. } in Self::PARAMETERS {
            if let Some(value) = self.get(name)
                && !kind.admits(value)
            {
                // Cannot be refused: the value is of the parameter's kind and within its range.
                let _ = config.set(name, kind.nearest(value));
            }
        }
        config
    }
}

/// No parameters.
impl Config for () {
    const PARAMETERS: &'static [Parameter] = &[];

    fn get(&self, _: &str) -> Option<Setting> {
        None
    }

    fn set(&mut self, _: &str, _: Setting) -> Result<(), Refused> {
        Err(Refused::Unknown)
    }
}

/// A type that a parameter may have: those of [`Setting`], `u8`, and enums that [`choice!`] defines.
pub trait Typed: Copy {
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

/// Joins several tables of parameters into one. [`parameters!`] calls it.
#[doc(hidden)]
pub const fn join<const N: usize>(tables: &[&[Parameter]]) -> [Parameter; N] {
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

/// Defines an enum whose variants are the words of a [`Kind::Choice`]. It can be the type of a parameter
/// in [`parameters!`](crate::parameters), whose documentation has an example.
///
/// [`Kind::Choice`]: crate::parameter::Kind::Choice
#[macro_export]
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

/// Defines a struct that implements [`Config`](crate::parameter::Config). Groups of parameters that
/// several algorithms share come first. The struct's own parameters follow, each with its documentation,
/// its default and its [`Kind`](crate::parameter::Kind).
///
/// ```
/// use dumbbell_control::growth::Rules;
/// use dumbbell_control::parameter::{Config, Kind, Setting};
/// use dumbbell_control::units::Ratio;
/// use dumbbell_control::{choice, parameters};
///
/// choice! {
///     /// When the window is cut.
///     pub enum Cut {
///         /// At every loss.
///         Every = "every",
///         /// At every other loss.
///         Other = "other",
///     }
/// }
///
/// parameters! {
///     /// The parameters of a control.
///     pub struct Mine {
///         use growth: Rules;
///         /// The fraction of the window that remains after a loss.
///         factor: Ratio = Ratio::HALF, Kind::Ratio(Ratio::ZERO, Ratio::ONE);
///         /// When the window is cut.
///         cut: Cut = Cut::Every, Kind::Choice(Cut::WORDS);
///     }
/// }
///
/// let mut mine = Mine::default();
/// mine.set("cut", Setting::Choice("other"))?;
/// assert_eq!(mine.cut, Cut::Other);
/// assert!(Mine::PARAMETERS.iter().any(|p| p.name == "counting"), "a parameter of `Rules`");
/// # Ok::<(), dumbbell_control::parameter::Refused>(())
/// ```
#[macro_export]
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
        #[non_exhaustive]
        $vis struct $name {
            $(
                #[doc = concat!("Parameters that other algorithms share: see [`", stringify!($group_ty), "`].")]
                pub $group: $group_ty,
            )*
            $( $(#[doc = $doc])+ pub $field: $ty, )*
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

pub use {choice, parameters};

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
        /// The parameters of an algorithm.
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
    fn values_are_read_back_or_refused() {
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
