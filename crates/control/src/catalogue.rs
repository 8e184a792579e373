//! A catalogue creates its entries by name and parameters. There are three catalogues: congestion controls
//! ([`registry`](crate::registry)), classifiers of losses and estimators of bandwidth.

use crate::controller::{Origin, Signals};
use crate::event::Path;
use crate::parameter::Config;

/// A classifier or an estimator, as an entry of its catalogue. The entries of the catalogue of
/// congestion controls implement [`Algorithm`](crate::controller::Algorithm) instead.
pub trait Entry: Sized {
    /// Its name on the command line, in files and elsewhere.
    const NAME: &'static str;
    /// Other names that people use for it.
    const ALIASES: &'static [&'static str] = &[];
    /// One line for people: what it is, and where it was published.
    const SUMMARY: &'static str;
    /// Whether it is what was published under its name.
    const ORIGIN: Origin = Origin::Published;
    /// What it requires of its host, with its default parameters.
    const NEEDS: Signals;
    /// Its parameters. The defaults are those of the paper.
    type Config: Config;
    /// An instance for a new connection, with parameters within their ranges. Hosts call
    /// [`new`](Entry::new).
    fn create(config: &Self::Config, path: &Path) -> Self;
    /// An instance for a new connection. A parameter outside its range counts as the nearest value
    /// within.
    fn new(config: &Self::Config, path: &Path) -> Self {
        Self::create(&config.within_ranges(), path)
    }
    /// What it requires of its host, with these parameters.
    fn needs(config: &Self::Config) -> Signals {
        let _ = config;
        Self::NEEDS
    }
}

/// Defines `Any`, an enum of these entries without boxes, and `AnyConfig`, an enum of their parameters.
/// `$trait` is the trait that every entry implements: [`Entry`], or a trait with the same constants. With
/// `$ NAME;` in front, the macro also defines `NAME!`, which matches on the variants.
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
        /// Any entry of this catalogue. Calls go through a `match`, without a box or a virtual call.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a few a connection, boxed or beside its control")]
        pub enum Any { $(
            #[doc = concat!("See [`", stringify!($ty), "`].")]
            $variant($ty),
        )+ }

        /// The parameters of any entry of this catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AnyConfig { $(
            #[doc = concat!("See [`", stringify!($ty), "`].")]
            $variant(<$ty as $trait>::Config),
        )+ }

        /// The names of the entries, without aliases.
        pub const NAMES: &[&str] = &[$( <$ty as $trait>::NAME, )+];

        /// The default parameters of each entry, in the order of [`NAMES`].
        pub fn all() -> impl Iterator<Item = AnyConfig> {
            NAMES.iter().filter_map(|name| AnyConfig::named(name))
        }

        impl AnyConfig {
            /// The default parameters of the entry with this name or alias; `None` if there is no such
            /// entry.
            pub fn named(name: &str) -> Option<Self> {
                $( if name == <$ty as $trait>::NAME
                    || <$ty as $trait>::ALIASES.contains(&name)
                {
                    return Some(Self::$variant(Default::default()));
                } )+
                None
            }

            /// The name of the entry.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$ty as $trait>::NAME, )+ }
            }

            /// The other names of the entry.
            pub fn aliases(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(_) => <$ty as $trait>::ALIASES, )+ }
            }

            /// What the entry is, in one line.
            pub fn summary(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$ty as $trait>::SUMMARY, )+ }
            }

            /// Whether the entry is what was published under its name.
            pub fn origin(&self) -> $crate::controller::Origin {
                match self { $( Self::$variant(_) => <$ty as $trait>::ORIGIN, )+ }
            }

            /// What the entry requires of its host, with these parameters.
            pub fn needs(&self) -> $crate::controller::Signals {
                match self { $( Self::$variant(config) => <$ty as $trait>::needs(config), )+ }
            }

            /// Checks that a host with these signals provides what the entry requires.
            ///
            /// # Errors
            /// [`Lacking`](crate::controller::Lacking), with the first signal that the host lacks.
            pub fn check(
                &self,
                host: $crate::controller::Signals,
            ) -> Result<(), $crate::controller::Lacking> {
                match self.needs().lacking(host) {
                    None => Ok(()),
                    Some(signal) => Err($crate::controller::Lacking {
                        algorithm: self.name(),
                        signal,
                    }),
                }
            }

            /// The descriptions of the entry's parameters.
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
            /// [`Refused`](crate::parameter::Refused) if there is no such parameter, or if the value has
            /// the wrong type or is out of range.
            pub fn set(
                &mut self,
                name: &str,
                value: $crate::parameter::Setting,
            ) -> Result<(), $crate::parameter::Refused> {
                use $crate::parameter::Config;
                match self { $( Self::$variant(config) => config.set(name, value), )+ }
            }

            /// Creates the entry for a new connection.
            pub fn build(&self, path: &$crate::event::Path) -> Any {
                match self { $( Self::$variant(config) => {
                    Any::$variant(<$ty as $trait>::new(config, path))
                } )+ }
            }
        }
    };
}

pub(crate) use catalogue;
