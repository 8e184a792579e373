//! Every algorithm by its name. One line here makes an algorithm known to every host.

use crate::algorithm::{
    cubic, multcp, new_veno, reno, rovegas, sarbe, tahoe, vegas, vegas_a, vegas_a_plus, veno,
    veno_plus, venodb, westwood, westwood_plus,
};
use crate::catalogue::catalogue;
use crate::controller::Algorithm;

macro_rules! registry {
    ($( $variant:ident: $module:ident, )+) => {
        catalogue! { $crate::controller::Algorithm; $( $variant: $module::$variant, )+ }

        impl AnyConfig {
            /// The loss recoveries that the algorithm makes sense with, its usual one first.
            pub fn recoveries(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::RECOVERIES, )+ }
            }
        }

        $crate::delegate_controller!(Any: $( $variant ),+);
    };
}

/// Hands the registry's lines (`Variant: module,`) to a macro of the caller's: for a host that
/// keeps its controllers in an enum of its own.
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
    fn every_name_and_alias_leads_to_its_algorithm() {
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
    fn three_are_reconstructions() {
        let reconstructed = all().filter(|config| config.origin() == Origin::Reconstruction);
        assert!(
            reconstructed
                .map(|config| config.name())
                .eq(["vegas-a+", "new-veno", "veno+"])
        );
    }

    #[test]
    fn names_fit_the_kernel() {
        // "db_" and at most 12 more in the kernel's 16 bytes with their end.
        assert!(names().all(|name| name.len() <= 12));
    }
}
