//! What the controls and the rate controls that a program adds have in common.

mod alarm;
mod declaration;
mod refusal;
mod settings;

pub use alarm::{Alarm, Raised};
pub(crate) use declaration::{Code, Declaration};
pub use refusal::Refusal;
pub use settings::Settings;
