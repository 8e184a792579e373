//! Catalogues: what can be made by name, with its parameters. Congestion controls, classifiers of losses
//! and estimators of bandwidth have one each.

use crate::controller::{Origin, Signals};
use crate::event::Path;
use crate::parameter::Config;

/// What the catalogues of classifiers and estimators can make; one line in the catalogue. What that of
/// congestion controls can make is an [`Algorithm`](crate::controller::Algorithm).
pub trait Entry: Sized {
    /// The same word on the command line, in files and elsewhere.
    const NAME: &'static str;
    /// Other words that people use for it.
    const ALIASES: &'static [&'static str] = &[];
    /// One line for people: what it is, and where it was published.
    const SUMMARY: &'static str;
    /// Whether it is what was published under its name.
    const ORIGIN: Origin = Origin::Published;
    /// The signals that it needs.
    const NEEDS: Signals;
    /// Its parameters; the default is the paper's.
    type Config: Config;
    /// One for a new connection.
    fn new(config: &Self::Config, path: &Path) -> Self;
}

/// `Any`, an enum of these entries without boxes, and `AnyConfig`, their parameters. `$trait` makes an
/// entry: [`Entry`], or a trait with the same constants. With `$ NAME;` in front, it also defines a
/// macro `NAME!` that matches on the variants.
macro_rules! catalogue {
    ($d:tt $each:ident; $trait:path; $( $variant:ident: $ty:ty, )+) => {
        $crate::catalogue::catalogue! { $trait; $( $variant: $ty, )+ }

        macro_rules! $each {
            ($d any:expr, $d one:ident => $d body:expr) => {
                match $d any { $( Any::$variant($d one) => $d body, )+ }
            };
        }
    };
    ($trait:path; $( $variant:ident: $ty:ty, )+) => {
        /// Any of them: a match, no box, no virtual call.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a few a connection, boxed or beside its control")]
        pub enum Any { $(
            #[doc = concat!("See [`", stringify!($ty), "`].")]
            $variant($ty),
        )+ }

        /// The parameters of any of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AnyConfig { $(
            #[doc = concat!("See [`", stringify!($ty), "`].")]
            $variant(<$ty as $trait>::Config),
        )+ }

        /// The names; aliases are not listed.
        pub const NAMES: &[&str] = &[$( <$ty as $trait>::NAME, )+];

        /// The defaults of each, in the order of [`NAMES`].
        pub fn all() -> impl Iterator<Item = AnyConfig> {
            NAMES.iter().filter_map(|name| AnyConfig::named(name))
        }

        impl AnyConfig {
            /// The defaults of the one of this name or alias.
            pub fn named(name: &str) -> Option<Self> {
                $( if name == <$ty as $trait>::NAME
                    || <$ty as $trait>::ALIASES.contains(&name)
                {
                    return Some(Self::$variant(Default::default()));
                } )+
                None
            }

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$ty as $trait>::NAME, )+ }
            }

            /// Other names of it.
            pub fn aliases(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(_) => <$ty as $trait>::ALIASES, )+ }
            }

            /// What it is, in one line.
            pub fn summary(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$ty as $trait>::SUMMARY, )+ }
            }

            /// Whether it is what was published under its name.
            pub fn origin(&self) -> $crate::controller::Origin {
                match self { $( Self::$variant(_) => <$ty as $trait>::ORIGIN, )+ }
            }

            /// The signals that it cannot do without.
            pub fn needs(&self) -> $crate::controller::Signals {
                match self { $( Self::$variant(_) => <$ty as $trait>::NEEDS, )+ }
            }

            /// Its parameters.
            pub fn parameters(&self) -> &'static [$crate::parameter::Parameter] {
                use $crate::parameter::Config;
                match self { $( Self::$variant(_) => <<$ty as $trait>::Config as Config>::PARAMETERS, )+ }
            }

            /// The value of a parameter; `None` if there is no such parameter.
            pub fn get(&self, name: &str) -> Option<$crate::parameter::Setting> {
                use $crate::parameter::Config;
                match self { $( Self::$variant(config) => config.get(name), )+ }
            }

            /// Sets a parameter.
            ///
            /// # Errors
            /// [`Refused`](crate::parameter::Refused) if there is no such parameter, or the value is
            /// not within its range.
            pub fn set(
                &mut self,
                name: &str,
                value: $crate::parameter::Setting,
            ) -> Result<(), $crate::parameter::Refused> {
                use $crate::parameter::Config;
                match self { $( Self::$variant(config) => config.set(name, value), )+ }
            }

            /// One for a new connection.
            pub fn build(&self, path: &$crate::event::Path) -> Any {
                match self { $( Self::$variant(config) => {
                    Any::$variant(<$ty as $trait>::new(config, path))
                } )+ }
            }
        }
    };
}

pub(crate) use catalogue;
