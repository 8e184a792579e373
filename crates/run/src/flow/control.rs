//! A controller in a simulated flow: one of the registry, or one registered at run time.

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Timeout};
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_control::units::{Rate, Segments};

macro_rules! control {
    ($( $variant:ident: $module:ident, )+) => {
        /// Any controller: closed where it is hot, open where people build. Each is in a box of its
        /// own size, so that ten thousand small ones stay in the cache.
        pub enum Control { $(
            #[doc = concat!("See [`", stringify!($module), "`](dumbbell_control::algorithm::", stringify!($module), ").")]
            $variant(Box<dumbbell_control::algorithm::$module::$variant>),
        )+
            /// One registered at run time.
            Custom(Box<dyn Controller + Send>),
        }

        impl Control {
            /// A controller of the registry for a new connection.
            pub fn builtin(config: &AnyConfig, path: &Path) -> Self {
                match config.build(path) {
                    $( Any::$variant(control) => Self::$variant(Box::new(control)), )+
                }
            }
        }

        impl Controller for Control {
            #[inline]
            fn on_sample(&mut self, sample: &Sample) {
                match self { $( Self::$variant(control) => control.on_sample(sample), )+
                    Self::Custom(control) => control.on_sample(sample) }
            }
            #[inline(always)]
            fn on_ack(&mut self, ack: &Ack) {
                match self { $( Self::$variant(control) => control.on_ack(ack), )+
                    Self::Custom(control) => control.on_ack(ack) }
            }
            fn on_loss(&mut self, loss: &Loss) {
                match self { $( Self::$variant(control) => control.on_loss(loss), )+
                    Self::Custom(control) => control.on_loss(loss) }
            }
            fn on_timeout(&mut self, timeout: &Timeout) {
                match self { $( Self::$variant(control) => control.on_timeout(timeout), )+
                    Self::Custom(control) => control.on_timeout(timeout) }
            }
            #[inline(always)]
            fn window(&self) -> Window {
                match self { $( Self::$variant(control) => control.window(), )+
                    Self::Custom(control) => control.window() }
            }
            fn restrict(&mut self, cwnd: Segments) {
                match self { $( Self::$variant(control) => control.restrict(cwnd), )+
                    Self::Custom(control) => control.restrict(cwnd) }
            }
            fn pacing(&self) -> Option<Rate> {
                match self { $( Self::$variant(control) => control.pacing(), )+
                    Self::Custom(control) => control.pacing() }
            }
            fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
                match self { $( Self::$variant(control) => control.explain(out), )+
                    Self::Custom(control) => control.explain(out) }
            }
        }
    };
}

dumbbell_control::with_registry!(control);
