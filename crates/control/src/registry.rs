//! Every algorithm by its name. One line here makes an algorithm known to every host.

use crate::algorithm::{
    cubic, multcp, new_veno, reno, rovegas, sarbe, tahoe, vegas, vegas_a, vegas_a_plus, veno,
    veno_plus, venodb, westwood, westwood_plus,
};
use crate::controller::{Algorithm, Controller, Origin, Signals, Value, Window};
use crate::event::{Ack, Loss, Path, Sample, Timeout};
use crate::parameter::{Config, Parameter, Refused, Setting};
use crate::units::{Rate, Segments};

macro_rules! registry {
    ($( $variant:ident: $module:ident, )+) => {
        /// A controller of any algorithm: a match, no box, no virtual call.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one controller a connection, boxed by its host")]
        pub enum Any { $(
            #[doc = concat!("See [`", stringify!($module), "`](crate::algorithm::", stringify!($module), ").")]
            $variant($module::$variant),
        )+ }

        /// The parameters of any algorithm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AnyConfig { $(
            #[doc = concat!("See [`", stringify!($module), "`](crate::algorithm::", stringify!($module), ").")]
            $variant($module::Config),
        )+ }

        /// The algorithms' names, in the order of the registry; aliases are not listed.
        pub const NAMES: &[&str] = &[$( <$module::$variant as Algorithm>::NAME, )+];

        impl AnyConfig {
            /// The defaults of the algorithm of this name or alias.
            pub fn named(name: &str) -> Option<Self> {
                $( if name == <$module::$variant as Algorithm>::NAME
                    || <$module::$variant as Algorithm>::ALIASES.contains(&name)
                {
                    return Some(Self::$variant($module::Config::default()));
                } )+
                None
            }

            /// The algorithm's name.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::NAME, )+ }
            }

            /// Other names of the algorithm.
            pub fn aliases(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::ALIASES, )+ }
            }

            /// What the algorithm is, in one line.
            pub fn summary(&self) -> &'static str {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::SUMMARY, )+ }
            }

            /// Whether the algorithm is what was published under its name.
            pub fn origin(&self) -> Origin {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::ORIGIN, )+ }
            }

            /// The signals that the algorithm cannot do without.
            pub fn needs(&self) -> Signals {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::NEEDS, )+ }
            }

            /// The loss recoveries that the algorithm makes sense with, its usual one first.
            pub fn recoveries(&self) -> &'static [&'static str] {
                match self { $( Self::$variant(_) => <$module::$variant as Algorithm>::RECOVERIES, )+ }
            }

            /// The algorithm's parameters.
            pub fn parameters(&self) -> &'static [Parameter] {
                match self { $( Self::$variant(_) => <$module::Config as Config>::PARAMETERS, )+ }
            }

            /// The value of a parameter; `None` if there is no such parameter.
            pub fn get(&self, name: &str) -> Option<Setting> {
                match self { $( Self::$variant(config) => config.get(name), )+ }
            }

            /// Sets a parameter.
            ///
            /// # Errors
            /// [`Refused`] if there is no such parameter, or the value is not within its range.
            pub fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
                match self { $( Self::$variant(config) => config.set(name, value), )+ }
            }

            /// A controller for a new connection.
            pub fn build(&self, path: &Path) -> Any {
                match self { $( Self::$variant(config) => {
                    Any::$variant(<$module::$variant as Algorithm>::new(config, path))
                } )+ }
            }
        }

        impl Controller for Any {
            #[inline]
            fn on_sample(&mut self, sample: &Sample) {
                match self { $( Self::$variant(control) => control.on_sample(sample), )+ }
            }
            #[inline]
            fn on_ack(&mut self, ack: &Ack) {
                match self { $( Self::$variant(control) => control.on_ack(ack), )+ }
            }
            fn on_loss(&mut self, loss: &Loss) {
                match self { $( Self::$variant(control) => control.on_loss(loss), )+ }
            }
            fn on_timeout(&mut self, timeout: &Timeout) {
                match self { $( Self::$variant(control) => control.on_timeout(timeout), )+ }
            }
            #[inline]
            fn window(&self) -> Window {
                match self { $( Self::$variant(control) => control.window(), )+ }
            }
            fn restrict(&mut self, cwnd: Segments) {
                match self { $( Self::$variant(control) => control.restrict(cwnd), )+ }
            }
            #[inline]
            fn pacing(&self) -> Option<Rate> {
                match self { $( Self::$variant(control) => control.pacing(), )+ }
            }
            fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
                match self { $( Self::$variant(control) => control.explain(out), )+ }
            }
        }
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

/// The defaults of every algorithm.
pub fn all() -> impl Iterator<Item = AnyConfig> {
    NAMES.iter().filter_map(|name| AnyConfig::named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

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
