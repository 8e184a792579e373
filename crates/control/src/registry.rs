//! The registry of all algorithms by name. To add one, write a file in `algorithm/` and a line here.
//!
//! ```
//! use dumbbell_control::controller::Controller;
//! use dumbbell_control::event::Path;
//! use dumbbell_control::registry::AnyConfig;
//! use dumbbell_control::units::{Bytes, Segments};
//!
//! let config = AnyConfig::named("venodb").expect("it is in the registry");
//! let control = config.build(&Path::new(Bytes(1000)));
//! assert_eq!(control.window().cwnd, Segments::whole(10));
//! ```

use crate::algorithm;
use crate::catalogue::catalogue;
use crate::controller::{Algorithm, Facts};

macro_rules! registry {
    ($( $variant:ident: $module:ident, )+) => {
        catalogue! { $crate::controller::Algorithm; $( $variant: algorithm::$module::$variant, )+ }

        impl AnyConfig {
            /// The loss recoveries that suit the algorithm, its usual one first.
            pub fn recoveries(&self) -> &'static [&'static str] {
                match self { $(
                    Self::$variant(_) => <algorithm::$module::$variant as Algorithm>::RECOVERIES,
                )+ }
            }

            /// Whether the algorithm asks when segments were sent.
            pub fn asks_when_sent(&self) -> bool {
                match self { $(
                    Self::$variant(_) => <algorithm::$module::$variant as Algorithm>::ASKS_WHEN_SENT,
                )+ }
            }

            /// Facts about the algorithm with its default parameters.
            pub fn facts(&self) -> &'static Facts {
                match self { $(
                    Self::$variant(_) => &<algorithm::$module::$variant as Algorithm>::FACTS,
                )+ }
            }
        }

        $crate::delegate_controller!(Any: $( $variant ),+);
    };
}

/// Calls a macro with the registry's lines (`Variant: module,`), for a host that defines its own enum of
/// controllers.
#[macro_export]
macro_rules! with_registry {
    ($macro:ident) => {
        $macro! {
            Tahoe: tahoe,
            Reno: reno,
            MulTcp: multcp,
            Vegas: vegas,
            VegasA: vegas_a,
            VegasAPlus: vegas_a_plus,
            RoVegas: rovegas,
            Veno: veno,
            NewVeno: new_veno,
            VenoPlus: veno_plus,
            Westwood: westwood,
            WestwoodPlus: westwood_plus,
            VenoDb: venodb,
            Sarbe: sarbe,
            Cubic: cubic,
            Dctcp: dctcp,
            Prague: prague,
            Bbr1: bbr1,
            Bbr: bbr,
        }
    };
}

with_registry!(registry);

/// The algorithms' names, in the order of the registry.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Origin;

    #[test]
    fn every_name_and_alias_finds_its_algorithm() {
        assert_eq!(all().count(), NAMES.len());
        for config in all() {
            assert_eq!(AnyConfig::named(config.name()), Some(config));
            for alias in config.aliases() {
                assert_eq!(AnyConfig::named(alias), Some(config));
            }
        }
        assert_eq!(AnyConfig::named("none"), None);
    }

    #[test]
    fn every_parameter_is_documented_named_once_and_within_its_range() {
        for mut config in all() {
            let table = config.parameters();
            for (i, parameter) in table.iter().enumerate() {
                assert!(parameter.doc.ends_with('.'), "{}", parameter.name);
                assert!(!parameter.doc.contains('\n'));
                assert!(table[..i].iter().all(|other| other.name != parameter.name));
                let default = config.get(parameter.name).expect("listed");
                assert!(
                    parameter.kind.admits(default),
                    "{} {}",
                    config.name(),
                    parameter.name
                );
                assert_eq!(config.set(parameter.name, default), Ok(()));
            }
            assert_eq!(AnyConfig::named(config.name()), Some(config));
        }
    }

    #[test]
    fn algorithms_known_only_from_descriptions_are_marked_as_reconstructions() {
        for name in ["vegas-a+", "new-veno", "veno+"] {
            let config = AnyConfig::named(name).expect(name);
            assert_eq!(config.origin(), Origin::Reconstruction, "{name}");
        }
        let veno = AnyConfig::named("veno").expect("veno");
        assert_eq!(veno.origin(), Origin::Published);
    }

    #[test]
    fn names_fit_the_kernel() {
        // The kernel's 16 bytes hold "db_", at most 12 more characters and the final zero.
        assert!(names().all(|name| name.len() <= 12));
    }
}
