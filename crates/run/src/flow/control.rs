//! A controller in a simulated flow: one from the registry, or one added at run time.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Path;
use dumbbell_control::registry::{Any, AnyConfig};
use dumbbell_sim::fetch;

/// A rate control that is told the fate of each packet.
pub type Told = Box<dyn dumbbell_media::control::Control + Send>;

macro_rules! control {
    ($( $variant:ident: $module:ident, )+) => {
        /// Any controller. Controllers of the registry are variants of an enum, for speed; any
        /// other is a trait object. Each is in a box of its own size, so that ten thousand small
        /// ones stay in the cache.
        pub enum Control { $(
            #[doc = concat!("See [`", stringify!($module), "`](dumbbell_control::algorithm::", stringify!($module), ").")]
            $variant(Box<dumbbell_control::algorithm::$module::$variant>),
        )+
            /// A controller added at run time, in a second box, so that few of these do not make all others larger.
            Custom(Box<Box<dyn Controller + Send>>),
        }

        impl Control {
            /// A controller added at run time.
            pub fn custom(control: Box<dyn Controller + Send>) -> Self {
                Self::Custom(Box::new(control))
            }

            /// Creates a controller of the registry for a new connection.
            pub fn builtin(config: &AnyConfig, path: &Path) -> Self {
                match config.build(path) {
                    $( Any::$variant(control) => Self::$variant(Box::new(control)), )+
                }
            }

            /// Creates a controller of the registry for a new connection, in the memory of this one if both
            /// are of the same kind.
            pub(crate) fn renewed(self, config: &AnyConfig, path: &Path) -> Self {
                match config.build(path) {
                    $( Any::$variant(control) => match self {
                        Self::$variant(mut place) => {
                            *place = control;
                            Self::$variant(place)
                        }
                        _ => Self::$variant(Box::new(control)),
                    }, )+
                }
            }

            /// Copies a controller of the registry to `place`, in its memory if it is of the same kind.
            /// Returns whether it is one of the registry.
            pub(crate) fn copy_to(&self, place: &mut Option<Self>) -> bool {
                match self {
                    $( Self::$variant(control) => {
                        match place {
                            Some(Self::$variant(copy)) => (**copy).clone_from(control),
                            _ => *place = Some(Self::$variant(control.clone())),
                        }
                        true
                    } )+
                    Self::Custom(_) => false,
                }
            }

            /// Fetches the state of the controller.
            #[inline]
            pub(super) fn foresee(&self) {
                match self {
                    $( Self::$variant(control) => fetch(&**control), )+
                    Self::Custom(_) => {}
                }
            }
        }

        dumbbell_control::delegate_controller!(Control: $( $variant, )+ Custom);
    };
}

dumbbell_control::with_registry!(control);
